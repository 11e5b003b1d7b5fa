// Branches as ptxas lays them out.
#pragma once

#include "kernels/sim/sm/lowering/graph.h"

namespace warpscope::sim::lowering {

// Jumps that a better order of blocks saves cost nothing; a branch to a lone `ret` becomes an EXIT.
void layOutBranches(Graph& graph);

// If lanes may disagree on a branch, puts BSSY before it and BSYNC where they reconverge. Call after
// predicate.h's functions.
void addConvergence(Graph& graph);

}  // namespace warpscope::sim::lowering
