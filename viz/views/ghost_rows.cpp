#include "viz/views/ghost_rows.h"

#include <algorithm>
#include <cmath>

#include "kernels/core/units.h"
#include "viz/layout/row_order.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"

namespace warpscope {
namespace {

// Cycles of the present run in one of the other's; 0: their clocks cannot be related.
double cyclesOf(const Run& present, const Run& other) {
  const double here = present.trace.clocks.cycles_per_ns, there = other.trace.clocks.cycles_per_ns;
  if (here > 0 && there > 0) return here / there;
  return here <= 0 && there <= 0 ? 1 : 0;
}

// The same where there is a ghost; 0: there is none to draw.
double factorOf(const ViewInput& input) {
  const Ghost& ghost = input.ghost;
  if (ghost.run == nullptr || ghost.layout == nullptr || ghost.layout->warpCount() == 0) return 0;
  return cyclesOf(*input.run, *ghost.run);
}

}  // namespace

void drawGhost(const ViewInput& input, const TimelineFrame& frame) {
  const Ghost& ghost = input.ghost;
  const double factor = factorOf(input);
  if (factor <= 0) return;
  const Theme& theme = *input.theme;
  const TimeScale& scale = frame.scale;
  const RowGeometry& rows = frame.rows;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 fill = withAlpha(theme.text, 0.10F), line = withAlpha(theme.text, 0.45F);
  list.PushClipRect({scale.left, rows.top}, {scale.right, rows.bottom}, true);
  const auto x = [&](int64_t cycles) { return scale.x(static_cast<double>(cycles) * factor); };
  // Where several warps share a row, those of the two runs overlap, and only the end of the kernel is shown.
  const uint32_t end_row = input.rows->severalWarpsInARow() ? rows.firstVisible() : rows.endVisible();
  for (uint32_t row = rows.firstVisible(); row < end_row; ++row) {
    const TraceWarp& warp = input.run->trace.warps[input.rows->firstWarpOf(row)];
    const auto same = ghost.layout->findWarp(warp.block, warp.warp_in_block);
    if (!same) continue;
    const TraceWarp& other = ghost.run->trace.warps[*same];
    const float top = std::round(rows.rowTop(row)),
                bottom = std::max(top + 1, std::round(rows.rowTop(row + 1.0)) - 1);
    const ImVec2 min{x(other.begin_cycles), top}, max{x(other.end_cycles), bottom};
    list.AddRectFilled(min, max, fill);
    list.AddLine({max.x, min.y}, {max.x, max.y}, line, theme.px(1.5F));
  }
  const float end = x(ghost.run->trace.duration_cycles);
  list.AddLine({end, rows.top}, {end, rows.bottom}, line, theme.px(1));
  list.PopClipRect();
  input.report->widget("timeline.ghost", {scale.left, rows.top}, {std::min(end, scale.right), rows.bottom});
}

void drawGhostLabel(const ViewInput& input, const TimelineFrame& frame) {
  const Ghost& ghost = input.ghost;
  const double factor = factorOf(input);
  if (factor <= 0) return;
  const Theme& theme = *input.theme;
  const TimeScale& scale = frame.scale;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float end = scale.x(static_cast<double>(ghost.run->trace.duration_cycles) * factor);
  const std::string text =
      trf("kept run ends {}", formatNs(static_cast<double>(ghost.run->trace.duration_cycles) /
                                           std::max(1e-9, ghost.run->trace.clocks.cycles_per_ns),
                                       3));
  const bool beyond = end > scale.right;
  const std::string label = beyond ? text + " ▸" : text;
  const ImVec2 size = textSize(input.fonts->text, label.c_str());
  const float left =
      std::clamp(end + theme.px(4), scale.left, std::max(scale.left, scale.right - size.x - theme.px(4)));
  const float y = frame.rows.bottom - size.y - theme.px(3);
  list.AddRectFilled({left - theme.px(2), y}, {left + size.x + theme.px(2), y + size.y},
                     withAlpha(theme.background, 0.85F));
  drawText(list, input.fonts->text, {left, y}, theme.text_quiet, label.c_str());
}

}  // namespace warpscope
