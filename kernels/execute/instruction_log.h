// Puts the instructions that a modelled launch logged into its trace: each to its warp, on the trace's axis.
#pragma once

#include "kernels/backend/modelling_backend.h"
#include "kernels/run/trace.h"

namespace warpscope {

// Instructions of warps that the trace does not have are dropped. The trace must have no instructions before.
void addInstructions(Trace& trace, const ModelledReport& report);

}  // namespace warpscope
