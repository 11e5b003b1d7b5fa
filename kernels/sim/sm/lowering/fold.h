// Removes what ptxas would not keep: copies, conversions that cost nothing, address arithmetic that loads and
// stores do themselves, pairs that are one machine instruction, and unused results.
#pragma once

#include "kernels/sim/sm/lowering/graph.h"

namespace warpscope::sim::lowering {

// Turns copies into other names of the same value, and kernel parameters and sizes into constant-bank values.
void foldCopies(Graph& graph);
// Merges pairs and triples of operations into one. Needs foldCopies, and markUniform for aggregated atomics.
void foldPairs(Graph& graph);
// Drops operations whose results are never read.
void dropUnused(Graph& graph);

}  // namespace warpscope::sim::lowering
