#include "viz/widgets/scrollbar.h"

#include <algorithm>

namespace warpscope {

std::optional<double> verticalScrollbar(const Theme& theme, const char* name, ImVec2 min, ImVec2 max,
                                        double position, double visible, double whole) {
  if (visible >= whole || max.y - min.y < 1) return std::nullopt;
  ImGui::SetCursorScreenPos(min);
  ImGui::InvisibleButton(name, {std::max(1.0F, max.x - min.x), max.y - min.y});
  const double height = max.y - min.y;
  const double grab = std::min(height, std::max(theme.px(24) * 1.0, height * visible / whole));
  const double per_pixel = (whole - visible) / std::max(1.0, height - grab);
  const auto top = static_cast<float>(min.y + std::clamp(position / per_pixel, 0.0, height - grab));
  const bool bright = ImGui::IsItemHovered() || ImGui::IsItemActive();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(min, max, theme.grid_line, theme.px(4));
  list.AddRectFilled({min.x + theme.px(2), top}, {max.x - theme.px(2), top + static_cast<float>(grab)},
                     ImGui::GetColorU32(bright ? ImGuiCol_ScrollbarGrabHovered : ImGuiCol_ScrollbarGrab),
                     theme.px(4));
  if (!ImGui::IsItemActive()) return std::nullopt;
  const ImGuiIO& io = ImGui::GetIO();
  // A press beside the thumb moves it to the mouse; then it follows the mouse's movement.
  const bool beside = io.MousePos.y < top || io.MousePos.y > top + static_cast<float>(grab);
  const double moved =
      ImGui::IsItemActivated() && beside ? (io.MousePos.y - top - grab / 2) : io.MouseDelta.y;
  return std::clamp(position + moved * per_pixel, 0.0, whole - visible);
}

}  // namespace warpscope
