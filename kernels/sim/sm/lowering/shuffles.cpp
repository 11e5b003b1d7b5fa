// Shuffles in which not all lanes of a warp take part, as ptxas 13.0 makes them for sm_90. If the mask is
// known, it is moved to a register, for the case that the lanes are not together. If it is not, the warp
// finds out first whether the lanes of each mask are together (MATCH.ANY, REDUX.OR, VOTEU.ANY, LOP3 and
// BRA.DIV; tiles of 16 lanes, 2026-11-27): once for each stretch of code.
#include <algorithm>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"

namespace warpscope::sim::lowering {
namespace {

using ptx::Op;

constexpr uint32_t kAllLanes = 0xFFFFFFFF;

class Shuffles {
 public:
  explicit Shuffles(Graph& graph) : graph_(graph) {}

  void check() {
    std::vector<uint32_t> checked;
    for (const SegmentInfo& segment : graph_.segments) {
      for (const uint32_t o : segment.operations) {
        if (!isShuffle(o)) continue;
        const Value mask = maskOf(o);
        if (graph_.isConstant(mask) && static_cast<uint32_t>(graph_.values[mask].bits) != kAllLanes)
          graph_.operations[o].unit.issues = 2;
        if (graph_.values[mask].kind == ValueKind::kRegister &&
            !followsShuffle(graph_.operations[o].segment, mask))
          checked.push_back(o);
      }
    }
    for (const uint32_t o : checked) checkLanes(o);
  }

 private:
  bool isShuffle(uint32_t o) const {
    const Operation& operation = graph_.operations[o];
    return !operation.dropped && operation.instruction != nullptr &&
           operation.instruction->kind == Kind::kWarpRegister && operation.instruction->op == Op::kShfl &&
           operation.instruction->member_source < operation.sources.size();
  }

  Value maskOf(uint32_t o) const {
    const Operation& operation = graph_.operations[o];
    return graph_.resolve(operation.sources[operation.instruction->member_source]);
  }

  // Whether the stretch of code before a shuffle has another one for the same lanes.
  bool followsShuffle(uint32_t segment, Value mask) const {
    constexpr uint32_t kNear = 64;
    for (uint32_t step = 0; step < kNear; ++step) {
      const std::vector<uint32_t>& before = graph_.segments[segment].predecessors;
      if (before.size() != 1 || graph_.segments[before[0]].successors.size() != 1) return false;
      segment = before[0];
      const auto has_mask = [&](uint32_t o) { return isShuffle(o) && maskOf(o) == mask; };
      if (std::ranges::any_of(graph_.segments[segment].operations, has_mask)) return true;
    }
    return false;
  }

  void checkLanes(uint32_t shuffle) {
    constexpr uint32_t kInstructions = 5;
    const Value together = graph_.addValue(ValueKind::kRegister);
    Operation check;
    check.pc = graph_.operations[shuffle].pc;
    check.segment = graph_.operations[shuffle].segment;
    check.unit = sequenceUnit(*graph_.profile, Pipe::kInt, kInstructions, 2);
    check.unit.latency_cycles =
        static_cast<uint16_t>(check.unit.latency_cycles + graph_.profile->shuffle_latency_cycles);
    check.pinned = true;
    check.sources = {maskOf(shuffle)};
    check.destinations = {together};
    const uint32_t made = graph_.addOperation(std::move(check));
    graph_.operations[shuffle].sources.push_back(together);
    std::vector<uint32_t>& list = graph_.segments[graph_.operations[shuffle].segment].operations;
    list.insert(std::ranges::find(list, shuffle), made);
  }

  Graph& graph_;
};

}  // namespace

void checkShuffledLanes(Graph& graph) {
  Shuffles(graph).check();
}

}  // namespace warpscope::sim::lowering
