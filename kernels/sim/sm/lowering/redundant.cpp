// Loads of what the warp has in a register already: ptxas loads once where nothing that could write memory,
// no barrier and no call comes between (nvcc leaves such loads on both sides of votes and shuffles).
#include <algorithm>
#include <map>
#include <tuple>

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

// Integers that were computed before, on each way to where they are computed again: nvcc repeats sums and
// masks in the blocks that read them, ptxas does not, as long as both are in the same loop.
class Repeated {
 public:
  explicit Repeated(Graph& graph) : graph_(graph) {}

  void drop() {
    bool dropped = false;
    for (const uint32_t s : dominatorsFirst(graph_)) {
      for (const uint32_t o : graph_.segments[s].operations) dropped |= visit(o);
    }
    if (!dropped) return;
    for (Operation& operation : graph_.operations) {
      for (Value& v : operation.sources) v = graph_.resolve(v);
      if (operation.guard != kNone) operation.guard = graph_.resolve(operation.guard);
    }
  }

 private:
  using Key = std::tuple<ptx::Op, ptx::Type, ptx::Type, ptx::Part, std::vector<Value>>;

  bool visit(uint32_t index) {
    Operation& operation = graph_.operations[index];
    if (!isArithmetic(operation)) return false;
    const Instruction& in = *operation.instruction;
    std::vector<Value> sources;
    for (const Value v : operation.sources) sources.push_back(graph_.resolve(v));
    std::vector<uint32_t>& same = computed_[{in.op, in.type, in.type2, in.modifiers.part, sources}];
    for (const uint32_t before : same) {
      const Operation& first = graph_.operations[before];
      if (!graph_.dominates(first.segment, operation.segment)) continue;
      // What nvcc repeats in an inner loop needs no register around it (swapped_letters keeps it so).
      if (graph_.segments[first.segment].loop != graph_.segments[operation.segment].loop) continue;
      graph_.values[operation.destinations[0]].alias = graph_.resolve(first.destinations[0]);
      operation.dropped = true;
      return true;
    }
    same.push_back(index);
    return false;
  }

  bool isArithmetic(const Operation& operation) const {
    if (operation.dropped || operation.instruction == nullptr || operation.guard != kNone) return false;
    const Instruction& in = *operation.instruction;
    if (in.kind != Kind::kRegister || operation.pinned || operation.destinations.size() != 1) return false;
    if (ptx::isFloat(in.type) || in.type == ptx::Type::kPred || in.modifiers.carry_out) return false;
    switch (in.op) {
      case ptx::Op::kAdd:
      case ptx::Op::kSub:
      case ptx::Op::kMul:
      case ptx::Op::kAnd:
      case ptx::Op::kOr:
      case ptx::Op::kXor:
      case ptx::Op::kShl:
      case ptx::Op::kShr:
        break;
      default:
        return false;
    }
    const Value to = operation.destinations[0];
    return graph_.values[to].definitions == 1 && graph_.resolve(to) == to &&
           std::ranges::all_of(operation.sources,
                               [&](Value v) { return graph_.values[graph_.resolve(v)].definitions <= 1; });
  }

  Graph& graph_;
  std::map<Key, std::vector<uint32_t>> computed_;  // operations
};

}  // namespace

void dropRedundantLoads(Graph& graph) {
  Redundant(graph).drop();
}

void dropRepeated(Graph& graph) {
  Repeated(graph).drop();
}

}  // namespace warpscope::sim::lowering
