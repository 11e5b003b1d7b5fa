// What a span is, told in a tooltip: timeline and lanes say the same.
#pragma once

#include <string>

#include "viz/layout/trace_layout.h"
#include "viz/views/view.h"

namespace warpscope {

// "block 12 (4, 3, 0), warp 3": coordinates only where the grid has more than one dimension.
std::string warpTitle(const Run& run, const TraceWarp& warp);
// "odd path", or what stands in its place where no mark says.
std::string regionName(const Run& run, RegionIndex region);

// Of trace warp `warp`, at a span, or at none: the warp alone. `note` ends the tooltip; empty: none.
void spanTooltip(const ViewInput& input, const TraceWarp& warp, const LayoutSpan* span,
                 const std::string& note);

}  // namespace warpscope
