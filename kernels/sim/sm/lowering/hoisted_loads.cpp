// Loads that a loop repeats from the same address. nvcc moves such a load out of the loop only if no shuffle,
// vote or barrier is in it. ptxas moves it where it can, but only if it is in the first block of a trip,
// which executes it in any case, and only out of one loop: the innermost that is not unrolled in full. 90
// loops compiled with ptxas 13.0 for sm_90 (2026-11-28) show that a load stays where
//   - anything in the loop might write what it loads: stores to other than shared memory, atomics, barriers,
//     fences, loads that are volatile or stronger than weak. For ld.global.nc only fences matter;
//   - the loop calls a subroutine, as it does for the rare cases of divisions and roots.
// The model leaves a load that ptxas moves in its segment, and issues it when a warp enters the loop.
#include <algorithm>
#include <vector>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"

namespace warpscope::sim::lowering {
namespace {

bool isCoherent(const Instruction& load) {
  return load.modifiers.cache != ptx::CacheOp::kNc;
}

// Whether a load cannot be moved across an operation.
bool keeps(const Instruction& in, const Instruction& load) {
  if (callsSubroutine(in)) return true;
  const bool is_weak = in.modifiers.semantics <= ptx::Semantics::kWeak;
  switch (in.kind) {
    case Kind::kRegister:
    case Kind::kWarpRegister:
    case Kind::kReadSpecial:
    case Kind::kClock:
    case Kind::kLocalAddress:
    case Kind::kLoadParameter:
    case Kind::kBranch:
    case Kind::kReturn:
    case Kind::kExit:
    case Kind::kNothing:
      return false;
    case Kind::kLoad:
      return isCoherent(load) && !is_weak;
    case Kind::kStore:
    case Kind::kAtomic:
    case Kind::kReduction:
      return isCoherent(load) && !(ptx::isShared(in.space) && is_weak && load.space == ptx::Space::kGlobal);
    case Kind::kBarrier:
    case Kind::kWarpBarrier:
      return isCoherent(load);
    default:
      return true;
  }
}

class LoadHoister {
 public:
  explicit LoadHoister(Graph& graph) : graph_(graph), makers_(graph.values.size()) {
    for (uint32_t o = 0; o < graph.operations.size(); ++o) {
      if (graph.operations[o].dropped) continue;
      for (const Value v : graph.operations[o].destinations) makers_[graph.resolve(v)].push_back(o);
    }
  }

  void hoist() {
    for (uint32_t s = 0; s < graph_.segments.size(); ++s) {
      const uint32_t loop = loopAround(s);
      if (loop == kNone || !isInFirstBlock(s, loop)) continue;
      for (const uint32_t o : graph_.segments[s].operations) {
        Operation& load = graph_.operations[o];
        if (isPlainLoad(load) && isInvariant(load, loop) && !isKept(*load.instruction, loop))
          load.once_in = loop;
      }
    }
  }

 private:
  bool isUnrolledInFull(uint32_t loop) const { return loop != kNone && graph_.loops[loop].trips > 0; }

  // The innermost loop around a segment of those that ptxas leaves.
  uint32_t loopAround(uint32_t segment) const {
    uint32_t loop = graph_.segments[segment].loop;
    while (isUnrolledInFull(loop)) loop = graph_.loops[loop].parent;
    return loop;
  }

  // Whether nothing but loops of one block that are unrolled in full comes before the segment in a trip.
  bool isInFirstBlock(uint32_t segment, uint32_t loop) const {
    for (uint32_t l = graph_.segments[segment].loop; l != loop; l = graph_.loops[l].parent) {
      // If it also ends for another reason than its count, its branch is left.
      if (graph_.loops[l].segments.size() > 1 || !graph_.operations[lastPc(graph_, segment)].dropped)
        return false;
    }
    uint32_t at = graph_.loops[loop].header;
    for (size_t steps = 0; steps < graph_.loops[loop].segments.size() && at != segment; ++steps) {
      const uint32_t inner = graph_.segments[at].loop;
      uint32_t next = kNone;
      for (const uint32_t n : graph_.segments[at].successors) {
        if (isUnrolledInFull(inner) && n == at) continue;
        if (next != kNone) return false;
        next = n;
      }
      if (next == kNone || !graph_.inLoop(next, loop)) return false;
      at = next;
    }
    return at == segment;
  }

  static bool isPlainLoad(const Operation& operation) {
    if (operation.dropped || operation.instruction == nullptr || operation.guard != kNone) return false;
    const Instruction& in = *operation.instruction;
    return in.kind == Kind::kLoad && in.op == ptx::Op::kLd &&
           in.modifiers.semantics <= ptx::Semantics::kWeak &&
           (in.space == ptx::Space::kGlobal || ptx::isShared(in.space));
  }

  // Whether what it reads is the same in each trip.
  bool isInvariant(const Operation& operation, uint32_t loop, int depth = 8) const {
    return std::ranges::all_of(operation.sources, [&](Value v) { return isInvariant(v, loop, depth); });
  }

  bool isInvariant(Value v, uint32_t loop, int depth) const {
    const Value value = graph_.resolve(v);
    const std::vector<uint32_t>& makers = makers_[value];
    const auto inside = std::ranges::count_if(
        makers, [&](uint32_t o) { return graph_.inLoop(graph_.operations[o].segment, loop); });
    if (inside > 0 && static_cast<size_t>(inside) < makers.size()) return false;  // the next trip has another
    return std::ranges::all_of(makers, [&](uint32_t o) {
      const Operation& maker = graph_.operations[o];
      if (!graph_.inLoop(maker.segment, loop) || maker.once_in == loop) return true;
      if (maker.instruction == nullptr || maker.instruction->kind != Kind::kRegister || maker.guard != kNone)
        return false;
      // A value that an unrolled loop steps is known in each copy of its trip.
      const bool steps = makers.size() > 1 && isUnrolledInFull(graph_.segments[maker.segment].loop) &&
                         maker.instruction->op == ptx::Op::kAdd;
      return depth > 0 && std::ranges::all_of(maker.sources, [&](Value source) {
               if (graph_.resolve(source) == value) return steps;
               return isInvariant(source, loop, depth - 1);
             });
    });
  }

  bool isKept(const Instruction& load, uint32_t loop) const {
    return std::ranges::any_of(graph_.loops[loop].segments, [&](uint32_t s) {
      return std::ranges::any_of(graph_.segments[s].operations, [&](uint32_t o) {
        const Operation& operation = graph_.operations[o];
        return operation.instruction != nullptr && !operation.dropped && keeps(*operation.instruction, load);
      });
    });
  }

  Graph& graph_;
  std::vector<std::vector<uint32_t>> makers_;  // by value: operations
};

}  // namespace

void hoistLoads(Graph& graph) {
  LoadHoister(graph).hoist();
}

}  // namespace warpscope::sim::lowering
