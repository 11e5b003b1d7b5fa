// Short branches become predication, and segments that are one basic block of the hardware become groups.
#pragma once

#include "kernels/sim/sm/lowering/graph.h"

namespace warpscope::sim::lowering {

void predicateShortBranches(Graph& graph);

// After predicateShortBranches: sets group_first and group_count of all segments.
void formGroups(Graph& graph);

}  // namespace warpscope::sim::lowering
