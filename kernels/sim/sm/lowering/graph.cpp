#include "kernels/sim/sm/lowering/graph.h"

#include <algorithm>

#include "kernels/sim/sm/lowering/units.h"

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
    values.back().uniform = values.back().agreed = true;
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

bool Graph::loadsConstantOfAll(const Operation& operation) const {
  if (operation.instruction == nullptr || operation.sources.empty()) return false;
  const Instruction& in = *operation.instruction;
  return in.kind == Kind::kLoad && in.space == ptx::Space::kConst && in.address_bits != 0 &&
         values[resolve(operation.sources[0])].agreed;
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

uint32_t Graph::commonDominator(uint32_t a, uint32_t b) const {
  while (a != kNone && !dominates(a, b)) a = segments[a].dominator;
  return a;
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

namespace {

bool leaves(const Instruction& last) {
  return last.guard == kNoPredicate &&
         (last.kind == Kind::kReturn || last.kind == Kind::kExit || last.kind == Kind::kTrap ||
          last.kind == Kind::kBranch || last.kind == Kind::kIndirectBranch);
}

void addEdge(Graph& graph, uint32_t from, uint32_t pc) {
  const Code& code = *graph.code;
  if (pc >= code.segment_of.size()) return;
  const uint32_t to = code.segment_of[pc];
  if (graph.segments[to].function != graph.segments[from].function) return;
  std::vector<uint32_t>& successors = graph.segments[from].successors;
  if (std::find(successors.begin(), successors.end(), to) != successors.end()) return;
  successors.push_back(to);
  graph.segments[to].predecessors.push_back(from);
}

void addEdges(Graph& graph, uint32_t segment) {
  const Code& code = *graph.code;
  if (code.segments[segment].count == 0) return;
  const uint32_t pc = lastPc(graph, segment);
  const Instruction& last = code.instructions[pc];
  if (!leaves(last)) addEdge(graph, segment, pc + 1);
  if (last.kind == Kind::kBranch) addEdge(graph, segment, last.target);
  if (last.kind == Kind::kIndirectBranch && last.table < code.tables.size()) {
    for (const uint32_t target : code.tables[last.table]) addEdge(graph, segment, target);
  }
}

// Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm.
void findDominators(Graph& graph, const std::vector<uint32_t>& order) {
  std::vector<SegmentInfo>& segments = graph.segments;
  const auto intersect = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (segments[a].order > segments[b].order) a = segments[a].dominator;
      while (segments[b].order > segments[a].order) b = segments[b].dominator;
    }
    return a;
  };
  segments[order[0]].dominator = order[0];
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 1; i < order.size(); ++i) {
      uint32_t dominator = kNone;
      for (const uint32_t p : segments[order[i]].predecessors) {
        if (segments[p].order == kNone || segments[p].dominator == kNone) continue;
        dominator = dominator == kNone ? p : intersect(dominator, p);
      }
      changed |= segments[order[i]].dominator != dominator;
      segments[order[i]].dominator = dominator;
    }
  }
  segments[order[0]].dominator = kNone;
}

// Everything that reaches a latch without passing through the header.
std::vector<uint32_t> loopBody(const Graph& graph, uint32_t header, const std::vector<uint32_t>& latches) {
  std::vector<uint32_t> body{header};
  std::vector<bool> seen(graph.segments.size());
  seen[header] = true;
  std::vector<uint32_t> work = latches;
  while (!work.empty()) {
    const uint32_t at = work.back();
    work.pop_back();
    if (seen[at] || graph.segments[at].order == kNone) continue;
    seen[at] = true;
    body.push_back(at);
    const std::vector<uint32_t>& predecessors = graph.segments[at].predecessors;
    work.insert(work.end(), predecessors.begin(), predecessors.end());
  }
  return body;
}

void findLoops(Graph& graph, const std::vector<uint32_t>& order) {
  // Headers in reverse postorder, so that outer loops come before inner ones.
  for (const uint32_t header : order) {
    std::vector<uint32_t> latches;
    for (const uint32_t p : graph.segments[header].predecessors) {
      if (graph.segments[p].order != kNone && graph.dominates(header, p)) latches.push_back(p);
    }
    if (latches.empty()) continue;
    const auto index = static_cast<uint32_t>(graph.loops.size());
    Loop loop{.header = header,
              .parent = graph.segments[header].loop,
              .preheader = graph.segments[header].dominator,
              .segments = loopBody(graph, header, latches)};
    for (const uint32_t s : loop.segments) {
      graph.segments[s].loop = index;
      ++graph.segments[s].depth;
    }
    graph.loops.push_back(std::move(loop));
  }
}

}  // namespace

std::vector<uint32_t> dominatorsFirst(const Graph& graph) {
  std::vector<uint32_t> order;
  for (uint32_t s = 0; s < graph.segments.size(); ++s) {
    if (graph.segments[s].order != kNone) order.push_back(s);
  }
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) {
    const SegmentInfo &x = graph.segments[a], &y = graph.segments[b];
    return x.function != y.function ? x.function < y.function : x.order < y.order;
  });
  return order;
}

bool isOneBlock(const Graph& graph, uint32_t loop) {
  return std::ranges::count_if(graph.loops[loop].segments, [&](uint32_t s) {
           return graph.segments[s].successors.size() > 1 && !graph.predicated_branch[lastPc(graph, s)];
         }) <= 1;
}

bool hasSubroutine(const Graph& graph, uint32_t loop) {
  return std::ranges::any_of(graph.loops[loop].segments, [&](uint32_t s) {
    return std::ranges::any_of(graph.segments[s].operations, [&](uint32_t o) {
      const Operation& operation = graph.operations[o];
      return !operation.dropped && operation.instruction != nullptr &&
             callsSubroutine(*operation.instruction);
    });
  });
}

std::vector<uint32_t> reversePostorder(const Graph& graph, uint32_t function) {
  const Code& code = *graph.code;
  std::vector<uint32_t> order;
  if (code.functions[function].entry >= code.segment_of.size()) return order;
  struct Visit {
    uint32_t segment, next;
  };
  const uint32_t entry = code.segment_of[code.functions[function].entry];
  std::vector<bool> seen(graph.segments.size());
  std::vector<Visit> stack{{entry, 0}};
  seen[entry] = true;
  while (!stack.empty()) {
    Visit& top = stack.back();
    const std::vector<uint32_t>& successors = graph.segments[top.segment].successors;
    if (top.next == successors.size()) {
      order.push_back(top.segment);
      stack.pop_back();
    } else if (const uint32_t next = successors[top.next++]; !seen[next]) {
      seen[next] = true;
      stack.push_back({next, 0});
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

void analyzeFlow(Graph& graph) {
  for (uint32_t s = 0; s < graph.segments.size(); ++s) addEdges(graph, s);
  for (uint32_t f = 0; f < graph.code->functions.size(); ++f) {
    const std::vector<uint32_t> order = reversePostorder(graph, f);
    if (order.empty()) continue;
    for (uint32_t i = 0; i < order.size(); ++i) graph.segments[order[i]].order = i;
    findDominators(graph, order);
    findLoops(graph, order);
  }
}

}  // namespace warpscope::sim::lowering
