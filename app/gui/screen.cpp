#include "app/gui/screen.h"

#include <algorithm>
#include <array>

#include "app/gui/family_lookup.h"
#include "app/gui/files.h"
#include "app/gui/panels.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"

namespace warpscope {
namespace {

constexpr double kDimAfter_s = 0.1;  // a launch faster than this is not worth a flicker
constexpr float kGap = 5;            // between panels, where the splitters are
// Pixels at 100 %:
constexpr float kTitleHeight = 25, kViewMargin = 6;                   // of a view, over and under its picture
constexpr float kNarrowestColumn = 252;                               // occupancy and bandwidth
constexpr float kLivePlotHeight = 97;                                 // with its gap and the line over it
constexpr float kLeastTimelineHeight = 245, kLeastLanesHeight = 200;  // beside a tall column
constexpr float kLeastTimelineShare = 0.55F;
constexpr float kTabGap = 12, kMoreTabsWidth = 16;
constexpr size_t kMostBars = 10;  // of bandwidth that panels make room for; more of them scroll

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav;

std::string emptyMessage(const Model& model) {
  if (model.listing()) return tr("Looking for devices ...");
  if (model.opening()) return trf("Opening {} ...", model.deviceId());
  if (model.device() == nullptr) return tr("No device is open: choose one in the toolbar.");
  if (model.busy()) return tr("Running for the first time ...");
  if (model.impossible() != nullptr) return tr("These settings are impossible here: see the left panel.");
  if (model.problem()) return tr("The run failed: change a setting, or try again.");
  return tr("No run yet: press Space.");
}

// What the shown run was asked for: "even_odd  block 256  work 16".
std::string caption(const FamilyInfo& family, const Run& run) {
  std::string text = run.request.variant;
  for (const auto& [name, value] : run.request.parameters) {
    const auto label = run.parameter_labels.find(name);
    std::string words = label == run.parameter_labels.end() ? std::to_string(value) : label->second;
    if (const ParameterSpec* spec = findSpec(family, name);
        spec != nullptr && family.name == run.request.family)
      words = formatParameter(*spec, value);
    text += fmt::format("   {} {}", name, words);
  }
  return text;
}

float titleWidth(const Ui& ui, const char* title) {
  return textSize(ui.fonts.title, title).x;
}

}  // namespace

Screen::Screen()
    : timeline_(makeTimelineView()),
      code_(makeCodeView()),
      bandwidth_(makeBandwidthView()),
      occupancy_(makeOccupancyView()),
      states_(makeStatesView()),
      counters_(makeCountersView()),
      precision_(makePrecisionView()) {
  for (const auto make : {makeLanesView, makeMappingView, makeBanksView, makeSectorsView, makeShuffleView,
                          makeTreeView, makeTailView}) {
    lanes_tabs_.push_back(make());
  }
}

std::span<const char* const> Screen::viewNames() {
  static constexpr std::array kNames{"timeline", "lanes",     "mapping",  "banks",     "sectors",
                                     "shuffle",  "tree",      "tail",     "code",      "occupancy",
                                     "states",   "bandwidth", "counters", "precision", "occupancy_lab",
                                     "plots",    "compare",   "race"};
  return kNames;
}

std::span<const char* const> Screen::lanesTabs() {
  return viewNames().subspan(1, 7);
}

// What occupancy and bandwidth need at least, one over the other, in pixels at 100 %. The same for all
// families: choosing one moves no panel.
struct ColumnNeeds {
  float occupancy = 0, bandwidth = 0;
  float sum() const { return occupancy + kGap + bandwidth; }
};

ColumnNeeds columnNeeds(const Model& model) {
  size_t bars = 0;
  for (const FamilyInfo* family : model.families()) bars = std::max(bars, family->variants.size());
  bars = std::min(bars, kMostBars);
  constexpr float kAround = kTitleHeight + kViewMargin;
  return {kAround + kLeastOccupancyHeight, kAround + kBandwidthRowHeight * static_cast<float>(bars)};
}

Screen::Panels Screen::layOut(const Ui& ui) const {
  const PanelSizes& sizes = ui.screen.panels;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float gap = ui.px(kGap);
  const float top = ui.px(42);
  const float bottom = display.y - ui.px(28);
  // Large text never takes more than a quarter of the width from the pictures.
  const float controls = std::clamp(ui.px(sizes.controls_width), display.x * 0.1F, display.x * 0.28F);
  const float left = controls + gap;
  const float right = display.x - gap;
  const auto split = [gap](float from, float to, float share) {
    return from + (to - from - gap) * std::clamp(share, 0.05F, 0.95F);
  };
  const ColumnNeeds needs = columnNeeds(ui.model);
  // In a low window occupancy and bandwidth take the whole height, right of the timeline. Where the splitters
  // are does not matter: dragging one rearranges nothing.
  const float usual_share = PanelSizes{}.timeline_share;
  const bool tall = (bottom - top - gap) * (1 - usual_share) < ui.px(needs.sum());
  float timeline_bottom = split(top, bottom, sizes.timeline_share);
  if (tall) {
    const float least =
        std::max(bottom - top - ui.px(kLeastLanesHeight), (bottom - top) * kLeastTimelineShare);
    timeline_bottom = std::max(timeline_bottom, top + std::min(ui.px(kLeastTimelineHeight), least));
  }
  const float below = timeline_bottom + gap;
  const float column = std::min(ui.px(kNarrowestColumn), (right - left) * 0.4F);
  float lanes_right = split(left, right, sizes.lanes_share);
  const float code_right = std::min(split(lanes_right + gap, right, sizes.code_share), right - column - gap);
  lanes_right = std::min(lanes_right, left + (code_right - left) * 0.9F);
  const float column_top = tall ? top : below;
  float occupancy_bottom = split(column_top, bottom, sizes.occupancy_share);
  // What one of the two has too much, the other may need; the live plot comes after all bars.
  if (bottom - column_top >= ui.px(needs.sum())) {
    const float least = column_top + ui.px(needs.occupancy);
    const float spare = ui.px(kLivePlotHeight);
    occupancy_bottom =
        std::clamp(occupancy_bottom, least, std::max(least, bottom - gap - ui.px(needs.bandwidth) - spare));
  }
  Panels panels;
  panels.toolbar = {{0, 0}, {display.x, top}};
  panels.controls = {{0, top}, {controls, bottom}};
  panels.timeline = {{left, top}, {tall ? code_right : right, timeline_bottom}};
  panels.lanes = {{left, below}, {lanes_right, bottom}};
  panels.code = {{lanes_right + gap, below}, {code_right, bottom}};
  panels.occupancy = {{code_right + gap, column_top}, {right, occupancy_bottom}};
  panels.bandwidth = {{code_right + gap, occupancy_bottom + gap}, {right, bottom}};
  panels.status = {{0, bottom}, {display.x, display.y}};
  return panels;
}

void Screen::drawSplitters(const Ui& ui, const Panels& panels, bool only_controls) {
  const float gap = ui.px(kGap);
  PanelSizes& sizes = ui.screen.panels;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  // Where the mouse is, as a share of [from, to]; a splitter moves so that its middle is under the mouse.
  const auto share = [gap](float position, float from, float to) {
    return std::clamp((position - gap / 2 - from) / std::max(to - from - gap, 1.0F), 0.08F, 0.92F);
  };
  const auto splitter = [&](const char* name, ImVec2 min, ImVec2 max, bool upright) {
    ImGui::SetCursorScreenPos(min);
    ImGui::InvisibleButton(name, ImVec2(max.x - min.x, max.y - min.y));
    ui.report.widgetOfLastItem(name);
    const bool lit = ImGui::IsItemHovered() || ImGui::IsItemActive();
    if (lit) {
      ImGui::SetMouseCursor(upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
      ImGui::GetWindowDrawList()->AddRectFilled(min, max, withAlpha(ui.theme.accent, 0.6F));
    }
    return ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 0);
  };
  const Panels& p = panels;
  if (splitter("splitter.controls", {p.controls.max.x, p.controls.min.y},
               {p.timeline.min.x, p.controls.max.y}, true)) {
    sizes.controls_width = std::clamp((mouse.x - gap / 2) / ui.theme.scale, 160.0F, 520.0F);
  }
  if (only_controls) return;
  if (splitter("splitter.timeline", {p.timeline.min.x, p.timeline.max.y}, {p.timeline.max.x, p.lanes.min.y},
               false)) {
    sizes.timeline_share = share(mouse.y, p.timeline.min.y, p.lanes.max.y);
  }
  if (splitter("splitter.lanes", {p.lanes.max.x, p.lanes.min.y}, {p.code.min.x, p.lanes.max.y}, true)) {
    sizes.lanes_share = share(mouse.x, p.lanes.min.x, p.bandwidth.max.x);
  }
  if (splitter("splitter.code", {p.code.max.x, p.occupancy.min.y}, {p.bandwidth.min.x, p.code.max.y}, true)) {
    sizes.code_share = share(mouse.x, p.code.min.x, p.bandwidth.max.x);
  }
  if (splitter("splitter.occupancy", {p.occupancy.min.x, p.occupancy.max.y},
               {p.occupancy.max.x, p.bandwidth.min.y}, false)) {
    sizes.occupancy_share = share(mouse.y, p.occupancy.min.y, p.bandwidth.max.y);
  }
}

// A view's title, at the head of its panel; a right click on it saves the view as a picture.
void Screen::drawTitle(const Ui& ui, const View& view, ImVec2 at) {
  const std::string name = std::string("view.") + view.name();
  ImGui::SetCursorScreenPos(at);
  heading(ui, tr(view.title()));
  ui.report.widgetOfLastItem(name + ".title");
  ui.report.text(name + ".title", tr(view.title()));
  helpTooltip(ui, name + ".title", "", tr("Right click saves this view as a picture."));
  const std::string popup = name + ".menu";
  if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) ImGui::OpenPopup(popup.c_str());
  if (ImGui::BeginPopup(popup.c_str())) {
    if (ImGui::MenuItem(tr("Save as PNG"))) ui.screen.save_picture = {.view = view.name()};
    ui.report.widgetOfLastItem(name + ".save");
    if (ImGui::MenuItem(tr("Save as SVG"))) ui.screen.save_picture = {.view = view.name(), .svg = true};
    ui.report.widgetOfLastItem(name + ".save_svg");
    ImGui::EndPopup();
  }
}

// What a picture shows is modelled: said on each, since each can be saved by itself.
float Screen::drawHeadBadge(const Ui& ui, const View& view, const Area& area, float room) {
  const std::shared_ptr<const Run>& run = ui.model.shown().run;
  if (run == nullptr || run->device.provenance == Provenance::kMeasured) return 0;
  const std::string name = std::string("view.") + view.name() + ".provenance";
  const char* label = badgeWidth(ui, tr("modelled")) <= room ? tr("modelled") : tr("mod.");
  const float width = badgeWidth(ui, label);
  if (width > room) return 0;
  outlinedBadge(ui, label, {area.max.x - ui.px(8) - width, area.min.y + ui.px(4)}, ui.px(kTitleHeight - 6));
  ui.report.widgetOfLastItem(name);
  helpTooltip(ui, name, tr("Modelled"),
              tr("What this panel shows comes from a model of the GPU, not from hardware: dashed lines and "
                 "outlines say so, too."));
  return width + ui.px(10);
}

void Screen::drawCaption(const Ui& ui, const View& view, const Area& area, float right) {
  const std::shared_ptr<const Run>& run = ui.model.shown().run;
  if (&view != timeline_.get() || run == nullptr) return;
  ImGui::SameLine(0, ui.px(14));
  const ImVec2 from = ImGui::GetCursorScreenPos();
  std::string text = caption(ui.model.family(), *run);
  if (ui.model.device() == nullptr) {
    text += "   " + trf("(on {})", run->device.name);
  } else if (ui.model.outdated() && !ui.model.busy()) {
    text += std::string("   ") + tr("(earlier settings)");
  }
  drawTextFitted(*ImGui::GetWindowDrawList(), ui.fonts.mono, ImVec2(from.x, area.min.y + ui.px(5)),
                 right - from.x, ui.theme.text_quiet, text.c_str());
}

void Screen::drawPanel(const Ui& ui, const ViewInput& input, View& view, const Area& area) {
  ui.report.widget(std::string("view.") + view.name(), area.min, area.max);
  ImGui::GetWindowDrawList()->AddRectFilled(area.min, area.max, ui.theme.background, ui.px(3));
  ImGui::GetWindowDrawList()->AddRect(
      area.min, area.max, ui.theme.kind == ThemeKind::kHighContrast ? ui.theme.border : ui.theme.grid_line,
      ui.px(3));
  const float top = area.min.y + ui.px(kTitleHeight);
  const float margin = ui.px(8);
  ImGui::SetCursorScreenPos(ImVec2(area.min.x + margin, top));
  ImGui::BeginChild(
      view.name(), ImVec2(area.width() - margin * 2, area.max.y - top - ui.px(kViewMargin)), false,
      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNav);
  view.draw(input, ui.model.view);
  ImGui::EndChild();
}

void Screen::drawView(const Ui& ui, const ViewInput& input, View& view, const Area& area) {
  if (area.width() < ui.px(40) || area.height() < ui.px(40)) return;
  drawPanel(ui, input, view, area);
  const ImVec2 at(area.min.x + ui.px(8), area.min.y + ui.px(5));
  const float badge =
      drawHeadBadge(ui, view, area, area.width() - ui.px(26) - titleWidth(ui, tr(view.title())));
  drawTitle(ui, view, at);
  drawCaption(ui, view, area, area.max.x - ui.px(8) - badge);
}

View* Screen::drawTab(const Ui& ui, View& tab, bool is_shown, ImVec2 at, const Area& area) {
  const float width = titleWidth(ui, tr(tab.title()));
  if (is_shown) {
    drawTitle(ui, tab, at);
    const float line = area.min.y + ui.px(kTitleHeight - 3);
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, line}, {at.x + width, line + ui.px(2)}, ui.theme.accent);
    return nullptr;
  }
  const std::string name = std::string("tab.") + tab.name();
  ImGui::SetCursorScreenPos(at);
  const bool clicked = ImGui::InvisibleButton(name.c_str(), {width, ui.px(kTitleHeight - 6)});
  ui.report.widgetOfLastItem(name);
  const ImU32 ink = ImGui::IsItemHovered() ? ui.theme.text : withAlpha(ui.theme.text_quiet, 0.75F);
  drawText(*ImGui::GetWindowDrawList(), ui.fonts.title, at, ink, tr(tab.title()));
  helpTooltip(ui, name, "", trf("Click shows {} here.", tr(tab.title())));
  return clicked ? &tab : nullptr;
}

// What had no room in a panel's head, as a menu.
View* Screen::drawHiddenTabs(const Ui& ui, std::span<View* const> hidden, const std::string& panel,
                             ImVec2 at) {
  if (hidden.empty()) return nullptr;
  const std::string name = "tabs." + panel;
  ImGui::SetCursorScreenPos(at);
  const bool clicked = ImGui::InvisibleButton(name.c_str(), {ui.px(kMoreTabsWidth), ui.px(kTitleHeight - 6)});
  ui.report.widgetOfLastItem(name);
  const ImU32 ink = ImGui::IsItemHovered() ? ui.theme.text : ui.theme.text_quiet;
  const float side = ui.px(4), x = at.x + ui.px(kMoreTabsWidth) / 2, y = at.y + ui.px(kTitleHeight - 6) / 2;
  ImGui::GetWindowDrawList()->AddTriangleFilled({x - side, y - side / 2}, {x + side, y - side / 2},
                                                {x, y + side}, ink);
  helpTooltip(ui, name, "", tr("More views for this place."));
  if (clicked) ImGui::OpenPopup(name.c_str());
  View* chosen = nullptr;
  if (ImGui::BeginPopup(name.c_str())) {
    for (View* tab : hidden) {
      if (ImGui::MenuItem(tr(tab->title()))) chosen = tab;
      ui.report.widgetOfLastItem(std::string("tab.") + tab->name());
    }
    ImGui::EndPopup();
  }
  return chosen;
}

const char* Screen::drawTabs(const Ui& ui, const ViewInput& input, std::span<View* const> views, View& shown,
                             const Area& area) {
  if (area.width() < ui.px(40) || area.height() < ui.px(40)) return nullptr;
  drawPanel(ui, input, shown, area);
  ImVec2 at(area.min.x + ui.px(8), area.min.y + ui.px(5));
  // That a picture is modelled is said before all tabs have room.
  const std::shared_ptr<const Run>& run = ui.model.shown().run;
  const bool modelled = run != nullptr && run->device.provenance == Provenance::kModelled;
  const float badge = modelled ? badgeWidth(ui, tr("mod.")) + ui.px(10) : 0;
  const float gap = ui.px(kTabGap), room = area.width() - ui.px(16) - badge;
  const auto width = [&](const View* tab) { return titleWidth(ui, tr(tab->title())) + gap; };
  float all = 0;
  for (const View* tab : views) all += width(tab);
  // The shown one always has its place; of the others as many as fit before it and behind it, in order.
  std::vector<View*> visible, hidden;
  float left = all - gap <= room ? all : room + gap - width(&shown) - ui.px(kMoreTabsWidth);
  for (View* tab : views) {
    if (all - gap <= room || tab == &shown) {
      visible.push_back(tab);
    } else if (hidden.empty() && width(tab) <= left) {
      visible.push_back(tab);
      left -= width(tab);
    } else {
      hidden.push_back(tab);
    }
  }
  View* clicked = nullptr;
  for (View* tab : visible) {
    if (View* answer = drawTab(ui, *tab, tab == &shown, at, area); answer != nullptr) clicked = answer;
    at.x += width(tab);
  }
  if (View* answer = drawHiddenTabs(ui, hidden, views.front()->name(), at); answer != nullptr)
    clicked = answer;
  if (!hidden.empty()) at.x += ui.px(kMoreTabsWidth);
  drawHeadBadge(ui, shown, area, area.max.x - ui.px(10) - at.x);
  return clicked == nullptr ? nullptr : clicked->name();
}

View& Screen::lanesTab(const Ui& ui) const {
  const auto found = std::ranges::find_if(
      lanes_tabs_, [&](const auto& view) { return ui.model.lanesTab() == view->name(); });
  return found == lanes_tabs_.end() ? *lanes_tabs_.front() : **found;
}

void Screen::drawViews(const Ui& ui, const Panels& panels) {
  Model& model = ui.model;
  ViewInput input;
  input.run = model.shown().run;
  input.layout = model.shown().layout.get();
  input.refreshing = model.busy() ? model.busyFor(ui.now_s) > kDimAfter_s : model.outdated();
  input.empty_message = emptyMessage(model);
  input.variants = model.variants();
  input.history = &model.history();
  input.lanes = model.lanes();
  input.lanes_refreshing = model.lanesRefreshing();
  input.lanes_problem = model.lanesProblem();
  input.theme = &ui.theme;
  input.fonts = &ui.fonts;
  input.report = &ui.report;
  input.copy = [&ui](const std::string& text) { copyText(ui, text); };
  drawView(ui, input, *timeline_, panels.timeline);
  View& lanes_tab = lanesTab(ui);
  if (lanes_tab.wantsLanes()) model.wantLanes();
  std::vector<View*> tabs;
  for (const auto& view : lanes_tabs_) tabs.push_back(view.get());
  if (const char* chosen = drawTabs(ui, input, tabs, lanes_tab, panels.lanes)) model.chooseLanesTab(chosen);
  drawView(ui, input, *code_, panels.code);
  const auto tabbed = [&](std::span<View* const> views, std::string& shown, const Area& area) {
    const auto seen = std::ranges::find_if(views, [&](const View* view) { return shown == view->name(); });
    if (const char* chosen = drawTabs(ui, input, views, seen == views.end() ? *views.front() : **seen, area))
      shown = chosen;
  };
  tabbed(std::array{occupancy_.get(), states_.get()}, ui.screen.upper_tab, panels.occupancy);
  std::vector<View*> lower{bandwidth_.get(), counters_.get()};
  const auto is_type = [](const ParameterSpec& spec) { return spec.role == ParameterRole::kElementType; };
  if (std::ranges::any_of(model.family().parameters, is_type)) lower.push_back(precision_.get());
  tabbed(lower, ui.screen.lower_tab, panels.bandwidth);
}

bool Screen::drawPage(const Ui& ui, const Panels& panels) {
  const ImVec2 min = panels.timeline.min, max = panels.bandwidth.max;
  const std::string& page = ui.screen.page;
  if (page != "occupancy" && page != "plots") ui.model.wantSweep(std::nullopt);
  ui.model.wantComparison(page == "compare", page == "compare" && ui.model.compare_look.race);
  if (page == "compare") {
    compare_.draw(ui, min, max);
  } else if (page == "occupancy") {
    ui.model.wantSweep(ui.model.blockSweep());
    lab_.draw(ui, min, max);
  } else if (page == "plots") {
    plots_.draw(ui, min, max);
  } else {
    drawViews(ui, panels);
    return true;
  }
  return false;
}

void Screen::draw(const Ui& ui, std::span<const KeyPress> keys) {
  handleShortcuts(ui, keys);
  const Panels panels = layOut(ui);

  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ui.theme.panel);
  ImGui::Begin("##screen", nullptr, kFixed | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(3);

  const auto panel = [&](const char* name, const Area& area, ImVec2 padding, ImGuiWindowFlags flags,
                         void (*draw_panel)(const Ui&)) {
    ImGui::PushStyleColor(ImGuiCol_ChildBg, ui.theme.panel);
    ImGui::SetCursorScreenPos(ImVec2(area.min.x + padding.x, area.min.y + padding.y));
    ImGui::BeginChild(name, ImVec2(area.width() - padding.x * 2, area.height() - padding.y * 2), false,
                      flags | ImGuiWindowFlags_NoNav);
    draw_panel(ui);
    ImGui::EndChild();
    ImGui::PopStyleColor();
    ui.report.widget(std::string("panel.") + name, area.min, area.max);
  };
  constexpr ImGuiWindowFlags kStill = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
  panel("toolbar", panels.toolbar, {0, 0}, kStill, drawToolbar);
  panel("controls", panels.controls, {ui.px(10), ui.px(8)}, 0, drawControlsPanel);
  // After toolbar and controls: choosing another family there gives the shown run and its layout up.
  const bool of_run = drawPage(ui, panels);
  panel("status", panels.status, {0, 0}, kStill, drawStatusLine);
  drawSplitters(ui, panels, !of_run);
  ImGui::End();

  drawNotes(ui, panels.timeline.min, panels.bandwidth.max);
  drawBanner(ui, panels.timeline.min, panels.bandwidth.max);
  drawNotice(ui, panels.timeline.min, panels.bandwidth.max);
  drawHelpOverlay(ui);
}

}  // namespace warpscope
