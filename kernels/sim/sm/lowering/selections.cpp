// Selections between two values, one of which is computed for nothing else: ptxas lets that instruction write
// the other value's register under the predicate, and needs no SEL (13.0 for sm_90: arithmetic, and loads,
// which then wait for the predicate). The other value must not be needed any more.
#include <algorithm>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"

namespace warpscope::sim::lowering {
namespace {

using ptx::Op;

class Selections {
 public:
  explicit Selections(Graph& graph) : graph_(graph), uses_(countUses(graph)) {}

  void fold() {
    const auto count = static_cast<uint32_t>(graph_.operations.size());
    for (uint32_t o = 0; o < count; ++o) {
      Operation& operation = graph_.operations[o];
      if (operation.dropped || operation.instruction == nullptr || operation.guard != kNone ||
          operation.instruction->op != Op::kSelp || operation.sources.size() != 3 ||
          operation.destinations.size() != 1)
        continue;
      foldOne(operation);
    }
    for (Operation& operation : graph_.operations) {
      for (Value& v : operation.sources) v = graph_.resolve(v);
      for (Value& v : operation.destinations) v = graph_.resolve(v);
      if (operation.guard != kNone) operation.guard = graph_.resolve(operation.guard);
    }
  }

 private:
  // The second of the two values first: what is computed last can wait for the predicate.
  void foldOne(Operation& select) {
    const Value to = graph_.resolve(select.destinations[0]);
    for (const size_t i : {1U, 0U}) {
      const Value under = graph_.resolve(select.sources[i]), other = graph_.resolve(select.sources[1 - i]);
      Operation* maker = makerOf(under, select);
      if (maker == nullptr || !mayBePredicated(*maker) || under == other || !isFree(other, to, select))
        continue;
      const Value predicate = graph_.resolve(select.sources[2]);
      if (!isBefore(predicate, *maker)) continue;
      maker->guard = predicate;
      maker->sources.push_back(predicate);
      select.dropped = true;
      moveBefore(select, *maker);
      join(under, to);
      if (other != to) join(other, to);
      return;
    }
  }

  // After the comparison, where the selection was.
  void moveBefore(const Operation& select, const Operation& maker) {
    std::vector<uint32_t>& list = graph_.segments[select.segment].operations;
    const auto index = [&](const Operation& o) {
      return static_cast<uint32_t>(&o - graph_.operations.data());
    };
    std::erase(list, index(maker));
    list.insert(std::ranges::find(list, index(select)), index(maker));
  }

  void join(Value from, Value to) {
    graph_.values[from].alias = to;
    graph_.values[to].definition = kNone;
    ++graph_.values[to].definitions;
  }

  Operation* makerOf(Value v, const Operation& select) {
    if (uses_[v] != 1 || graph_.values[v].definitions != 1) return nullptr;
    Operation* maker = graph_.makerOf(v);
    const bool near =
        maker != nullptr && !maker->dropped && !maker->pinned && maker->segment == select.segment;
    return near ? maker : nullptr;
  }

  static bool mayBePredicated(const Operation& operation) {
    constexpr uint8_t kMostIssues = 2;
    if (operation.unit.issues > kMostIssues || operation.destinations.size() != 1) return false;
    const Kind kind = operation.instruction->kind;
    return kind == Kind::kRegister || (kind == Kind::kLoad && operation.instruction->vector == 1);
  }

  // Whether the result can be written where the other value is.
  bool isFree(Value other, Value to, const Operation& select) {
    const ValueInfo& info = graph_.values[other];
    if (info.kind != ValueKind::kRegister || info.uniform) return false;
    if (other == to) return true;
    return info.definitions == 1 && info.definition != kNone &&
           graph_.operations[info.definition].segment == select.segment &&
           graph_.values[to].definitions == 1 && isLastUse(other, select);
  }

  bool isLastUse(Value v, const Operation& select) const {
    uint32_t seen = 0;
    for (const uint32_t o : graph_.segments[select.segment].operations) {
      const Operation& operation = graph_.operations[o];
      if (operation.dropped) continue;
      seen += static_cast<uint32_t>(std::ranges::count_if(
          operation.sources, [&](Value source) { return graph_.resolve(source) == v; }));
      if (&operation == &select) break;
    }
    return seen == uses_[v];
  }

  // Whether the operation can wait for the predicate: it is not computed from its result.
  bool isBefore(Value predicate, const Operation& operation) const {
    const uint32_t definition = graph_.values[predicate].definition;
    if (definition == kNone) return false;
    const Operation& compare = graph_.operations[definition];
    return std::ranges::none_of(compare.sources, [&](Value v) {
      return graph_.resolve(v) == graph_.resolve(operation.destinations[0]);
    });
  }

  Graph& graph_;
  std::vector<uint32_t> uses_;
};

// Whether an operation makes one constant of another: extends, shifts or multiplies it.
bool scales(const Graph& graph, const Operation& operation) {
  if (operation.dropped || operation.instruction == nullptr || operation.guard != kNone ||
      operation.destinations.size() != 1 || operation.sources.empty())
    return false;
  const Instruction& in = *operation.instruction;
  if (in.op == Op::kCvt) return !ptx::isFloat(in.type) && !ptx::isFloat(in.type2);
  const bool by_constant = operation.sources.size() == 2 && graph.isConstant(operation.sources[1]);
  return by_constant && (in.op == Op::kShl || (in.op == Op::kMul && !ptx::isFloat(in.type) &&
                                               in.modifiers.part != ptx::Part::kHi));
}

bool selectsConstant(const Graph& graph, const Operation& operation) {
  return operation.instruction != nullptr && operation.instruction->op == Op::kSelp &&
         operation.sources.size() == 3 && graph.isConstant(operation.sources[0]) &&
         graph.isConstant(operation.sources[1]);
}

}  // namespace

// The bits of a word that are collected as `word |= (a == b) << k` are one SEL between 1 << k and 0 each.
void scaleSelections(Graph& graph) {
  const std::vector<uint32_t> uses = countUses(graph);
  for (const uint32_t segment : dominatorsFirst(graph)) {
    for (const uint32_t o : graph.segments[segment].operations) {
      Operation& operation = graph.operations[o];
      if (!scales(graph, operation)) continue;
      const Value selected = graph.resolve(operation.sources[0]), result = operation.destinations[0];
      const Operation* select = graph.makerOf(selected);
      if (select == nullptr || select->dropped || !selectsConstant(graph, *select)) continue;
      if (uses[operation.sources[0]] != 1 || graph.values[result].definitions != 1) continue;
      graph.values[result].alias = selected;
      operation.dropped = true;
    }
  }
  for (Operation& operation : graph.operations) {
    for (Value& v : operation.sources) v = graph.resolve(v);
  }
}

void foldSelections(Graph& graph) {
  Selections(graph).fold();
}

}  // namespace warpscope::sim::lowering
