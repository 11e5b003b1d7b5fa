// The line at the top: what runs and where it runs, Live and Run, theme, scale and help.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/gui/actions.h"
#include "app/gui/files.h"
#include "app/gui/fold_row.h"
#include "app/gui/layouts.h"
#include "app/gui/pages/pages.h"
#include "app/gui/panels.h"
#include "kernels/core/units.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/imgui_compat.h"
#include "viz/widgets/text_block.h"

namespace warpscope {
namespace {

constexpr double kShowProgressAfter_s = 0.15;

std::string deviceLabel(const DeviceDescription& device) {
  if (device.kind != DeviceKind::kRecorded) return device.name;
  return device.recorded_on.empty() ? trf("{} (recording)", device.name)
                                    : trf("{} (recorded {})", device.name, device.recorded_on);
}

void deviceMenu(const Ui& ui, const DeviceListing& devices) {
  for (const DeviceDescription& device : devices.devices) {
    const std::string label = deviceLabel(device) + "##" + device.id;
    if (ImGui::Selectable(label.c_str(), device.id == ui.model.devices().id()))
      ui.model.openDevice(device.id);
    ui.report.widgetOfLastItem("device." + device.id);
  }
  if (devices.notes.empty()) return;
  ImGui::Separator();
  ImGui::PushStyleColor(ImGuiCol_Text, ui.theme.text_quiet);
  for (const std::string& note : devices.notes) textWrapped(trMessage(note), ui.px(360));
  ImGui::PopStyleColor();
}

// The device as the list describes it, so that its badge stays in place while the device is being opened.
const DeviceDescription* chosenDevice(const Model& model) {
  if (model.devices().description() != nullptr) return model.devices().description();
  for (const DeviceDescription& device : model.devices().listed().devices) {
    if (device.id == model.devices().id()) return &device;
  }
  return nullptr;
}

void deviceCombo(const Ui& ui, float width) {
  const DeviceDescription* device = ui.model.devices().description();
  std::string preview = device != nullptr ? deviceLabel(*device) : tr("none");
  if (ui.model.devices().listing()) preview = tr("looking for devices ...");
  if (ui.model.devices().opening()) {
    const DeviceDescription* chosen = chosenDevice(ui.model);
    preview = trf("opening {} ...", chosen != nullptr ? deviceLabel(*chosen) : ui.model.devices().id());
  }
  // If room is short, the name is shown without the date: a badge beside it says that it is recorded.
  const float room = width - ImGui::GetFrameHeight() - ImGui::GetStyle().FramePadding.x * 2;
  std::string shown = preview;
  if (device != nullptr && preview == deviceLabel(*device) && ImGui::CalcTextSize(preview.c_str()).x > room)
    shown = device->name;
  shown = fittedText(ui.fonts.text, shown, room);
  ImGui::SetNextItemWidth(width);
  const bool open = ImGui::BeginCombo("##device", shown.c_str(), ImGuiComboFlags_HeightLarge);
  ui.report.widgetOfLastItem("toolbar.device");
  if (open) {
    deviceMenu(ui, ui.model.devices().listed());
    ImGui::EndCombo();
  } else {
    helpTooltip(ui, "toolbar.device", trf("Device: {}", preview),
                tr("Where the kernels run: a GPU of this machine, a simulated one, or recordings."));
  }
}

void familyCombo(const Ui& ui, float width) {
  ImGui::SetNextItemWidth(width);
  const bool open = ImGui::BeginCombo("##family", tr(ui.model.choice().family().title.c_str()),
                                      ImGuiComboFlags_HeightLarge);
  ui.report.widgetOfLastItem("toolbar.family");
  if (!open) {
    helpTooltip(ui, "toolbar.family", trf("Family: {}", tr(ui.model.choice().family().title)),
                trMessage(ui.model.choice().family().summary));
    return;
  }
  std::string chosen;
  for (const FamilyInfo* family : ui.model.choice().families()) {
    if (ImGui::Selectable(tr(family->title.c_str()), family == &ui.model.choice().family()))
      chosen = family->name;
    ui.report.widgetOfLastItem("family." + family->name);
    helpTooltip(ui, "family." + family->name, tr(family->title), tr(family->summary));
  }
  ImGui::EndCombo();
  if (!chosen.empty()) ui.model.selectFamily(chosen);
}

void liveButton(const Ui& ui) {
  Model& model = ui.model;
  if (button(ui, "toolbar.live", model.live() ? tr("● Live") : tr("○ Live"),
             model.live() ? ButtonLook::kOn : ButtonLook::kPlain)) {
    perform(ui, "run.live");
  }
  helpTooltip(ui, "toolbar.live",
              ui.actions.withKeys(model.live() ? tr("Live is on") : tr("Live is off"), "run.live"),
              tr("While it is on, every change of a setting launches the kernel at once."));
}

// Wide enough for either label, so that nothing moves while a launch runs.
float runWidth() {
  return std::max(buttonWidth(tr("▶ Run")), buttonWidth(tr("■ Stop")));
}

void runButton(const Ui& ui, float width) {
  Model& model = ui.model;
  const bool running = model.feed().busy() && model.feed().busyFor(ui.now_s) > kShowProgressAfter_s;
  if (button(ui, "toolbar.run", running ? tr("■ Stop") : tr("▶ Run"), ButtonLook::kPlain, width)) {
    perform(ui, running ? "run.stop" : "run.once");
  }
  helpTooltip(ui, "toolbar.run",
              running ? ui.actions.withKeys(tr("Stop the launch"), "window.back")
                      : ui.actions.withKeys(tr("Run once"), "run.once"),
              running ? tr("The last run stays.") : tr("Launches the kernel with the settings on the left."));
}

void pageButton(const Ui& ui, const Page& page) {
  const std::string name = std::string("toolbar.page.") + page.name();
  const char* label = tr(page.label());
  const bool seen = &page == &ui.pages.find(ui.screen.page);
  if (button(ui, name, label, seen ? ButtonLook::kOn : ButtonLook::kPlain)) {
    ui.screen.page = page.name();
    ImGui::CloseCurrentPopup();
  }
  helpTooltip(ui, name, ui.actions.withKeys(label, std::string("page.") + page.name()), tr(page.help()));
}

void progressText(const Ui& ui, float room) {
  Model& model = ui.model;
  std::string text;
  if (model.feed().busy() && model.feed().busyFor(ui.now_s) > kShowProgressAfter_s) {
    const auto progress = model.devices().progress();
    text = progress && !progress->step.empty() ? trMessage(progress->step) : tr("running");
    if (progress && progress->seconds_left > 1) {
      text = trf("{}, about {} left", text, formatRoughSeconds(progress->seconds_left));
    }
  } else if (!model.feed().busy() && model.devices().description() != nullptr && !model.problem() &&
             model.outdated()) {
    text = model.live() ? tr("stopped: press ▶ Run") : tr("settings changed: press ▶ Run");
  }
  const Stage& stage = ui.screen.stage;
  if (text.empty() && !stage.alone().empty()) {
    text = tr(model.choice().family().title) + std::string("   ") + tr(model.choice().variant().title);
  }
  if (text.empty()) return;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  drawTextFitted(*ImGui::GetWindowDrawList(), ui.fonts.text, {at.x, at.y + ImGui::GetStyle().FramePadding.y},
                 room, ui.theme.text_quiet, text.c_str());
}

// A line under the toolbar that grows with the progress of the launch.
void progressLine(const Ui& ui) {
  if (!ui.model.feed().busy() || ui.model.feed().busyFor(ui.now_s) < kShowProgressAfter_s) return;
  const auto progress = ui.model.devices().progress();
  const ImVec2 at = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  const float bottom = at.y + size.y;
  const double fraction = progress ? std::clamp(progress->fraction, 0.02, 1.0) : 0.02;
  ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(at.x, bottom - ui.px(2)),
                                            ImVec2(at.x + size.x * static_cast<float>(fraction), bottom),
                                            ui.theme.accent);
}

void scaleCombo(const Ui& ui, float width) {
  const std::string preview = fmt::format("{:.0f} %", ui.screen.scale * 100);
  ImGui::SetNextItemWidth(width);
  const bool open = ImGui::BeginCombo("##scale", preview.c_str(), ImGuiComboFlags_HeightLarge);
  ui.report.widgetOfLastItem("toolbar.scale");
  if (!open) {
    helpTooltip(ui, "toolbar.scale", tr("Size of text and widgets"),
                trf("{} and {} change it.", ui.actions.shownKeys("window.larger"),
                    ui.actions.shownKeys("window.smaller")));
    return;
  }
  for (const float scale : std::array{0.75F, 1.0F, 1.25F, 1.5F, 1.75F, 2.0F, 2.5F, 3.0F}) {
    const std::string label = fmt::format("{:.0f} %", scale * 100);
    if (ImGui::Selectable(label.c_str(), scale == ui.screen.scale)) ui.screen.scale = scale;
    ui.report.widgetOfLastItem("scale." + fmt::format("{:.0f}", scale * 100));
  }
  ImGui::EndCombo();
}

// The button names the language that it changes to, in that language, or in English if its characters are
// missing.
const char* languageLabel() {
  const Language& next = otherLanguage();
  if (&next == &languages().front()) return "English";
  return missingFont(next.code).empty() ? "中文" : "Chinese";
}

void languageButton(const Ui& ui) {
  const Language& next = otherLanguage();
  const std::string missing = missingFont(next.code);
  if (button(ui, "toolbar.language", languageLabel())) perform(ui, "window.language");
  helpTooltip(ui, "toolbar.language",
              ui.actions.withKeys(trf("Language: {}", language().name), "window.language"),
              missing.empty() ? trf("Click changes to {}.", next.name) : "Chinese: " + missing);
}

void themeButton(const Ui& ui, float width) {
  const ThemeKind next = nextTheme(ui.screen.theme);
  if (button(ui, "toolbar.theme", themeLabel(ui.screen.theme), ButtonLook::kPlain, width)) {
    perform(ui, "window.theme");
  }
  helpTooltip(ui, "toolbar.theme",
              ui.actions.withKeys(trf("Theme: {}", themeLabel(ui.screen.theme)), "window.theme"),
              trf("Next: {}. Light suits projectors.", themeLabel(next)));
}

void helpButton(const Ui& ui) {
  if (button(ui, "toolbar.help", "?")) perform(ui, "window.help");
  helpTooltip(ui, "toolbar.help", ui.actions.withKeys(tr("All keys"), "window.help"), "");
}

void badge(const Ui& ui, const DeviceDescription& device) {
  provenanceBadge(ui, "toolbar.provenance", device);
  helpTooltip(ui, "toolbar.provenance", provenanceLabel(device),
              device.provenance == Provenance::kMeasured
                  ? tr("Times and traces come from real hardware.")
                  : tr("Times and traces come from a model, not from hardware."));
}

void backButton(const Ui& ui) {
  if (button(ui, "toolbar.back", tr("All views"), ButtonLook::kOn)) {
    ui.screen.stage.showAlone(ui.screen.page, "");
    redrawIn(ui, 0);
  }
  helpTooltip(ui, "toolbar.back", ui.actions.withKeys(tr("Back to all views"), "window.single"), "");
}

float themeWidth() {
  return std::max({buttonWidth(tr("Dark")), buttonWidth(tr("Light")), buttonWidth(tr("Contrast"))});
}

// From left to right. What is used most is folded last.
std::vector<FoldItem> toolbarItems(const Ui& ui) {
  const float gap = ImGui::GetStyle().ItemSpacing.x, wide = gap * 2;
  const auto plain = [&](const char* label, int rank, float space, auto draw) {
    return fixedItem(buttonWidth(label), rank, space, [&ui, draw](float) { draw(ui); });
  };
  std::vector<FoldItem> items;
  items.push_back(fixedItem(textSize(ui.fonts.title, "warpscope").x, 100, 0, [&ui](float) {
    ImGui::AlignTextToFramePadding();
    pushFont(ui.fonts.title);
    ImGui::TextUnformatted("warpscope");
    ImGui::PopFont();
  }));
  items.push_back(plain(tr("File"), 20, wide, drawFileMenu));
  items.push_back(
      {.least = ui.px(120), .width = ui.px(330), .gap = wide, .rank = 30, .draw = [&ui](float width) {
         deviceCombo(ui, width);
       }});
  if (const DeviceDescription* device = chosenDevice(ui.model); device != nullptr) {
    items.push_back(fixedItem(badgeWidth(ui, provenanceLabel(*device).c_str()), 90, gap,
                              [&ui, device](float) { badge(ui, *device); }));
  }
  items.push_back(
      {.least = ui.px(110), .width = ui.px(190), .gap = wide, .rank = 0, .draw = [&ui](float width) {
         familyCombo(ui, width);
       }});
  items.push_back(fixedItem(std::max(buttonWidth(tr("● Live")), buttonWidth(tr("○ Live"))), 40, wide,
                            [&ui](float) { liveButton(ui); }));
  items.push_back(fixedItem(runWidth(), 0, gap, [&ui](float width) { runButton(ui, width); }));
  int rank = 50;
  for (const auto& page : ui.pages.all()) {
    const bool first = page.get() == &ui.pages.first();
    items.push_back(fixedItem(buttonWidth(tr(page->label())), rank++, first ? ui.px(14) : ui.px(2),
                              [&ui, &page = *page](float) { pageButton(ui, page); }));
  }
  items.push_back({.gap = wide, .draw = [&ui](float room) { progressText(ui, room); }, .spring = true});
  items.push_back(fixedItem(layoutMenuWidth(), 60, wide, [&ui](float) { drawLayoutMenu(ui); }));
  items.push_back(plain(languageLabel(), 80, gap, languageButton));
  items.push_back(fixedItem(themeWidth(), 79, gap, [&ui](float width) { themeButton(ui, width); }));
  items.push_back(fixedItem(ui.px(74), 78, gap, [&ui](float width) { scaleCombo(ui, width); }));
  items.push_back(plain("?", 70, gap, helpButton));
  return items;
}

// Over a view that is alone: the way back, what is shown and Run; all else is folded.
std::vector<FoldItem> toolbarOfSingleView(const Ui& ui) {
  std::vector<FoldItem> items = toolbarItems(ui);
  for (FoldItem& item : items) item.folded = !item.spring && item.rank != 0;
  items.insert(items.begin(),
               fixedItem(buttonWidth(tr("All views")), 0, 0, [&ui](float) { backButton(ui); }));
  return items;
}

}  // namespace

void drawToolbar(const Ui& ui) {
  const float edge = ui.px(10);
  ImGui::SetCursorPos(ImVec2(edge, (ImGui::GetWindowSize().y - ImGui::GetFrameHeight()) / 2));
  const bool single = !ui.screen.stage.alone().empty();
  drawFoldingRow(ui, "toolbar", ImGui::GetWindowSize().x - 2 * edge,
                 single ? toolbarOfSingleView(ui) : toolbarItems(ui));
  progressLine(ui);
}

}  // namespace warpscope
