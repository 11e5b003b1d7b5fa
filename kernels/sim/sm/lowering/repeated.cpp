// Integers that were computed before, on each way to where they are computed again: nvcc repeats sums and
// masks in the blocks that read them, ptxas does not, as long as both are in the same loop.
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"

namespace warpscope::sim::lowering {
namespace {

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
      // ptxas, too, repeats in an inner loop what is known around it: that saves a register
      // (swapped_letters).
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

void dropRepeated(Graph& graph) {
  Repeated(graph).drop();
}

}  // namespace warpscope::sim::lowering
