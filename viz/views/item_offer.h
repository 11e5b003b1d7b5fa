// Offers to pin and to copy what a tooltip tells of.
#pragma once

#include "kernels/metrics/selection.h"
#include "kernels/run/run.h"
#include "viz/widgets/canvas.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {

// To be called after the tooltip's last row: a right click in this frame picks its rows (Canvas::pick).
// `where`: the place in the trace that it is of. `run`: its run, if it is not the one that is shown.
void offerItem(const Canvas& canvas, Tooltip& tooltip, const TraceSelection& where = {},
               const Run* run = nullptr);

}  // namespace warpscope
