#include "viz/widgets/plot_handle.h"

#include <algorithm>
#include <cmath>

namespace warpscope {
namespace {

constexpr float kGrasp = 10;                                // pixels at 100 %
constexpr float kRadius = 5.5F, kRing = 9, kHeldRing = 11;  // pixels at 100 %

}  // namespace

HandleAnswer drawHandle(PlotFrame& plot, const PlotHandle& handle) {
  HandleAnswer answer;
  const Theme& theme = plot.theme();
  const ImVec2 at = plot.toScreen(handle.at.x, handle.at.y), mouse = ImGui::GetIO().MousePos;
  const float reach = theme.px(kGrasp);
  answer.min = {at.x - reach, at.y - reach};
  answer.max = {at.x + reach, at.y + reach};
  const bool near = plot.near() && std::hypot(mouse.x - at.x, mouse.y - at.y) <= reach;

  const ImGuiID id = ImGui::GetID(handle.name);
  if (plot.pressed() && plot.holder() == 0 && (near || (handle.anywhere && plot.hovered()))) {
    // Pressing on the point does not move it.
    plot.holdBy(id, near ? mouse.x - at.x : 0);
  }
  answer.held = plot.held() && plot.holder() == id;
  answer.hovered = near && (!plot.held() || answer.held);
  if (answer.held) {
    const float x = std::clamp(mouse.x - plot.holdOffset(), plot.areaMin().x, plot.areaMax().x);
    answer.moved_to = plot.xAt(x);
  }
  const bool graspable = handle.anywhere && plot.hovered() && !plot.held();
  if (answer.hovered || answer.held || graspable) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);

  if (!plot.holds(handle.at.x, handle.at.y)) return answer;
  ImDrawList& list = plot.drawList();
  if (answer.hovered || answer.held) {
    list.AddCircleFilled(at, theme.px(answer.held ? kHeldRing : kRing), withAlpha(handle.look.colour, 0.30F));
  }
  drawMark(theme, list, at, handle.look, kRadius);
  list.AddCircle(at, theme.px(answer.held ? kHeldRing : kRing), theme.text, 0,
                 theme.px(answer.hovered || answer.held ? 1.5F : 1.0F));
  return answer;
}

}  // namespace warpscope
