// The line above the timeline: what the rows are, row height, the regions' legend, and what the user must
// know about the clocks.
#pragma once

#include <optional>

#include "viz/views/row_menu.h"
#include "viz/views/view.h"

namespace warpscope {

// Changes rows, row height, selected and hovered region of the state. `current_row_height` is in pixels
// at 100 %. Returns the region that is hovered in the legend.
std::optional<RegionId> drawTimelineHeader(const ViewInput& input, ViewState& state, RowMenu& menu,
                                           float current_row_height);

// The limits of the row height (pixels at 100 %).
inline constexpr float kLowestRow = 3, kHighestRow = 512;

}  // namespace warpscope
