// Control flow between segments: successors, dominators, loops.
#pragma once

#include <vector>

#include "kernels/sim/sm/lowering/graph.h"

namespace warpscope::sim::lowering {

// Fills successors, predecessors, order, dominators and loops of all segments.
void analyzeFlow(Graph& graph);

// The segments of a function in reverse postorder, without unreachable ones.
std::vector<uint32_t> reversePostorder(const Graph& graph, uint32_t function);

// The instruction that ends a segment.
inline const Instruction& lastOf(const Graph& graph, uint32_t segment) {
  const Segment& s = graph.code->segments[segment];
  return graph.code->instructions[s.first + s.count - 1];
}
inline uint32_t lastPc(const Graph& graph, uint32_t segment) {
  const Segment& s = graph.code->segments[segment];
  return s.first + s.count - 1;
}
inline bool isConditional(const Instruction& instruction) {
  return instruction.kind == Kind::kBranch && instruction.guard != kNoPredicate;
}

}  // namespace warpscope::sim::lowering
