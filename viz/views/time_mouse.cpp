#include "viz/views/time_mouse.h"

#include <algorithm>
#include <cmath>

namespace warpscope {
namespace {

constexpr double kZoomPerNotch = 1.25;
constexpr double kPanPerNotch = 60;  // pixels, for a wheel that also scrolls sideways

}  // namespace

float wheelNotches() {
  const ImGuiIO& io = ImGui::GetIO();
  return io.MouseWheel != 0 ? io.MouseWheel : (io.KeyShift ? io.MouseWheelH : 0.0F);
}

PlotMouse handlePlotMouse(WidgetReport& report, ViewState& state, const TimeExtent& launch,
                          const TimeScale& scale, const char* name, ImVec2 min, ImVec2 max, PlotDrag drag) {
  ImGui::SetCursorScreenPos(min);
  ImGui::InvisibleButton(name, {std::max(1.0F, max.x - min.x), std::max(1.0F, max.y - min.y)},
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle);
  report.widget(name, min, max);
  const ImGuiIO& io = ImGui::GetIO();
  PlotMouse mouse;
  mouse.hovered = ImGui::IsItemHovered();
  const float threshold = io.MouseDragThreshold;
  const int button = ImGui::IsMouseDown(ImGuiMouseButton_Middle) ? 2 : 0;
  const bool dragged = io.MouseDragMaxDistanceSqr[button] > threshold * threshold;
  if (ImGui::IsItemActivated()) rememberZoom(state);
  mouse.pressed = ImGui::IsItemActivated() && button == 0;
  const bool moves = drag == PlotDrag::kMoves || button == 2 || io.KeyCtrl;
  mouse.selecting = ImGui::IsItemActive() && dragged && !moves;
  if (ImGui::IsItemActive() && dragged && moves) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
    if (io.MouseDelta.x != 0)
      panBy(state, launch, -static_cast<double>(io.MouseDelta.x) * scale.cyclesPerPixel());
    mouse.dragged_y = io.MouseDelta.y;
  }
  mouse.clicked = ImGui::IsItemDeactivated() && !dragged && io.MouseReleased[0];
  mouse.double_clicked = mouse.hovered && ImGui::IsMouseDoubleClicked(0);
  if (mouse.hovered && !io.KeyCtrl && !io.KeyShift) {
    if (io.MouseWheel != 0) {
      rememberGesture(state, ImGui::GetTime());
      zoomAround(state, launch, scale.cycles(io.MousePos.x),
                 std::pow(kZoomPerNotch, -static_cast<double>(io.MouseWheel)));
    }
    if (io.MouseWheelH != 0) {
      rememberGesture(state, ImGui::GetTime());
      panBy(state, launch, -static_cast<double>(io.MouseWheelH) * kPanPerNotch * scale.cyclesPerPixel());
    }
  }
  return mouse;
}

}  // namespace warpscope
