#include "app/gui/pages/page_parts.h"

namespace warpscope {

bool splitter(const Ui& ui, const char* name, const PageArea& area, bool upright) {
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
