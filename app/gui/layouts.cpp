#include "app/gui/layouts.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "app/gui/actions.h"
#include "app/gui/pages/pages.h"
#include "viz/text/translate.h"

namespace warpscope {
namespace {

constexpr size_t kLongestName = 40;  // bytes

// The timeline and the lanes are large, and the controls are narrow.
WindowLayout lectureLayout() {
  WindowLayout layout;
  layout.panels.controls_width = 200;
  layout.panels.timeline_share = 0.6F;
  layout.panels.lanes_share = 0.5F;
  layout.panels.code_share = 0.42F;
  layout.scale = 1.5F;
  return layout;
}

// The code and the counters have the room; the tabs show what warps waited for.
WindowLayout analysisLayout() {
  WindowLayout layout;
  layout.upper_tab = "states";
  layout.lower_tab = "counters";
  layout.panels.timeline_share = 0.4F;
  layout.panels.lanes_share = 0.28F;
  layout.panels.code_share = 0.55F;
  layout.panels.occupancy_share = 0.36F;
  layout.scale = kSmallestScale;
  return layout;
}

WindowLayout withScale(WindowLayout layout, const std::string& page, float scale) {
  layout.page = page;
  layout.scale = scale;
  return layout;
}

bool layoutItem(const Ui& ui, const std::string& name, const std::string& label, bool present,
                const std::string& help) {
  const bool chosen = ImGui::MenuItem(label.c_str(), nullptr, present);
  ui.report.widgetOfLastItem(name);
  if (!help.empty()) helpTooltip(ui, name, "", help);
  return chosen;
}

void ownLayouts(const Ui& ui) {
  std::string used, removed;
  const WindowLayout present = presentLayout(ui.screen);
  for (const auto& [name, layout] : ui.screen.layouts) {
    const std::string id = "layout.own." + name;
    ImGui::PushID(name.c_str());
    if (ImGui::SmallButton("×")) removed = name;
    ui.report.widgetOfLastItem(id + ".remove");
    helpTooltip(ui, id + ".remove", "", trf("Forgets the layout {}.", name));
    ImGui::SameLine();
    if (layoutItem(ui, id, name, layout == present, "")) used = name;
    ImGui::PopID();
  }
  if (!used.empty()) useLayout(ui, ui.screen.layouts.at(used));
  if (!removed.empty()) ui.screen.layouts.erase(removed);
}

void saveField(const Ui& ui) {
  std::array<char, kLongestName + 1> name{};
  std::snprintf(name.data(), name.size(), "%s", ui.screen.layout_name.c_str());
  ImGui::SetNextItemWidth(ui.px(150));
  bool save = ImGui::InputTextWithHint("##layout_name", tr("name"), name.data(), name.size(),
                                       ImGuiInputTextFlags_EnterReturnsTrue);
  ui.report.widgetOfLastItem("layout.name");
  ui.screen.layout_name = name.data();
  ImGui::SameLine();
  save = button(ui, "layout.save", tr("Save layout")) || save;
  helpTooltip(
      ui, "layout.save", "",
      tr("Keeps the page, the panels, the view that is alone and the size of the text by this name."));
  if (save && !ui.screen.layout_name.empty()) {
    saveLayout(ui, std::exchange(ui.screen.layout_name, {}));
    ImGui::CloseCurrentPopup();
  }
}

}  // namespace

std::span<const NamedLayout> builtInLayouts() {
  static const std::array kLayouts{
      NamedLayout{"default", trMark("Default"), trMark("Layout: default"),
                  trMark("As the window starts for the first time."), withScale({}, "trace", kSmallestScale)},
      NamedLayout{"lecture", trMark("Lecture"), trMark("Layout: lecture"),
                  trMark("Large text, the timeline and the lanes: for a projector."), lectureLayout()},
      NamedLayout{"analysis", trMark("Analysis"), trMark("Layout: analysis"),
                  trMark("Code, warp states and counters beside the timeline."), analysisLayout()},
      NamedLayout{"compare", trMark("Comparison"), trMark("Layout: comparison"),
                  trMark("Runs above each other on one time axis."),
                  withScale({}, "compare", kSmallestScale)},
  };
  return kLayouts;
}

WindowLayout presentLayout(const ScreenState& screen) {
  return {.page = screen.page,
          .alone = screen.stage.alone(),
          .upper_tab = screen.upper_tab,
          .lower_tab = screen.lower_tab,
          .panels = screen.panels,
          .scale = screen.scale};
}

void useLayout(const Ui& ui, const WindowLayout& layout) {
  ScreenState& screen = ui.screen;
  screen.page = ui.pages.find(layout.page).name();
  screen.upper_tab = layout.upper_tab;
  screen.lower_tab = layout.lower_tab;
  screen.panels = layout.panels;
  screen.scale = layout.scale;
  screen.stage.showAlone(screen.page, layout.alone);
  redrawIn(ui, 0);
}

void useLayout(const Ui& ui, const NamedLayout& named) {
  WindowLayout layout = named.layout;
  layout.scale = std::max(layout.scale, ui.screen.scale);
  useLayout(ui, layout);
}

void saveLayout(const Ui& ui, const std::string& name) {
  if (ui.screen.layouts.size() >= kMostLayouts && !ui.screen.layouts.contains(name)) {
    notify(ui, trf("At most {} layouts can be kept: forget one first.", kMostLayouts), 8);
    return;
  }
  ui.screen.layouts[name] = presentLayout(ui.screen);
  notify(ui, trf("Saved the layout {}", name));
}

void toggleSingleView(const Ui& ui) {
  Stage& stage = ui.screen.stage;
  stage.toggleAlone(stage.viewAt(ImGui::GetIO().MousePos));
  redrawIn(ui, 0);
}

float layoutMenuWidth() {
  return buttonWidth(tr("Layout"));
}

void drawLayoutMenu(const Ui& ui) {
  if (button(ui, "toolbar.layout", tr("Layout"))) ImGui::OpenPopup("##layout");
  const ImVec2 under(ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + ui.px(3));
  helpTooltip(ui, "toolbar.layout", tr("Arrangements of the window"),
              tr("For a lecture, for analysis, for comparing, and your own; one view alone."));
  ImGui::SetNextWindowPos(under, ImGuiCond_Appearing);
  if (!ImGui::BeginPopup("##layout")) return;
  for (const NamedLayout& named : builtInLayouts()) {
    WindowLayout reached = named.layout;
    reached.scale = std::max(reached.scale, ui.screen.scale);
    if (layoutItem(ui, std::string("layout.") + named.name, tr(named.label),
                   reached == presentLayout(ui.screen), tr(named.help)))
      useLayout(ui, named);
  }
  ImGui::Separator();
  ownLayouts(ui);
  saveField(ui);
  ImGui::Separator();
  const bool alone = !ui.screen.stage.alone().empty();
  const std::string keys = ui.actions.shownKeys("window.single");
  if (ImGui::MenuItem(alone ? tr("All views") : tr("One view alone"), keys.c_str(), alone))
    toggleSingleView(ui);
  ui.report.widgetOfLastItem("layout.alone");
  ImGui::EndPopup();
}

}  // namespace warpscope
