// The line above the timeline: grouping, row height, the regions' legend, and what must be known about the
// clocks.
#pragma once

#include <optional>

#include "viz/views/view.h"

namespace warpscope {

// Changes grouping, row height, selected and hovered region of the state. `current_row_height` in pixels at
// 100 %. Returns the region hovered in the legend.
std::optional<RegionId> drawTimelineHeader(const ViewInput& input, ViewState& state,
                                           float current_row_height);

// Rows are neither lower nor higher than this (pixels at 100 %).
inline constexpr float kLowestRow = 3, kHighestRow = 512;

}  // namespace warpscope
