#include "app/gui/pages/page_parts.h"

#include <algorithm>

#include "app/gui/find/find_go.h"

namespace warpscope {
namespace {

std::string eitherOf(const std::string& one, const std::string& other) {
  return one.empty() || other.empty() ? one + other : trf("{} or {}", one, other);
}

}  // namespace

void titleButton(const Ui& ui, const std::string& name, const PageArea& at, const std::string& more) {
  const std::string id = "view." + name + ".title";
  ImGui::SetCursorScreenPos(at.min);
  ImGui::InvisibleButton(id.c_str(), {std::max(at.width(), 1.0F), std::max(at.height(), 1.0F)});
  ui.report.widgetOfLastItem(id);
  const bool alone = !ui.screen.stage.alone().empty();
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    ui.screen.stage.toggleAlone(name);
    redrawIn(ui, 0);
  }
  // A walk through hits that began since ends first.
  const bool walks = ui.screen.find.walked && !aloneSinceWalk(ui);
  std::string keys = ui.actions.shownKeys("window.single");
  if (alone && !walks) keys = eitherOf(keys, ui.actions.shownKeys("window.back"));
  keys = eitherOf(tr("Double click"), keys);
  const std::string back = alone ? trf("{}: back to all views.", keys) : trf("{}: this view alone.", keys);
  helpTooltip(ui, id, "", more.empty() ? back : more + "\n" + back);
}

bool splitter(const Ui& ui, const char* name, const PageArea& area, bool upright) {
  if (ui.screen.stage.single() || area.width() <= 0 || area.height() <= 0) return false;
  ImGui::SetCursorScreenPos(area.min);
  ImGui::InvisibleButton(name, ImVec2(area.width(), area.height()));
  ui.report.widgetOfLastItem(name);
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
    ImGui::SetMouseCursor(upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    ImGui::GetWindowDrawList()->AddRectFilled(area.min, area.max, withAlpha(ui.theme.accent, 0.6F));
  }
  return ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 0);
}

}  // namespace warpscope
