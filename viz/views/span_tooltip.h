// Tooltips of spans, the same in timeline and lanes.
#pragma once

#include <string>

#include "viz/layout/trace_layout.h"
#include "viz/views/view.h"

namespace warpscope {

// "block 12 (4, 3, 0), warp 3": coordinates only where the grid has more than one dimension.
std::string warpTitle(const Run& run, const TraceWarp& warp);
// "odd path", or a replacement if no mark gives the region.
std::string regionName(const Run& run, RegionIndex region);

// For trace warp `warp`, at a span, or without one: only the warp. `note` is the last line of the tooltip;
// empty: none.
void spanTooltip(const ViewInput& input, const TraceWarp& warp, const LayoutSpan* span,
                 const std::string& note);

}  // namespace warpscope
