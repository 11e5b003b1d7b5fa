// What constant operands cost: parameters and sizes are loaded from the constant bank, immediates that an
// instruction cannot hold are moved to a register, shared variables' addresses are computed.
#pragma once

#include "kernels/sim/sm/lowering/graph.h"

namespace warpscope::sim::lowering {

// What a loop's first segment computes anew on each trip, from values that do not change, goes before it.
void hoistInvariants(Graph& graph);

// After formGroups and hoistInvariants.
void materializeConstants(Graph& graph);

}  // namespace warpscope::sim::lowering
