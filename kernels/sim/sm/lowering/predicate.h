// Turns short branches into predication, and joins segments that are one basic block of the hardware into
// groups.
#pragma once

#include "kernels/sim/sm/lowering/graph.h"

namespace warpscope::sim::lowering {

void predicateShortBranches(Graph& graph);

// Sets group_first and group_count of all segments. Call after predicateShortBranches.
void formGroups(Graph& graph);

}  // namespace warpscope::sim::lowering
