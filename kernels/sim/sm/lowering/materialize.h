// The cost of constant operands: parameters and sizes are loaded from the constant bank, immediates that an
// instruction cannot hold are moved to a register, and addresses of shared variables are computed.
#pragma once

#include "kernels/sim/sm/lowering/graph.h"

namespace warpscope::sim::lowering {

// Moves what a loop's first segment recomputes from invariant values on each trip to before the loop.
void hoistInvariants(Graph& graph);

// Call after formGroups and hoistInvariants.
void materializeConstants(Graph& graph);

}  // namespace warpscope::sim::lowering
