// Before the first cp.async of a basic block, ptxas 13.0 for sm_90 issues three loads from shared memory for
// no lane (@!PT LDS RZ, [RZ]): before 66 of the 84 LDGSTS of copy_pipeline of the truth suite and of this
// project's own kernels, and before none of the 18 that follow another one in their block.
#include <algorithm>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"

namespace warpscope::sim::lowering {
namespace {

uint32_t addLoads(Graph& graph, const Operation& before) {
  Operation loads;
  loads.pc = before.pc;
  loads.segment = before.segment;
  constexpr uint8_t kLoads = 3;
  loads.unit = {Pipe::kLoadStore, kLoads, 1};
  loads.pinned = true;
  return graph.addOperation(std::move(loads));
}

bool isCopy(const Operation& operation) {
  return !operation.dropped && operation.instruction != nullptr &&
         operation.instruction->kind == Kind::kAsyncCopy;
}

}  // namespace

void prepareAsyncCopies(Graph& graph) {
  if (graph.profile->limits.compute_capability.major != 9) return;
  uint32_t done = kNone;  // the group
  for (uint32_t s = 0; s < graph.segments.size(); ++s) {
    SegmentInfo& segment = graph.segments[s];
    if (segment.group_first == done) continue;
    const auto copy =
        std::ranges::find_if(segment.operations, [&](uint32_t o) { return isCopy(graph.operations[o]); });
    if (copy == segment.operations.end()) continue;
    const auto at = copy - segment.operations.begin();
    const uint32_t loads = addLoads(graph, graph.operations[*copy]);
    segment.operations.insert(segment.operations.begin() + at, loads);
    done = segment.group_first;
  }
}

}  // namespace warpscope::sim::lowering
