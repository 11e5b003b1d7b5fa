#include <algorithm>

#include "app/gui/files.h"
#include "app/gui/find/find_go.h"
#include "app/gui/fold_row.h"
#include "app/gui/lesson/lessons.h"
#include "app/gui/note_editor.h"
#include "app/gui/pages/page_parts.h"
#include "app/gui/pages/pages.h"
#include "app/gui/panels.h"
#include "app/gui/start_page.h"

namespace warpscope {
namespace {

constexpr float kToolbarHeight = 42, kThinToolbarHeight = 32, kStatusHeight = 28;  // pixels at 100 %

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav;
constexpr ImGuiWindowFlags kStill = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;

struct Areas {
  PageArea toolbar, controls, page, status;
  PageArea lesson;    // empty while no lesson is open
  bool tabs = false;  // controls and panels share the page's area
};

// Where the lesson is: right of everything else or, in presenter mode, below the one view. What remains of
// the display is its return value.
ImVec2 roomBesideLesson(const Ui& ui, ImVec2 display, PageArea& lesson) {
  if (!ui.lessons.isOpen()) return display;
  constexpr float kShareOfWidth = 0.27F, kLeastWidth = 280, kMostWidth = 460;
  // A question needs more room than a caption, and a hidden picture less.
  constexpr float kShareOfHeight = 0.44F, kShareOfQuestion = 0.8F;
  const bool presenting = ui.lessons.presenting();
  if (presenting) {
    const float top =
        display.y * (1 - (ui.lessons.model().hidesPicture() ? kShareOfQuestion : kShareOfHeight));
    lesson = {{0, top}, display};
    return {display.x, top};
  }
  const float width = std::min(std::clamp(display.x * kShareOfWidth, ui.px(kLeastWidth), ui.px(kMostWidth)),
                               display.x * 0.5F);
  lesson = {{display.x - width, ui.px(kToolbarHeight)}, {display.x, display.y - ui.px(kStatusHeight)}};
  return {display.x - width - ui.px(kPanelGap), display.y};
}

Areas layOut(const Ui& ui) {
  const ImVec2 whole = ImGui::GetIO().DisplaySize;
  PageArea lesson;
  const ImVec2 display = roomBesideLesson(ui, whole, lesson);
  const float gap = ui.px(kPanelGap);
  if (!ui.screen.stage.alone().empty()) {
    const float top = ui.px(kThinToolbarHeight);
    if (!ui.lessons.presenting() && lesson.width() > 0) lesson = {{lesson.min.x, top}, whole};
    return {.toolbar = {{0, 0}, {whole.x, top}},
            .controls = {},
            .page = {{0, top}, display},
            .status = {},
            .lesson = lesson};
  }
  const float top = ui.px(kToolbarHeight);
  const float bottom = display.y - ui.px(kStatusHeight);
  const ImVec2 least = ui.pages.find(ui.screen.page).leastSize();
  const bool tabs = display.x < ui.px(least.x) || display.y < ui.px(least.y);
  const float usual = ui.px(ui.screen.panels.controls_width);
  // Large text never takes more than a quarter of the width from the pictures.
  const float controls = tabs ? 0 : std::clamp(usual, display.x * 0.1F, display.x * 0.28F);
  return {.toolbar = {{0, 0}, {whole.x, top}},
          .controls = {{0, top}, {controls, bottom}},
          .page = {{tabs ? 0 : controls + gap, top}, {tabs ? display.x : display.x - gap, bottom}},
          .status = {{0, bottom}, whole},
          .lesson = lesson,
          .tabs = tabs};
}

void panel(const Ui& ui, const char* name, const PageArea& area, ImVec2 padding, ImGuiWindowFlags flags,
           void (*draw_panel)(const Ui&)) {
  ImGui::PushStyleColor(ImGuiCol_ChildBg, ui.theme.panel);
  ImGui::SetCursorScreenPos(ImVec2(area.min.x + padding.x, area.min.y + padding.y));
  ImGui::BeginChild(name, ImVec2(area.width() - padding.x * 2, area.height() - padding.y * 2), false,
                    flags | ImGuiWindowFlags_NoNav);
  draw_panel(ui);
  ImGui::EndChild();
  ImGui::PopStyleColor();
  ui.report.widget(std::string("panel.") + name, area.min, area.max);
}

void drawPage(const Ui& ui, const PageArea& area) {
  Page& page = ui.pages.find(ui.screen.page);
  const PageNeeds needs = page.needs(ui);
  ui.model.wantSweep(needs.sweep);
  ui.model.wantComparison(needs.comparison, needs.race);
  if (needs.lanes) ui.model.wantLanes();
  if (needs.values) ui.model.wantValues();
  if (needs.selection) ui.model.wantSelection();
  page.draw(ui, area.min, area.max);
}

// The panels of a small window, as a row of tabs; returns what remains of the area.
PageArea drawPanelTabs(const Ui& ui, PageArea area) {
  Stage& stage = ui.screen.stage;
  std::vector<FoldItem> items;
  for (const Stage::Panel& panel : stage.panels()) {
    const bool shown = panel.name == stage.tab();
    items.push_back(fixedItem(buttonWidth(panel.title.c_str()), shown ? 0 : 1, ui.px(2), [&, shown](float) {
      if (!button(ui, "stage." + panel.name, panel.title.c_str(),
                  shown ? ButtonLook::kOn : ButtonLook::kQuiet))
        return;
      stage.chooseTab(panel.name);
      ImGui::CloseCurrentPopup();
    }));
  }
  const float margin = ui.px(6);
  ImGui::SetCursorScreenPos({area.min.x + margin, area.min.y});
  drawFoldingRow(ui, "stage", area.width() - 2 * margin, items);
  area.min.y += ImGui::GetFrameHeight() + ui.px(3);
  return area;
}

// The page with the controls beside it, or behind tabs with it.
void drawPageAndControls(const Ui& ui, const Areas& areas) {
  Stage& stage = ui.screen.stage;
  const auto controls = [&](const PageArea& area) {
    panel(ui, "controls", area, {ui.px(10), ui.px(8)}, 0, drawControlsPanel);
  };
  // The settings tell what theory expects, so they are hidden, too.
  if (ui.lessons.model().hidesPicture())
    return drawHiddenPicture(ui, {areas.tabs ? areas.page.min : ImVec2(0, areas.page.min.y), areas.page.max});
  // The toolbar may have chosen another page; the areas are for the one before.
  if (stage.enter(ui.pages.find(ui.screen.page).name())) redrawIn(ui, 0);
  PageArea area = areas.page;
  if (areas.tabs) area = drawPanelTabs(ui, area);
  stage.begin(area, areas.tabs);
  if (areas.controls.width() > 0) controls(areas.controls);
  // The page comes after toolbar and controls, because choosing another family there discards the shown run
  // and its layout.
  drawPage(ui, area);
  if (areas.tabs) {
    if (const auto place = stage.place("controls", tr("SETTINGS"), area)) controls(*place);
  }
  if (stage.end()) redrawIn(ui, 0);
}

void drawControlsSplitter(const Ui& ui, const Areas& areas) {
  const PageArea bar{{areas.controls.max.x, areas.controls.min.y}, {areas.page.min.x, areas.controls.max.y}};
  if (areas.controls.width() <= 0 || !splitter(ui, "splitter.controls", bar, true)) return;
  const float middle = ImGui::GetIO().MousePos.x - ui.px(kPanelGap) / 2;
  ui.screen.panels.controls_width = std::clamp(middle / ui.theme.scale, 160.0F, 520.0F);
}

}  // namespace

void drawScreen(const Ui& ui, std::span<const KeyPress> keys) {
  handleShortcuts(ui, keys);
  continueWalk(ui);
  ui.screen.stage.enter(ui.pages.find(ui.screen.page).name());
  const Areas areas = layOut(ui);

  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ui.theme.panel);
  ImGui::Begin("##screen", nullptr, kFixed | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(3);

  panel(ui, "toolbar", areas.toolbar, {0, 0}, kStill, drawToolbar);
  drawPageAndControls(ui, areas);
  if (areas.status.height() > 0) panel(ui, "status", areas.status, {0, 0}, kStill, drawStatusLine);
  drawControlsSplitter(ui, areas);
  if (areas.lesson.width() > 0) drawLessonPanel(ui, areas.lesson);
  ImGui::End();

  drawNotes(ui, areas.page.min, areas.page.max);
  drawWalk(ui, areas.page.min, areas.page.max);
  if (&ui.pages.find(ui.screen.page) == &ui.pages.first() && !ui.lessons.model().hidesPicture())
    drawPlayback(ui, areas.page.min, areas.page.max);
  if (&ui.pages.find(ui.screen.page) == &ui.pages.first()) drawNoteEditor(ui, areas.page.min, areas.page.max);
  if (ui.lessons.presenting()) drawInk(ui, areas.page);
  drawItemMenu(ui);
  drawBanner(ui, areas.page.min, areas.page.max);
  drawNotice(ui, areas.page.min, areas.page.max);
  drawStartPage(ui);
  drawKeyList(ui);
}

}  // namespace warpscope
