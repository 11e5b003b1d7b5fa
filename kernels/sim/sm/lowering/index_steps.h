// What the code tells of an index into an array: so many elements may ptxas have to ask for.
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

// Of the address that an access to a thread's own memory uses, what is added to the variable's: `most` is 0
// if that is only constants, which are not counted. Needs the addresses as they are before foldPairs.
Steps indexOf(Graph& graph, const Operation& access);

}  // namespace warpscope::sim::lowering
