// The run that was kept, behind the rows of the present one: the life of the same warp as an outline, and the
// end of its kernel as a line.
#pragma once

#include "viz/views/timeline_plot.h"

namespace warpscope {

// Draws what ViewInput::ghost has, before the rows; nothing without it, or where the two runs have no common
// clock.
void drawGhost(const ViewInput& input, const TimelineFrame& frame);
// Says where the kept run ends, after the rows, which would cover the text.
void drawGhostLabel(const ViewInput& input, const TimelineFrame& frame);

}  // namespace warpscope
