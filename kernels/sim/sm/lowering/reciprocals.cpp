// Integer divisions, as ptxas expands them (sm_90, ptxas 13.0): what depends on the divisor alone (its
// reciprocal, by I2F, MUFU.RCP, F2I and a correction) is computed once for all divisions by that divisor that
// come after it, and before a loop in which the divisor does not change; less often where loops have several
// blocks or call subroutines.
#include <algorithm>
#include <map>
#include <utility>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"

namespace warpscope::sim::lowering {
namespace {

using ptx::Op;

class Reciprocals {
 public:
  explicit Reciprocals(Graph& graph) : graph_(graph) {}

  void share() {
    // So that what dominators compute can be used again.
    for (const uint32_t s : dominatorsFirst(graph_)) {
      const std::vector<uint32_t> list = graph_.segments[s].operations;
      for (const uint32_t o : list) {
        if (divides(graph_.operations[o])) split(s, o);
      }
    }
  }

 private:
  bool divides(const Operation& operation) const {
    if (operation.dropped || operation.instruction == nullptr || operation.sources.size() < 2) return false;
    const Instruction& in = *operation.instruction;
    return (in.op == Op::kDiv || in.op == Op::kRem) && !ptx::isFloat(in.type) && ptx::bytesOf(in.type) <= 4 &&
           !graph_.isConstant(operation.sources[1]);
  }

  void split(uint32_t segment, uint32_t index) {
    const Instruction& in = *graph_.operations[index].instruction;
    const Value divisor = graph_.operations[index].sources[1];
    Value reciprocal = known(segment, index, divisor, ptx::isSigned(in.type));
    if (reciprocal == kNone) reciprocal = compute(segment, index, divisor, ptx::isSigned(in.type));
    graph_.operations[index].unit = divideByKnownUnit(in, *graph_.profile);
    graph_.operations[index].sources.push_back(reciprocal);
  }

  Value known(uint32_t segment, uint32_t index, Value divisor, bool is_signed) const {
    const auto at = computed_.find({divisor, is_signed});
    if (at == computed_.end()) return kNone;
    const bool changes = graph_.values[divisor].definitions > 1;
    for (const auto& [where, made, value] : at->second) {
      if (changes && !isUnchanged(divisor, where, made, segment, index)) continue;
      if (graph_.dominates(where, segment) && isKept(where, segment)) return value;
    }
    return kNone;
  }

  // Whether a divisor that changes elsewhere is the same in both places: in the same block, or in a loop of
  // one block that does not change it and what comes right before that loop (totients of the truth suite: the
  // divisor counts in an outer loop; behind the inner one it is divided by anew).
  bool isUnchanged(Value divisor, uint32_t from, uint32_t made, uint32_t to, uint32_t index) const {
    if (from == to) return !isChanged(divisor, from, made, index);
    const uint32_t loop = graph_.segments[to].loop;
    if (loop == kNone || !isOneBlock(graph_, loop) || graph_.inLoop(from, loop)) return false;
    for (const uint32_t s : graph_.loops[loop].segments) {
      if (isChanged(divisor, s, kNone, kNone)) return false;
    }
    uint32_t before = graph_.loops[loop].preheader;
    for (; before != kNone && before != from; before = graph_.segments[before].dominator) {
      if (isChanged(divisor, before, kNone, kNone) || graph_.segments[before].predecessors.size() != 1)
        return false;
    }
    return before == from && !isChanged(divisor, from, made, kNone);
  }

  // Whether a segment changes a value after one operation and before another (kNone: from where it begins,
  // and up to where it ends).
  bool isChanged(Value v, uint32_t segment, uint32_t after, uint32_t until) const {
    const std::vector<uint32_t>& list = graph_.segments[segment].operations;
    auto at = after == kNone ? list.begin() : std::ranges::find(list, after);
    for (; at != list.end() && *at != until; ++at) {
      const Operation& operation = graph_.operations[*at];
      if (!operation.dropped && std::ranges::find(operation.destinations, v) != operation.destinations.end())
        return true;
    }
    return false;
  }

  // A loop of several blocks computes its own where its trips begin, or, if subroutines for rare cases are
  // called in it, in each block.
  bool isKept(uint32_t from, uint32_t to) const {
    const uint32_t loop = graph_.segments[to].loop;
    if (from == to || loop == kNone || isOneBlock(graph_, loop)) return true;
    return !hasSubroutine(graph_, loop) && (graph_.inLoop(from, loop) || to == graph_.loops[loop].header);
  }

  Value compute(uint32_t segment, uint32_t before, Value divisor, bool is_signed) {
    const Value value = graph_.addValue(ValueKind::kRegister, 1);
    Operation operation;
    operation.pc = graph_.operations[before].pc;
    operation.segment = segment;
    operation.unit = reciprocalUnit(is_signed, *graph_.profile);
    operation.sources = {divisor};
    operation.destinations = {value};
    operation.pure = true;
    graph_.values[value].uniform = graph_.values[divisor].uniform;
    const uint32_t made = graph_.addOperation(std::move(operation));
    std::vector<uint32_t>& list = graph_.segments[segment].operations;
    list.insert(std::ranges::find(list, before), made);
    computed_[{divisor, is_signed}].push_back({segment, made, value});
    return value;
  }

  struct Computed {
    uint32_t segment = 0, operation = 0;
    Value value = kNone;
  };

  Graph& graph_;
  std::map<std::pair<Value, bool>, std::vector<Computed>> computed_;
};

}  // namespace

void shareReciprocals(Graph& graph) {
  Reciprocals(graph).share();
}

}  // namespace warpscope::sim::lowering
