// Takes out what ptxas would not leave: copies, conversions that cost nothing, address arithmetic that loads
// and stores do themselves, pairs that are one machine instruction, and what nobody reads.
#pragma once

#include "kernels/sim/sm/lowering/graph.h"

namespace warpscope::sim::lowering {

// Copies become other names of the same value; kernel parameters and sizes become constant-bank values.
void foldCopies(Graph& graph);
// Pairs and triples of operations become one. Needs foldCopies, and markUniform for aggregated atomics.
void foldPairs(Graph& graph);
// Drops what nobody reads.
void dropUnused(Graph& graph);

}  // namespace warpscope::sim::lowering
