// Reaching definitions, joined into webs.
#pragma once

#include <utility>
#include <vector>

#include "kernels/sim/sm/lowering/graph.h"

namespace warpscope::sim::lowering {

// A register or predicate of a frame.
using Key = uint32_t;
inline Key rowKey(int32_t row) {
  return static_cast<Key>(row) * 2;
}
inline Key predicateKey(PredicateIndex predicate) {
  return static_cast<Key>(predicate) * 2 + 1;
}

// The values that one instruction reads and writes, in the order of Operation::sources and destinations.
struct Accessed {
  std::vector<Key> uses, definitions;
  bool partial = false;  // writes under a guard: the old value may stay
};

// The web of each use and definition, numbered from 0 across the whole function.
struct Webs {
  std::vector<std::vector<uint32_t>> uses, definitions;  // by index into `instructions`
  uint32_t count = 0;
};

// `accessed` is by PTX instruction; only those of one function's reachable segments are used.
Webs findWebs(const Graph& graph, const std::vector<uint32_t>& order, const std::vector<Accessed>& accessed);

}  // namespace warpscope::sim::lowering
