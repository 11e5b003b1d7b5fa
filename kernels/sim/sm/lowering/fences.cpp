// Release and acquire for the whole GPU, as ptxas 13.0 makes them for sm_90 (SASS of the truth suite's
// grid_steps): MEMBAR and ERRBAR before an operation that releases, CCTL.IVALL after one that acquires.
#include <algorithm>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"

namespace warpscope::sim::lowering {
namespace {

bool accessesMemory(Kind kind) {
  return kind == Kind::kLoad || kind == Kind::kStore || kind == Kind::kAtomic || kind == Kind::kReduction;
}

bool releases(const Instruction& in) {
  using ptx::Semantics;
  const Semantics s = in.modifiers.semantics;
  // An arrival at a cluster's barrier releases unless it is relaxed (PTX ISA, barrier.cluster). On an H100
  // with driver 580.159.04 a barrier of two blocks then takes 762 cycles, most of them in the arrival.
  if (in.kind == Kind::kClusterBarrier)
    return in.modifiers.bar == ptx::BarKind::kArrive && s != Semantics::kRelaxed;
  return accessesMemory(in.kind) && in.modifiers.scope != ptx::Scope::kCta &&
         (s == Semantics::kRelease || s == Semantics::kAcqRel || s == Semantics::kSc);
}

uint32_t addFence(Graph& graph, const Operation& before) {
  Operation fence;
  fence.pc = before.pc;
  fence.segment = before.segment;
  constexpr uint8_t kIssues = 3;  // MEMBAR, ERRBAR, ERRBAR
  fence.unit = {Pipe::kLoadStore, kIssues,
                static_cast<uint16_t>(std::min(graph.profile->fence_latency_cycles, 65535U))};
  fence.is_fence = fence.pinned = true;
  return graph.addOperation(std::move(fence));
}

}  // namespace

void addFences(Graph& graph) {
  const auto count = static_cast<uint32_t>(graph.operations.size());
  for (uint32_t o = 0; o < count; ++o) {
    if (graph.operations[o].instruction == nullptr || graph.operations[o].dropped) continue;
    const Instruction& in = *graph.operations[o].instruction;
    if (acquiresForGpu(in)) ++graph.operations[o].unit.issues;  // CCTL
    if (!releases(in)) continue;
    const uint32_t fence = addFence(graph, graph.operations[o]);
    std::vector<uint32_t>& list = graph.segments[graph.operations[o].segment].operations;
    list.insert(std::ranges::find(list, o), fence);
  }
}

}  // namespace warpscope::sim::lowering
