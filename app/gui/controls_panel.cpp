// The left panel: the family's variants, the controls of the chosen one, and what to see in it.
#include <algorithm>
#include <cstdio>

#include "app/gui/actions.h"
#include "app/gui/panels.h"
#include "kernels/core/units.h"
#include "viz/layout/plot_axis.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/imgui_compat.h"
#include "viz/widgets/text_block.h"

namespace warpscope {
namespace {

void variantRow(const Ui& ui, const VariantInfo& variant, size_t index) {
  const bool chosen = index == ui.model.choice().variantIndex();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ui.px(25);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string name = "variant." + variant.name;
  // On the Compare page, a "+" takes the place of the key.
  const bool comparing = ui.screen.page == "compare";
  const float plus_width = comparing ? ui.px(24) : 0;
  if (ImGui::InvisibleButton(name.c_str(), ImVec2(width - plus_width, height))) {
    ImGui::GetIO().KeyCtrl ? keepVariant(ui, variant.name) : ui.model.selectVariant(variant.name);
  }
  ui.report.widgetOfLastItem(name);

  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 max(at.x + width, at.y + height);
  if (chosen || ImGui::IsItemHovered()) {
    list.AddRectFilled(at, max, withAlpha(chosen ? ui.theme.accent : ui.theme.text, chosen ? 0.20F : 0.08F),
                       ui.px(4));
  }
  const ImVec2 centre(at.x + ui.px(13), at.y + height / 2);
  list.AddCircle(centre, ui.px(5.5F), chosen ? ui.theme.accent : ui.theme.text_quiet, 20, ui.px(1.4F));
  if (chosen) list.AddCircleFilled(centre, ui.px(2.8F), ui.theme.accent, 16);

  const float text_y = at.y + (height - ImGui::GetTextLineHeight()) / 2;
  const std::string key = index < 9 ? std::to_string(index + 1) : "";
  const float key_width = ImGui::CalcTextSize("9").x;
  const float text_x = at.x + ui.px(26);
  drawTextFitted(list, ui.fonts.text, ImVec2(text_x, text_y), max.x - key_width - ui.px(12) - text_x,
                 ui.theme.text, tr(variant.title.c_str()));
  if (!comparing)
    list.AddText(ImVec2(max.x - key_width - ui.px(7), text_y), ui.theme.text_quiet, key.c_str());
  helpTooltip(ui, name, tr(variant.title) + "  (" + variant.name + ")", trMessage(variant.summary));
  if (!comparing) return;
  const std::string plus = name + ".keep";
  ImGui::SetCursorScreenPos(ImVec2(max.x - plus_width, at.y));
  if (ImGui::InvisibleButton(plus.c_str(), ImVec2(plus_width, height))) keepVariant(ui, variant.name);
  ui.report.widgetOfLastItem(plus);
  list.AddText(ImVec2(max.x - key_width - ui.px(7), text_y),
               ImGui::IsItemHovered() ? ui.theme.text : ui.theme.text_quiet, "+");
  helpTooltip(ui, plus, "", tr("Runs it at the current settings and keeps it for comparison (Ctrl click)."));
}

// Draws all variants; a long list scrolls, so that the controls stay visible. A lesson chooses the variant
// itself, and talks about the settings and what is below them.
void variantList(const Ui& ui) {
  const std::vector<VariantInfo>& variants = ui.model.choice().family().variants;
  const size_t most_rows = ui.lessons.isOpen() && variants.size() > 8 ? 6 : 10;
  const bool scrolls = variants.size() > most_rows;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ui.px(4), ui.px(1)));
  // Half a row shows that there is more below.
  const float rows = static_cast<float>(most_rows) - 0.5F;
  if (scrolls) ImGui::BeginChild("variants", ImVec2(0, rows * ui.px(26)));
  for (size_t i = 0; i < variants.size(); ++i) {
    variantRow(ui, variants[i], i);
    const bool newly_chosen =
        i == ui.model.choice().variantIndex() && ui.screen.variant_in_sight != variants[i].name;
    if (newly_chosen) {
      const float top = ImGui::GetWindowPos().y;
      const bool whole =
          ImGui::GetItemRectMin().y >= top && ImGui::GetItemRectMax().y <= top + ImGui::GetWindowHeight();
      if (scrolls && !whole) ImGui::SetScrollHereY();
      ui.screen.variant_in_sight = variants[i].name;
    }
  }
  if (scrolls) ImGui::EndChild();
  ImGui::PopStyleVar();
}

// The value at the right end of a control's line; a click on it turns it into a text field. `name`: the
// control's, in the report.
void typedValue(const Ui& ui, const ParameterSpec& spec, const std::string& name, float width) {
  ScreenState& screen = ui.screen;
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%s", screen.typed.c_str());
  ImGui::SetNextItemWidth(width);
  if (screen.typing_begins) ImGui::SetKeyboardFocusHere();
  const bool entered =
      ImGui::InputText("##typed", buffer, sizeof buffer,
                       ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  ui.report.widgetOfLastItem(name + ".input");
  screen.typed = buffer;
  if (entered) {
    const Expected<int64_t> value = parseParameter(spec, screen.typed);
    if (value) {
      ui.model.beginEdit();
      ui.model.setParameter(spec.name, *value);
      screen.typing.clear();
    } else {
      screen.typing_error = value.error().message;
      screen.typing_begins = true;
    }
    return;
  }
  if (!screen.typing_begins && ImGui::IsItemDeactivated()) screen.typing.clear();
  screen.typing_begins = false;
}

std::string shownValue(const ParameterSpec& spec, int64_t value) {
  std::string text = tr(formatParameter(spec, value));
  // "2^16" is how it is chosen, "65,536" is the number.
  if (spec.kind == ParameterKind::kLog2 && text.starts_with("2^")) return text + " = " + formatCount(value);
  if (spec.kind == ParameterKind::kChoice || (value == 0 && !spec.zero_means.empty())) return text;
  return formatCount(value);
}

// "Block size (threads)"
std::string titleOf(const ParameterSpec& spec) {
  return titleWith(tr(spec.label), spec.unit.empty() ? "" : tr(spec.unit));
}

void labelAndValue(const Ui& ui, const ParameterSpec& spec, const std::string& name, float width) {
  ScreenState& screen = ui.screen;
  const float x = ImGui::GetCursorPosX();
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(tr(spec.label.c_str()));
  helpTooltip(ui, name + ".label", titleOf(spec), tr(spec.help));
  pushFont(ui.fonts.mono);
  if (screen.typing == name) {
    const float input_width = std::min(ui.px(110), width * 0.55F);
    ImGui::SameLine(x + width - input_width);
    typedValue(ui, spec, name, input_width);
  } else {
    const std::string value = shownValue(spec, ui.model.choice().value(spec.name));
    const float value_width = buttonWidth(value.c_str());
    ImGui::SameLine(x + width - value_width);
    if (button(ui, name + ".value", value.c_str(), ButtonLook::kQuiet) &&
        spec.kind != ParameterKind::kChoice) {
      screen.typing = name;
      screen.typed = formatParameter(spec, ui.model.choice().value(spec.name));
      screen.typing_error.clear();
      screen.typing_begins = true;
    }
    ImGui::PopFont();
    helpTooltip(
        ui, name + ".value", value + " " + tr(spec.unit),
        spec.kind == ParameterKind::kChoice ? "" : tr("Click to type a value, right click copies it."));
    copyOnRightClick(ui, std::to_string(ui.model.choice().value(spec.name)));
    pushFont(ui.fonts.mono);
  }
  ImGui::PopFont();
}

void sliderControl(const Ui& ui, const ParameterSpec& spec, const std::string& name, float width,
                   const std::vector<int64_t>& values) {
  labelAndValue(ui, spec, name, width);
  const int64_t value = ui.model.choice().value(spec.name);
  const auto above = std::lower_bound(values.begin(), values.end(), value);
  auto position = static_cast<size_t>(above - values.begin());
  if (above == values.end() || (above != values.begin() && value - *(above - 1) < *above - value)) --position;
  const SliderAnswer answer = stepSlider(ui, name, position, values.size(), width);
  if (answer.activated) ui.model.beginEdit();
  if (answer.moved_to) ui.model.setParameter(spec.name, values[*answer.moved_to]);
  helpTooltip(ui, name, titleOf(spec), tr(spec.help));
}

void choiceControl(const Ui& ui, const ParameterSpec& spec, const std::string& name, float width,
                   const std::vector<int64_t>& values) {
  ImGui::TextUnformatted(tr(spec.label.c_str()));
  helpTooltip(ui, name + ".label", spec.label, spec.help);
  const int64_t value = ui.model.choice().value(spec.name);
  ImGui::PushID(spec.name.c_str());
  ImGui::SetNextItemWidth(width);
  const bool open = ImGui::BeginCombo("##choice", tr(formatParameter(spec, value)).c_str());
  ui.report.widgetOfLastItem(name);
  std::optional<int64_t> chosen;
  if (open) {
    for (const int64_t offered : values) {
      const std::string label = formatParameter(spec, offered);
      if (ImGui::Selectable(tr(label.c_str()), offered == value)) chosen = offered;
      ui.report.widgetOfLastItem(fmt::format("{}.{}", name, label));
    }
    ImGui::EndCombo();
  } else {
    helpTooltip(ui, name, tr(spec.label), tr(spec.help));
  }
  ImGui::PopID();
  if (chosen) {
    ui.model.beginEdit();
    ui.model.setParameter(spec.name, *chosen);
  }
}

void settingsHeading(const Ui& ui) {
  const float x = ImGui::GetCursorPosX();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::AlignTextToFramePadding();
  heading(ui, tr("SETTINGS"));
  const float buttons = buttonWidth("↶") + buttonWidth("↷") + buttonWidth(tr("Reset")) + ui.px(4);
  // They get a line of their own if they do not fit beside it.
  const bool beside = textSize(ui.fonts.title, tr("SETTINGS")).x + ui.px(8) + buttons <= width;
  beside ? ImGui::SameLine(x + width - buttons) : ImGui::SetCursorPosX(x);
  const auto quiet_button = [&](const char* name, const char* label, const std::string& title, bool enabled) {
    if (!enabled) ImGui::BeginDisabled();
    const bool pressed = button(ui, name, label, ButtonLook::kQuiet);
    if (!enabled) ImGui::EndDisabled();
    helpTooltip(ui, name, title, "");
    return pressed;
  };
  if (quiet_button("controls.undo", "↶", ui.actions.withKeys(tr("Undo"), "settings.undo"),
                   ui.model.canUndo()))
    ui.model.undo();
  ImGui::SameLine(0, ui.px(2));
  if (quiet_button("controls.redo", "↷", ui.actions.withKeys(tr("Redo"), "settings.redo"),
                   ui.model.canRedo()))
    ui.model.redo();
  ImGui::SameLine(0, ui.px(2));
  if (quiet_button("controls.reset", tr("Reset"), tr("Resets all settings of this family to their defaults"),
                   true)) {
    ui.model.resetParameters();
  }
}

// The switch that makes runs look for hazards; it is hidden if the device cannot.
void checksControl(const Ui& ui) {
  Model& model = ui.model;
  if (!model.canCheck()) return;
  const bool always = model.choice().family().checked;
  if (always) ImGui::BeginDisabled();
  bool on = model.checks();
  const bool changed = ImGui::Checkbox(tr("Look for hazards"), &on);
  if (always) ImGui::EndDisabled();
  ui.report.widgetOfLastItem("controls.checks");
  helpTooltip(ui, "controls.checks", tr("Races, invalid addresses, divergent barriers"),
              always ? tr("Runs of this family are always checked.")
                     : tr("Each run is launched once more, with checks that follow every access; this takes "
                          "longer. CODE marks the lines of what they find."));
  if (changed) model.setChecks(on);
}

// The switch that makes runs read hardware counters; it is hidden on what is not a real GPU.
void countersControl(const Ui& ui) {
  if (!ui.model.canCount()) return;
  bool on = ui.model.counters();
  const bool changed = ImGui::Checkbox(tr("Read counters"), &on);
  ui.report.widgetOfLastItem("controls.counters");
  helpTooltip(
      ui, "controls.counters", tr("Hardware counters of the GPU, as Nsight Compute reads them"),
      tr("The kernel without probes is launched several times more once the settings rest. Switch it off "
         "to let another profiler have the counters."));
  if (changed) ui.model.setCounters(on);
}

void quietParagraph(const Ui& ui, const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, ui.theme.text_quiet);
  textWrapped(text);
  ImGui::PopStyleColor();
}

}  // namespace

// A frame and a sign make it visible without a popup.
void drawImpossibleNote(const Ui& ui, float width) {
  const Impossible* impossible = ui.model.impossible();
  if (impossible == nullptr) return;
  const std::string reason = trMessage(impossible->reason);
  std::string nearest;
  for (const ParameterSpec* spec : ui.model.choice().controls()) {
    const auto value = impossible->nearest.find(spec->name);
    if (value == impossible->nearest.end()) continue;
    nearest += fmt::format("{}{} {}", nearest.empty() ? "" : ", ", tr(spec->label),
                           shownValue(*spec, value->second));
  }
  const float margin = ui.px(8);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.ChannelsSplit(2);
  list.ChannelsSetCurrent(1);
  ImGui::SetCursorScreenPos(ImVec2(at.x + margin, at.y + margin));
  ImGui::BeginGroup();
  textWrapped(trf("! Impossible here: {}", reason), width - 2 * margin);
  if (!nearest.empty()) {
    textWrapped(trf("Nearest possible: {}", nearest), width - 2 * margin);
    if (button(ui, "controls.impossible.use", tr("Use it"))) ui.model.useNearest();
    helpTooltip(ui, "controls.impossible.use", trf("Nearest possible: {}", nearest),
                tr("Undo restores the previous setting."));
  }
  ImGui::EndGroup();
  const ImVec2 max(at.x + width, ImGui::GetItemRectMax().y + margin);
  list.ChannelsSetCurrent(0);
  list.AddRectFilled(at, max, mixColours(ui.theme.panel, ui.theme.warning, 0.12F), ui.px(5));
  list.AddRect(at, max, ui.theme.warning, ui.px(5), 0, ui.px(1.5F));
  list.ChannelsMerge();
  ui.report.widget("controls.impossible", at, max);
  ImGui::SetCursorScreenPos(ImVec2(at.x, max.y));
  ImGui::Dummy(ImVec2(0, ui.px(4)));
}

void drawParameterControl(const Ui& ui, const ParameterSpec& spec, const std::string& name, float width,
                          const std::vector<int64_t>& offered) {
  ImGui::PushID(name.c_str());
  spec.kind == ParameterKind::kChoice ? choiceControl(ui, spec, name, width, offered)
                                      : sliderControl(ui, spec, name, width, offered);
  if (ui.screen.typing == name && !ui.screen.typing_error.empty())
    quietParagraph(ui, "! " + trMessage(ui.screen.typing_error));
  ImGui::PopID();
}

void drawControlsPanel(const Ui& ui) {
  Model& model = ui.model;
  heading(ui, tr("VARIANT"));
  variantList(ui);
  ImGui::Dummy(ImVec2(0, ui.px(4)));

  settingsHeading(ui);
  for (const ParameterSpec* spec : model.choice().controls()) {
    // A copy, because moving the slider makes the model forget what was offered.
    const std::vector<int64_t> offered = model.offeredValues(*spec);
    drawParameterControl(ui, *spec, "control." + spec->name, ImGui::GetContentRegionAvail().x, offered);
  }
  drawImpossibleNote(ui, ImGui::GetContentRegionAvail().x);
  checksControl(ui);
  countersControl(ui);
  if (const DeviceDescription* device = model.devices().description();
      model.devices().offersOnlyRecorded() && device != nullptr) {
    ImGui::Dummy(ImVec2(0, ui.px(2)));
    const std::string date = device->recorded_on.empty() ? "" : ", " + device->recorded_on;
    quietParagraph(ui, trf("Recorded on {}{}: controls offer what was recorded.", device->name, date));
    ui.report.widgetOfLastItem("controls.recorded");
  }
  ImGui::Dummy(ImVec2(0, ui.px(6)));
  heading(ui, tr("WHAT TO SEE"));
  quietParagraph(ui, trMessage(model.choice().variant().summary));
  ui.report.widgetOfLastItem("controls.what_to_see");
  ImGui::Dummy(ImVec2(0, ui.px(4)));
  drawTheoryTable(ui);
}

}  // namespace warpscope
