#include "app/gui/pages/view_panel.h"

#include <memory>
#include <vector>

#include "viz/text/translate.h"
#include "viz/widgets/axis.h"

namespace warpscope {
namespace {

constexpr double kDimAfter_s = 0.1;  // a faster launch is not worth a flicker

std::string emptyMessage(const Model& model) {
  if (model.devices().listing()) return tr("Looking for devices ...");
  if (model.devices().opening()) return trf("Opening {} ...", model.devices().id());
  if (model.devices().description() == nullptr) return tr("No device is open: choose one in the toolbar.");
  if (model.feed().busy()) return tr("Running for the first time ...");
  if (model.impossible() != nullptr) return tr("These settings are impossible here: see the left panel.");
  if (model.problem()) return tr("The run failed: change a setting, or try again.");
  return tr("No run yet: press ▶ Run.");
}

constexpr float kPanelMarginBelow = 6, kTabGap = 12, kMoreTabsWidth = 16;  // pixels at 100 %

float titleWidth(const Ui& ui, const char* title) {
  return textSize(ui.fonts.title, title).x;
}

// Draws a view's title, at the head of its panel; a right click on it saves the view as a picture.
void drawTitle(const Ui& ui, const View& view, ImVec2 at) {
  const std::string name = std::string("view.") + view.name();
  ImGui::SetCursorScreenPos(at);
  heading(ui, tr(view.title()));
  titleButton(ui, view.name(), {ImGui::GetItemRectMin(), ImGui::GetItemRectMax()},
              tr(view.help()) + std::string("\n") + tr("Right click saves this view as a picture."));
  ui.report.text(name + ".title", tr(view.title()));
  const std::string popup = name + ".menu";
  if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) ImGui::OpenPopup(popup.c_str());
  if (ImGui::BeginPopup(popup.c_str())) {
    const auto save = [&](const char* label, const char* item, bool svg) {
      if (ImGui::MenuItem(label)) {
        ui.screen.files.wish = &fileAction(svg ? "svg" : "png");
        ui.screen.files.wish_view = view.name();
      }
      ui.report.widgetOfLastItem(name + item);
    };
    save(tr("Save as PNG ..."), ".save", false);
    save(tr("Save as SVG ..."), ".save_svg", true);
    ImGui::EndPopup();
  }
}

// Each panel says by itself that its picture is modelled, because each can be saved alone. Returns the width
// of what it drew at the right end of the panel's head; 0: nothing.
float drawHeadBadge(const Ui& ui, const View& view, const PageArea& area, float room) {
  const std::shared_ptr<const Run>& run = ui.model.feed().shown().run;
  if (run == nullptr || run->device.provenance == Provenance::kMeasured) return 0;
  const std::string name = std::string("view.") + view.name() + ".provenance";
  const char* label = badgeWidth(ui, tr("modelled")) <= room ? tr("modelled") : tr("mod.");
  const float width = badgeWidth(ui, label);
  if (width > room) return 0;
  outlinedBadge(ui, label, {area.max.x - ui.px(8) - width, area.min.y + ui.px(4)}, ui.px(kPanelTitle - 6));
  ui.report.widgetOfLastItem(name);
  helpTooltip(ui, name, tr("Modelled"),
              tr("What this panel shows comes from a model of the GPU, not from hardware; dashed lines and "
                 "outlines mark this, too."));
  return width + ui.px(10);
}

void drawPanel(const Ui& ui, const ViewInput& input, View& view, const PageArea& area) {
  ui.report.widget(std::string("view.") + view.name(), area.min, area.max);
  ImGui::GetWindowDrawList()->AddRectFilled(area.min, area.max, ui.theme.background, ui.px(3));
  ImGui::GetWindowDrawList()->AddRect(
      area.min, area.max, ui.theme.kind == ThemeKind::kHighContrast ? ui.theme.border : ui.theme.grid_line,
      ui.px(3));
  const float top = area.min.y + ui.px(kPanelTitle);
  const float margin = ui.px(8);
  ImGui::SetCursorScreenPos(ImVec2(area.min.x + margin, top));
  ImGui::BeginChild(
      view.name(), ImVec2(area.width() - margin * 2, area.max.y - top - ui.px(kPanelMarginBelow)), false,
      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNav);
  view.draw(input, ui.model.view);
  ImGui::EndChild();
}

View* drawTab(const Ui& ui, View& tab, bool is_shown, ImVec2 at, const PageArea& area) {
  const float width = titleWidth(ui, tr(tab.title()));
  if (is_shown) {
    drawTitle(ui, tab, at);
    const float line = area.min.y + ui.px(kPanelTitle - 3);
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, line}, {at.x + width, line + ui.px(2)}, ui.theme.accent);
    return nullptr;
  }
  const std::string name = std::string("tab.") + tab.name();
  ImGui::SetCursorScreenPos(at);
  const bool clicked = ImGui::InvisibleButton(name.c_str(), {width, ui.px(kPanelTitle - 6)});
  ui.report.widgetOfLastItem(name);
  const ImU32 ink = ImGui::IsItemHovered() ? ui.theme.text : withAlpha(ui.theme.text_quiet, 0.75F);
  drawText(*ImGui::GetWindowDrawList(), ui.fonts.title, at, ink, tr(tab.title()));
  helpTooltip(ui, name, tr(tab.title()), tr(tab.help()));
  return clicked ? &tab : nullptr;
}

// A menu of the tabs that had no room in the panel's head.
View* drawHiddenTabs(const Ui& ui, std::span<View* const> hidden, const std::string& panel, ImVec2 at) {
  if (hidden.empty()) return nullptr;
  const std::string name = "tabs." + panel;
  ImGui::SetCursorScreenPos(at);
  const bool clicked = ImGui::InvisibleButton(name.c_str(), {ui.px(kMoreTabsWidth), ui.px(kPanelTitle - 6)});
  ui.report.widgetOfLastItem(name);
  const ImU32 ink = ImGui::IsItemHovered() ? ui.theme.text : ui.theme.text_quiet;
  const float side = ui.px(4), x = at.x + ui.px(kMoreTabsWidth) / 2, y = at.y + ui.px(kPanelTitle - 6) / 2;
  ImGui::GetWindowDrawList()->AddTriangleFilled({x - side, y - side / 2}, {x + side, y - side / 2},
                                                {x, y + side}, ink);
  helpTooltip(ui, name, "", tr("More views for this panel."));
  if (clicked) ImGui::OpenPopup(name.c_str());
  View* chosen = nullptr;
  if (ImGui::BeginPopup(name.c_str())) {
    for (View* tab : hidden) {
      if (ImGui::MenuItem(tr(tab->title()))) chosen = tab;
      const std::string item = std::string("tab.") + tab->name();
      ui.report.widgetOfLastItem(item);
      helpTooltip(ui, item, tr(tab->title()), tr(tab->help()));
    }
    ImGui::EndPopup();
  }
  return chosen;
}

}  // namespace

void drawViewPanel(const Ui& ui, const ViewInput& input, View& view, const PageArea& usual,
                   const std::string& caption) {
  const auto place = ui.screen.stage.place(view.name(), tr(view.title()), usual);
  if (!place) return;
  const PageArea& area = *place;
  if (area.width() < ui.px(40) || area.height() < ui.px(40)) return;
  drawPanel(ui, input, view, area);
  const ImVec2 at(area.min.x + ui.px(8), area.min.y + ui.px(5));
  const float badge =
      drawHeadBadge(ui, view, area, area.width() - ui.px(26) - titleWidth(ui, tr(view.title())));
  drawTitle(ui, view, at);
  if (caption.empty()) return;
  const ImVec2 from(at.x + titleWidth(ui, tr(view.title())) + ui.px(14), at.y);
  const float right = area.max.x - ui.px(8) - badge;
  drawTextFitted(*ImGui::GetWindowDrawList(), ui.fonts.mono, ImVec2(from.x, area.min.y + ui.px(5)),
                 right - from.x, ui.theme.text_quiet, caption.c_str());
}

const char* drawTabbedPanel(const Ui& ui, const ViewInput& input, std::span<View* const> views, View& shown,
                            const PageArea& usual) {
  std::vector<const char*> names;
  for (const View* view : views) names.push_back(view->name());
  const auto place = ui.screen.stage.place(names, shown.name(), tr(shown.title()), usual);
  if (!place) return nullptr;
  const PageArea& area = *place;
  if (area.width() < ui.px(40) || area.height() < ui.px(40)) return nullptr;
  drawPanel(ui, input, shown, area);
  ImVec2 at(area.min.x + ui.px(8), area.min.y + ui.px(5));
  // The badge that says "modelled" takes precedence over tabs.
  const std::shared_ptr<const Run>& run = ui.model.feed().shown().run;
  const bool modelled = run != nullptr && run->device.provenance == Provenance::kModelled;
  const float badge = modelled ? badgeWidth(ui, tr("mod.")) + ui.px(10) : 0;
  const float gap = ui.px(kTabGap), room = area.width() - ui.px(16) - badge;
  const auto width = [&](const View* tab) { return titleWidth(ui, tr(tab->title())) + gap; };
  float all = 0;
  for (const View* tab : views) all += width(tab);
  // The shown tab always has a place; the others follow in order as far as they fit.
  std::vector<View*> visible, hidden;
  float left = all - gap <= room ? all : room - width(&shown) - ui.px(kMoreTabsWidth);
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

ViewInput runViewInput(const Ui& ui, std::function<void(const std::string&)> show_view) {
  Model& model = ui.model;
  const RunFeed& feed = model.feed();
  ViewInput input;
  static_cast<Canvas&>(input) = ui.canvas();
  input.run = feed.shown().run;
  input.layout = feed.shown().layout.get();
  input.rows = model.rowOrder();
  input.refreshing = feed.busy() ? feed.busyFor(ui.now_s) > kDimAfter_s : model.outdated();
  input.empty_message = emptyMessage(model);
  input.variants = feed.variants();
  input.history = &feed.history();
  if (const auto& metrics = model.selection().metrics(); !metrics.empty()) {
    input.selected = metrics.front();
    input.pinned.assign(metrics.begin() + 1, metrics.end());
  }
  input.lanes = model.lanes().log();
  input.lanes_refreshing = model.lanes().refreshing(feed.shown().run);
  input.lanes_problem = model.lanes().problem();
  input.values = model.values().log();
  input.values_refreshing = model.values().refreshing(feed.shown().run);
  input.values_problem = model.values().problem();
  input.begin_edit = [&model = ui.model] { model.beginEdit(); };
  input.pick = [&ui](const ShownItem& item) { pickItem(ui, item, true); };
  input.copy = [&ui](const std::string& text) { copyText(ui, text); };
  input.show_view = std::move(show_view);
  input.select_variant = [&ui](const std::string& variant) { ui.model.selectVariant(variant); };
  input.use_work = [&ui](double times) {
    if (const auto size = ui.model.sizeForWork(times)) ui.model.useSize(*size);
  };
  return input;
}

}  // namespace warpscope
