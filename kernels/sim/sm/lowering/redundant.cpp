// Loads of what the warp has in a register already: ptxas loads once where nothing that could write memory,
// no barrier and no call comes between (nvcc leaves such loads on both sides of votes and shuffles).
#include <algorithm>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"

namespace warpscope::sim::lowering {
namespace {

class Redundant {
 public:
  explicit Redundant(Graph& graph) : graph_(graph), loaded_(graph.segments.size()) {}

  void drop() {
    for (uint32_t s = 0; s < graph_.segments.size(); ++s) {
      const SegmentInfo& segment = graph_.segments[s];
      if (segment.order == kNone) continue;
      // What is known where the only way into the segment comes from.
      if (segment.predecessors.size() == 1 && segment.predecessors[0] < s)
        loaded_[s] = loaded_[segment.predecessors[0]];
      for (const uint32_t o : segment.operations) visit(o, loaded_[s]);
    }
    if (!dropped_) return;
    for (Operation& operation : graph_.operations) {
      for (Value& v : operation.sources) v = graph_.resolve(v);
      if (operation.guard != kNone) operation.guard = graph_.resolve(operation.guard);
    }
  }

 private:
  void visit(uint32_t index, std::vector<uint32_t>& loaded) {
    Operation& operation = graph_.operations[index];
    if (operation.dropped || operation.instruction == nullptr) return;
    if (mayWrite(operation)) loaded.clear();
    if (!isPlainLoad(operation)) return;
    for (const uint32_t before : loaded) {
      if (!loadsTheSame(graph_.operations[before], operation)) continue;
      for (size_t i = 0; i < operation.destinations.size(); ++i)
        graph_.values[operation.destinations[i]].alias =
            graph_.resolve(graph_.operations[before].destinations[i]);
      operation.dropped = dropped_ = true;
      return;
    }
    constexpr size_t kMost = 32;
    if (loaded.size() < kMost) loaded.push_back(index);
  }

  static bool mayWrite(const Operation& operation) {
    if (operation.writes_memory) return true;
    switch (operation.instruction->kind) {
      case Kind::kRegister:
      case Kind::kWarpRegister:
      case Kind::kReadSpecial:
      case Kind::kLocalAddress:
      case Kind::kLoad:
      case Kind::kLoadParameter:
      case Kind::kBranch:
      case Kind::kNothing:
        return operation.instruction->modifiers.semantics > ptx::Semantics::kWeak;
      default:
        return true;
    }
  }

  bool isPlainLoad(const Operation& operation) const {
    const Instruction& in = *operation.instruction;
    return in.kind == Kind::kLoad && operation.guard == kNone &&
           in.modifiers.semantics <= ptx::Semantics::kWeak && in.op == ptx::Op::kLd &&
           in.space != ptx::Space::kParam &&
           std::ranges::all_of(
               operation.destinations,
               [&](Value v) { return graph_.values[v].definitions == 1 && graph_.resolve(v) == v; }) &&
           std::ranges::all_of(operation.sources,
                               [&](Value v) { return graph_.values[graph_.resolve(v)].definitions <= 1; });
  }

  bool loadsTheSame(const Operation& a, const Operation& b) const {
    const Instruction &x = *a.instruction, &y = *b.instruction;
    return x.space == y.space && x.type == y.type && x.type2 == y.type2 && x.vector == y.vector &&
           x.immediate == y.immediate && x.address_bits == y.address_bits &&
           x.modifiers.cache == y.modifiers.cache && a.destinations.size() == b.destinations.size() &&
           std::ranges::equal(a.sources, b.sources,
                              [&](Value v, Value w) { return graph_.resolve(v) == graph_.resolve(w); });
  }

  Graph& graph_;
  std::vector<std::vector<uint32_t>> loaded_;  // by segment: loads whose values are known at its end
  bool dropped_ = false;
};

}  // namespace

void dropRedundantLoads(Graph& graph) {
  Redundant(graph).drop();
}

}  // namespace warpscope::sim::lowering
