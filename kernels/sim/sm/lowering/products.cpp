// Both halves of one product (mul.lo and mul.hi of the same words, as generators of random numbers and
// modular arithmetic need them) are one IMAD.WIDE, whose result is a pair of registers; of 64-bit numbers the
// lower half is computed for the upper one (ptxas 13.0 for sm_90).
#include <algorithm>
#include <span>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"

namespace warpscope::sim::lowering {
namespace {

bool isHalfProduct(const Operation& operation, ptx::Part part) {
  if (operation.dropped || operation.instruction == nullptr || operation.guard != kNone) return false;
  const Instruction& in = *operation.instruction;
  return in.op == ptx::Op::kMul && in.modifiers.part == part && !ptx::isFloat(in.type) &&
         ptx::bytesOf(in.type) >= 4 && operation.sources.size() == 2 && operation.destinations.size() == 1;
}

bool multipliesTheSame(const Operation& a, const Operation& b) {
  return a.sources == b.sources || (a.sources[0] == b.sources[1] && a.sources[1] == b.sources[0]);
}

bool sameSize(const Operation& a, const Operation& b) {
  return ptx::bytesOf(a.instruction->type) == ptx::bytesOf(b.instruction->type);
}

}  // namespace

void joinProducts(Graph& graph) {
  for (const SegmentInfo& segment : graph.segments) {
    const std::vector<uint32_t>& list = segment.operations;
    for (size_t i = 0; i < list.size(); ++i) {
      Operation& first = graph.operations[list[i]];
      const bool low = isHalfProduct(first, ptx::Part::kLo);
      if (!low && !isHalfProduct(first, ptx::Part::kHi)) continue;
      for (const uint32_t o : std::span(list).subspan(i + 1)) {
        Operation& second = graph.operations[o];
        if (!isHalfProduct(second, low ? ptx::Part::kHi : ptx::Part::kLo)) continue;
        if (!multipliesTheSame(first, second) || !sameSize(first, second)) continue;
        if (graph.values[second.destinations[0]].definitions != 1) continue;
        graph.values[second.destinations[0]].definition = list[i];
        first.destinations.push_back(second.destinations[0]);
        if (low) first.unit = second.unit;
        second.dropped = true;
        break;
      }
    }
  }
}

}  // namespace warpscope::sim::lowering
