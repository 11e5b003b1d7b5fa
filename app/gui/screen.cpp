#include <algorithm>

#include "app/gui/files.h"
#include "app/gui/find/find_go.h"
#include "app/gui/pages/page_parts.h"
#include "app/gui/pages/pages.h"
#include "app/gui/panels.h"

namespace warpscope {
namespace {

constexpr float kToolbarHeight = 42, kStatusHeight = 28;  // pixels at 100 %

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav;

struct Areas {
  PageArea toolbar, controls, page, status;
};

Areas layOut(const Ui& ui) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float gap = ui.px(kPanelGap);
  const float top = ui.px(kToolbarHeight);
  const float bottom = display.y - ui.px(kStatusHeight);
  // Large text never takes more than a quarter of the width from the pictures.
  const float controls =
      std::clamp(ui.px(ui.screen.panels.controls_width), display.x * 0.1F, display.x * 0.28F);
  return {.toolbar = {{0, 0}, {display.x, top}},
          .controls = {{0, top}, {controls, bottom}},
          .page = {{controls + gap, top}, {display.x - gap, bottom}},
          .status = {{0, bottom}, {display.x, display.y}}};
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
  page.draw(ui, area.min, area.max);
}

void drawControlsSplitter(const Ui& ui, const Areas& areas) {
  const PageArea bar{{areas.controls.max.x, areas.controls.min.y}, {areas.page.min.x, areas.controls.max.y}};
  if (!splitter(ui, "splitter.controls", bar, true)) return;
  const float middle = ImGui::GetIO().MousePos.x - ui.px(kPanelGap) / 2;
  ui.screen.panels.controls_width = std::clamp(middle / ui.theme.scale, 160.0F, 520.0F);
}

}  // namespace

void drawScreen(const Ui& ui, std::span<const KeyPress> keys) {
  handleShortcuts(ui, keys);
  continueWalk(ui);
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

  constexpr ImGuiWindowFlags kStill = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
  panel(ui, "toolbar", areas.toolbar, {0, 0}, kStill, drawToolbar);
  panel(ui, "controls", areas.controls, {ui.px(10), ui.px(8)}, 0, drawControlsPanel);
  // The page comes after toolbar and controls, because choosing another family there discards the shown run
  // and its layout.
  drawPage(ui, areas.page);
  panel(ui, "status", areas.status, {0, 0}, kStill, drawStatusLine);
  drawControlsSplitter(ui, areas);
  ImGui::End();

  drawNotes(ui, areas.page.min, areas.page.max);
  drawWalk(ui, areas.page.min, areas.page.max);
  drawBanner(ui, areas.page.min, areas.page.max);
  drawNotice(ui, areas.page.min, areas.page.max);
  drawKeyList(ui);
}

}  // namespace warpscope
