// Reads from the code which values an index into an array can have: ptxas compares it with those only.
#pragma once

#include <cstdint>

#include "kernels/sim/sm/lowering/graph.h"

namespace warpscope::sim::lowering {

// A number of bytes, without a sign: a multiple of `multiple`, and not more than `most`.
struct Steps {
  uint64_t most = ~uint64_t{0};
  uint64_t multiple = 1;
};

// The operation whose result `reader` reads as `v`: of several, the last one before it in its segment.
// nullptr: none, or one that is not always executed.
const Operation* makerFor(Graph& graph, const Operation& reader, Value v);

// Finds what an access to a thread's own memory adds to the address of its variable. Constants do not count:
// `most` is 0 if nothing else is added. Needs the addresses as they are before foldPairs.
Steps indexSteps(Graph& graph, const Operation& access);

// Whether a source is the address of a thread's own variable, or that and a constant.
bool isKnownAddress(Graph& graph, const Operation& reader, size_t source);

}  // namespace warpscope::sim::lowering
