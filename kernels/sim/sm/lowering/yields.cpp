// Loops that may wait for another warp: into an innermost loop that reads global memory anew in each trip (an
// atomic whose result is used, a strong load) ptxas puts a YIELD, so that the warp's other lanes, and other
// warps, come to their turn. Not where the block has a barrier in the loop, or lanes exchange values (found
// by compiling the truth suite's open part with ptxas 13.0 for sm_90, 2026-11-26: all 17 of its kernels with
// YIELD).
#include <algorithm>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"

namespace warpscope::sim::lowering {
namespace {

bool readsAnew(const Operation& operation, const std::vector<uint32_t>& uses) {
  const Instruction& in = *operation.instruction;
  if (in.space != ptx::Space::kGlobal && in.space != ptx::Space::kGeneric) return false;
  if (in.kind == Kind::kLoad) return isStrong(in.modifiers);
  return in.kind == Kind::kAtomic &&
         std::ranges::any_of(operation.destinations, [&](Value v) { return uses[v] > 0; });
}

bool keepsTogether(const Instruction& in) {
  return in.kind == Kind::kBarrier || in.kind == Kind::kClusterBarrier || in.op == ptx::Op::kShfl;
}

bool mayWait(const Graph& graph, uint32_t loop, const std::vector<uint32_t>& uses) {
  bool reads = false;
  for (const uint32_t s : graph.loops[loop].segments) {
    if (graph.segments[s].loop != loop) return false;  // not the innermost
    for (const uint32_t o : graph.segments[s].operations) {
      const Operation& operation = graph.operations[o];
      if (operation.dropped || operation.instruction == nullptr) continue;
      if (keepsTogether(*operation.instruction)) return false;
      reads = reads || readsAnew(operation, uses);
    }
  }
  return reads;
}

}  // namespace

void markYields(Graph& graph) {
  const std::vector<uint32_t> uses = countUses(graph);
  for (uint32_t loop = 0; loop < graph.loops.size(); ++loop) {
    if (!mayWait(graph, loop, uses)) continue;
    for (const uint32_t s : graph.loops[loop].segments) {
      const std::vector<uint32_t>& next = graph.segments[s].successors;
      if (std::ranges::find(next, graph.loops[loop].header) != next.end())
        graph.yields[lastPc(graph, s)] = true;
    }
  }
}

}  // namespace warpscope::sim::lowering
