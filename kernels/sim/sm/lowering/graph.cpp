#include "kernels/sim/sm/lowering/graph.h"

namespace warpscope::sim::lowering {

Value Graph::addValue(ValueKind kind, uint8_t words) {
  values.push_back({.kind = kind, .words = words});
  return static_cast<Value>(values.size() - 1);
}

Value Graph::intern(ValueKind kind, uint64_t bits, uint8_t words) {
  // A parameter that is read in two widths is loaded once for each.
  const uint64_t key = kind == ValueKind::kConstantBank ? bits * 8 + words : bits;
  const auto [at, is_new] = interned.try_emplace({kind, key}, kNone);
  if (is_new) {
    at->second = addValue(kind, words);
    values.back().bits = bits;
    values.back().uniform = true;
  }
  return at->second;
}

uint32_t Graph::addOperation(Operation operation) {
  const auto index = static_cast<uint32_t>(operations.size());
  for (const Value v : operation.destinations) {
    values[v].definition = values[v].definitions++ == 0 ? index : kNone;
  }
  operations.push_back(std::move(operation));
  return index;
}

Operation* Graph::makerOf(Value v) {
  const uint32_t definition = values[resolve(v)].definition;
  if (definition == kNone) return nullptr;
  Operation& maker = operations[definition];
  return maker.instruction != nullptr && maker.guard == kNone ? &maker : nullptr;
}

bool Graph::inLoop(uint32_t segment, uint32_t loop) const {
  for (uint32_t at = segments[segment].loop; at != kNone; at = loops[at].parent) {
    if (at == loop) return true;
  }
  return false;
}

bool Graph::dominates(uint32_t a, uint32_t b) const {
  // A dominator comes before the segments it dominates in reverse postorder.
  while (b != kNone && b != a && segments[b].order > segments[a].order) b = segments[b].dominator;
  return b == a;
}

std::vector<uint32_t> countUses(const Graph& graph) {
  std::vector<uint32_t> uses(graph.values.size());
  for (const Operation& operation : graph.operations) {
    if (operation.dropped) continue;
    for (const Value v : operation.sources) ++uses[graph.resolve(v)];
  }
  return uses;
}

}  // namespace warpscope::sim::lowering
