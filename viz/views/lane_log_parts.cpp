#include "viz/views/lane_log_parts.h"

#include "kernels/core/units.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {

bool drawMissingLog(const ViewInput& input) {
  const Theme& theme = *input.theme;
  if (!input.run) {
    drawMessage(theme, *input.fonts, input.empty_message);
  } else if (!input.lanes_problem.empty()) {
    drawMessage(theme, *input.fonts, input.lanes_problem);
  } else if (!input.lanes || input.lanes->warps.empty()) {
    drawMessage(theme, *input.fonts, tr("Executing the kernel to see what its lanes access ..."));
  } else {
    return false;
  }
  return true;
}

const LoggedWarp& shownLoggedWarp(const LaneLog& log, const ViewState& state) {
  if (state.selected_warp) {
    const LoggedWarp* found = log.find(state.selected_warp->block, state.selected_warp->warp_in_block);
    if (found != nullptr) return *found;
  }
  return log.warps.front();
}

std::string threadText(const ThreadIndex& thread) {
  return fmt::format("({}, {}, {})", thread.x, thread.y, thread.z);
}

std::string lanesText(LaneMask lanes) {
  if (lanes == kFullMask) return tr("all 32");
  std::string text;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (!lanes.has(lane)) continue;
    int last = lane;
    while (last + 1 < kWarpSize && lanes.has(last + 1)) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", lane);
    if (last > lane) text += fmt::format("{}{}", last == lane + 1 ? ", " : "–", last);
    lane = last;
  }
  return text.empty() ? tr("none") : text;
}

std::string warpText(const LoggedWarp& warp) {
  return trf("block {}, warp {}", formatCount(warp.block.value), warp.warp_in_block);
}

float simulatedBadgeWidth(const ViewInput& input, const char* label) {
  return textSize(input.fonts->text, label).x + input.theme->px(14);
}

float drawSimulatedBadge(const ViewInput& input, const char* label, float right, float y) {
  const Theme& theme = *input.theme;
  const ImVec2 text = textSize(input.fonts->text, label);
  const ImVec2 min{right - text.x - theme.px(14), y};
  const ImVec2 max{right, y + text.y + theme.px(4)};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRect(min, max, theme.text_quiet, (max.y - min.y) / 2, 0, theme.px(1.2F));
  drawText(list, input.fonts->text, {min.x + theme.px(7), min.y + theme.px(2)}, theme.text, label);
  input.report->widget("lanes.simulated", min, max);
  if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(min, max)) {
    Tooltip tooltip(theme, *input.fonts, label);
    tooltip.note(
        tr("A launch cannot report what its individual lanes accessed or exchanged. This comes from "
           "executing the same kernel, with the same arguments and the same grid, on a simulated GPU. "
           "Whatever depends on the order in which warps run may differ from the run that is shown."));
  }
  return min.x;
}

void dimIfOld(const ViewInput& input, ImVec2 min, ImVec2 max) {
  if (!input.refreshing && !input.lanes_refreshing) return;
  ImGui::GetWindowDrawList()->AddRectFilled(min, max, withAlpha(input.theme->background, 0.5F));
}

InkScale inkScale(const Theme& theme) {
  return {mixColours(theme.background, theme.text, 0.86F), mixColours(theme.background, theme.text, 0.52F),
          mixColours(theme.background, theme.text, 0.20F), mixColours(theme.background, theme.text, 0.40F)};
}

}  // namespace warpscope
