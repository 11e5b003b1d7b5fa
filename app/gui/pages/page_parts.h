// The building blocks of pages: areas cut into columns and rows, panels with a heading, and bars between
// panels.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/gui/page_area.h"
#include "app/gui/ui.h"
#include "viz/widgets/axis.h"

namespace warpscope {

inline constexpr float kPanelGap = 5, kPanelTitle = 25, kPanelMargin = 8;  // pixels at 100 %

// Cuts an area into columns or rows, by shares.
inline std::vector<PageArea> cutArea(const PageArea& area, bool columns, std::span<const float> shares,
                                     float gap) {
  float sum = 0;
  for (const float share : shares) sum += share;
  const float whole = (columns ? area.width() : area.height()) - gap * static_cast<float>(shares.size() - 1);
  std::vector<PageArea> parts;
  float at = columns ? area.min.x : area.min.y;
  for (const float share : shares) {
    const float length = whole * share / sum;
    parts.push_back(columns ? PageArea{{at, area.min.y}, {at + length, area.max.y}}
                            : PageArea{{area.min.x, at}, {area.max.x, at + length}});
    at += length + gap;
  }
  return parts;
}

// A bar between two panels that the mouse can drag; an `upright` one moves sideways. True while it is
// dragged.
bool splitter(const Ui& ui, const char* name, const PageArea& area, bool upright);

// Makes a panel's title what a double click on shows the panel alone, and again in its place. `at`: the
// title's rectangle. `more`: what else the tooltip says.
void titleButton(const Ui& ui, const std::string& name, const PageArea& at, const std::string& more = "");

// Draws a panel with its heading, reported as "view.NAME", where the stage wants it; `draw` gets the size
// inside.
void pagePanel(const Ui& ui, const std::string& name, const std::string& title, const PageArea& usual,
               ImGuiWindowFlags flags, const auto& draw) {
  const auto place = ui.screen.stage.place(name.c_str(), title.c_str(), usual);
  if (!place) return;
  const PageArea& area = *place;
  ui.report.widget("view." + name, area.min, area.max);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(area.min, area.max, ui.theme.background, ui.px(3));
  list.AddRect(area.min, area.max,
               ui.theme.kind == ThemeKind::kHighContrast ? ui.theme.border : ui.theme.grid_line, ui.px(3));
  drawTextFitted(list, ui.fonts.title, {area.min.x + ui.px(kPanelMargin), area.min.y + ui.px(5)},
                 area.width() - 2 * ui.px(kPanelMargin), ui.theme.text_quiet, title.c_str());
  titleButton(ui, name,
              {{area.min.x + ui.px(kPanelMargin), area.min.y + ui.px(3)},
               {area.max.x - ui.px(kPanelMargin), area.min.y + ui.px(kPanelTitle - 2)}});
  const ImVec2 from(area.min.x + ui.px(kPanelMargin), area.min.y + ui.px(kPanelTitle));
  const ImVec2 room(area.width() - 2 * ui.px(kPanelMargin), area.max.y - from.y - ui.px(6));
  if (room.x < ui.px(30) || room.y < ui.px(20)) return;
  ImGui::SetCursorScreenPos(from);
  ImGui::BeginChild(name.c_str(), room, false, flags | ImGuiWindowFlags_NoNav);
  draw(room);
  ImGui::EndChild();
}

}  // namespace warpscope
