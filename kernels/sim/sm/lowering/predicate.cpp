// ptxas' rule, as far as the SASS of this project's kernels, of the truth suite's open part and of other
// people's programs shows it (1,602 branches over straight code, sm_90, 13.0): a branch becomes predication
// over at most 11 machine instructions if they only compute or load from global memory once, at most 8 if
// they load from shared memory or store (8 are, 9 are not), at most 7 if they load and store, not both in
// shared memory (rate_tree_options of the truth suite and 12 variants, 2026-11-27). Each further load
// from global memory counts for three, and so does one beside a store (two loads and a store in five
// instructions remain a branch, a load and a store in four do not). With three loads from global memory it
// always remains a branch (22 branches of 8 kernels). Atomics, barriers, warp-wide instructions and what
// calls a subroutine are never predicated.
// Two branches to the same place one after the other, or the first of which goes to where the second falls
// through to, become one on both conditions, if at most five instructions come between that only compute,
// the second comparison included, and set nothing that has another value where the first branch goes (60
// variants, sm_90, ptxas 13.0, 2026-11-27); of three, the last two first, whose combination then counts, too.
// Those that leave the kernel remain.
#include <algorithm>
#include <map>
#include <set>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"

namespace warpscope::sim::lowering {
namespace {

constexpr uint32_t kMostComputing = 11, kMostInstructions = 8, kMostOfBoth = 7;
constexpr uint32_t kMoreOfLoad = 2;   // a further load from global memory counts for three
constexpr uint32_t kMostLoads = 2;    // from global memory
constexpr uint32_t kMostBetween = 5;  // between two branches that become one
constexpr uint32_t kMostGroupMembers = 200;

class Predicator {
 public:
  explicit Predicator(Graph& graph) : graph_(graph) {
    for (const Operation& operation : graph.operations) {
      if (operation.dropped) continue;
      for (const Value v : operation.sources) {
        if (graph.values[v].kind == ValueKind::kSharedAddress) addressed_[v].insert(operation.segment);
      }
    }
  }

  void predicate() {
    const auto count = static_cast<uint32_t>(graph_.segments.size());
    combined_.assign(count, kNone);
    between_.assign(count, 0);
    for (uint32_t s = count; s-- > 0;) combineWithNext(s);
    for (uint32_t s = 0; s + 1 < count; ++s) {
      if (branches(s) && combined_[s] == kNone) predicateAt(s);
    }
  }

 private:
  struct Range {
    uint32_t first = 0, end = 0;
  };

  bool isReachable(uint32_t s) const {
    return graph_.segments[s].order != kNone && graph_.code->segments[s].count > 0;
  }
  bool isOnlyJump(uint32_t s) const {
    const Instruction& in = lastOf(graph_, s);
    return graph_.code->segments[s].count == 1 && in.kind == Kind::kBranch && in.guard == kNoPredicate;
  }
  bool branches(uint32_t s) const {
    return isReachable(s) && isConditional(lastOf(graph_, s)) && !lastOf(graph_, s).modifiers.uniform;
  }
  uint32_t targetOf(uint32_t s) const { return graph_.code->segment_of[lastOf(graph_, s).target]; }

  void predicateAt(uint32_t head) {
    const uint32_t target = targetOf(head);
    if (target <= head) return;
    // "@p bra A; bra.uni J; A: body; J:", or "@p bra A; bra.uni E; A: body; bra.uni J; E: body; J:"
    if (target == head + 2 && isOnlyJump(head + 1) && targetOf(head + 1) > target) {
      const uint32_t otherwise = targetOf(head + 1);
      convert(head, {target, otherwise}, secondBody(otherwise));
      return;
    }
    if (isConjunction(head, target)) {
      convertConjunction(head, target);
      return;
    }
    // "@p bra J; body; J:", or "@p bra E; body; bra.uni J; E: body; J:"
    convert(head, {head + 1, target}, secondBody(target));
  }

  // "@p bra T; body; @q bra T;" or "@p bra N; body; @q bra T; N:".
  void combineWithNext(uint32_t head) {
    const uint32_t next = head + 1;
    if (next + 1 >= graph_.segments.size() || !branches(head) || !branches(next)) return;
    if (targetOf(head) != targetOf(next) && targetOf(head) != next + 1) return;
    if (targetOf(head) > head && isConjunction(head, targetOf(head))) return;
    const uint32_t pc = lastPc(graph_, head), last = lastPc(graph_, next);
    if (graph_.operations[pc].dropped || graph_.operations[last].dropped) return;
    if (graph_.exit_branch[pc] || graph_.exit_branch[last]) return;
    if (graph_.segments[next].predecessors != std::vector{head}) return;
    uint32_t issues = between_[next];
    std::set<Value> loaded;
    for (const uint32_t o : graph_.segments[next].operations) {
      const Operation& operation = graph_.operations[o];
      if (std::ranges::any_of(operation.destinations, [&](Value v) { return isAlsoSetElsewhere(v); })) return;
      if (operation.dropped || o == last) continue;
      if (!onlyComputes(operation)) return;
      issues += operation.unit.issues + loads(operation, head, loaded);
    }
    if (issues > kMostBetween) return;
    between_[head] = issues + 1;
    combined_[head] = next;
    Operation* condition = graph_.makerOf(graph_.operations[last].guard);
    if (condition != nullptr && !takesPredicate(condition) &&
        !takesPredicate(graph_.makerOf(graph_.operations[pc].guard)))
      ++condition->unit.issues;  // PLOP3
    graph_.predicated_branch[pc] = true;
    graph_.operations[pc].dropped = true;
    graph_.segments[next].predicated = true;
  }

  // Whether a comparison (ISETP, FSETP) can combine its result with a predicate: LOP3, which compares with
  // zero what it computes, cannot, nor one that has a predicate as an input already.
  static bool takesPredicate(const Operation* condition) {
    return condition != nullptr && condition->instruction->op == ptx::Op::kSetp &&
           condition->sources.size() == 2;
  }

  // From registers, and the same whichever lanes are active.
  static bool onlyComputes(const Operation& operation) {
    if (operation.pure) return true;
    if (operation.instruction == nullptr || operation.access >= 0 || operation.pinned) return false;
    const Instruction& in = *operation.instruction;
    return in.kind == Kind::kRegister && in.op != ptx::Op::kActivemask && in.op != ptx::Op::kVote &&
           !callsSubroutine(in);
  }

  bool isAlsoSetElsewhere(Value v) const {
    return graph_.values[v].definitions > 1 || graph_.values[graph_.resolve(v)].definitions > 1;
  }

  // "@p bra F; body; @q bra J; F: mov.pred r, ...; J:", which is r = !p && q or the like, as nvcc tests
  // whether a number is one of a few: ptxas 13.0 computes both predicates and combines them, which costs
  // nothing as the comparisons read predicates.
  bool isConjunction(uint32_t head, uint32_t otherwise) const {
    const uint32_t last = otherwise - 1;
    if (otherwise < head + 2 || otherwise + 1 >= graph_.segments.size() || !isReachable(otherwise))
      return false;
    const SegmentInfo& set = graph_.segments[otherwise];
    if (set.predecessors.size() != 2 || set.successors != std::vector{otherwise + 1}) return false;
    if (!isConditional(lastOf(graph_, last)) || targetOf(last) != otherwise + 1) return false;
    if (!std::ranges::all_of(set.operations, [&](uint32_t o) { return setsPredicate(graph_.operations[o]); }))
      return false;
    uint32_t issues = 0;
    for (uint32_t s = head + 1; s <= last; ++s) {
      const SegmentInfo& body = graph_.segments[s];
      if (!isReachable(s) || body.predecessors != std::vector{s - 1}) return false;
      if (body.successors.size() != (s == last ? 2 : 1)) return false;
      for (const uint32_t o : body.operations) {
        const Operation& operation = graph_.operations[o];
        if (operation.dropped || o == lastPc(graph_, last)) continue;
        if (operation.access >= 0 || !canBePredicated(operation)) return false;
        issues += operation.unit.issues;
      }
    }
    return issues <= kMostComputing;
  }

  // To true or false.
  static bool setsPredicate(const Operation& operation) {
    const bool moves = operation.instruction != nullptr && operation.instruction->op == ptx::Op::kMov &&
                       operation.instruction->type == ptx::Type::kPred && operation.sources.empty();
    return operation.dropped || moves;
  }

  void convertConjunction(uint32_t head, uint32_t otherwise) {
    for (const uint32_t s : {head, otherwise - 1}) {
      graph_.predicated_branch[lastPc(graph_, s)] = true;
      graph_.operations[lastPc(graph_, s)].dropped = true;
    }
    std::set<Value> set;
    for (const uint32_t o : graph_.segments[otherwise].operations) {
      for (const Value v : graph_.operations[o].destinations) set.insert(graph_.resolve(v));
    }
    for (const uint32_t s : {head, otherwise}) {
      for (const uint32_t o : graph_.segments[s].operations) {
        Operation& operation = graph_.operations[o];
        const bool constant = setsPredicate(operation) && operation.destinations.size() == 1;
        if (constant && set.contains(graph_.resolve(operation.destinations[0]))) operation.dropped = true;
      }
    }
    for (uint32_t s = head + 1; s <= otherwise; ++s) graph_.segments[s].predicated = true;
  }

  // The code after `s` that the code before it jumps over; empty if it does not.
  Range secondBody(uint32_t s) const {
    const Instruction& before = lastOf(graph_, s - 1);
    if (!isReachable(s - 1) || before.kind != Kind::kBranch || before.guard != kNoPredicate) return {};
    const uint32_t meeting = targetOf(s - 1);
    return meeting > s ? Range{s, meeting} : Range{};
  }

  void convert(uint32_t head, Range first, Range second) {
    uint32_t issues = 0;
    uint32_t global_loads = 0;
    bool writes_global = false, computes = true, reads = false, writes = false, shared = true;
    std::set<Value> loaded;
    const bool jumps_first = first.first == head + 2;
    for (const Range range : {first, second}) {
      const uint32_t entry = jumps_first && range.first == second.first ? head + 1 : head;
      for (uint32_t s = range.first; s < range.end; ++s) {
        if (!isBody(s, s == range.first ? entry : s - 1)) return;
        for (const uint32_t o : graph_.segments[s].operations) {
          const Operation& operation = graph_.operations[o];
          if (operation.dropped || operation.late || isJumpAtEnd(operation, range, second, s)) continue;
          if (!canBePredicated(operation)) return;
          issues += operation.unit.issues + loads(operation, head, loaded);
          const bool global = operation.access >= 0 && !ptx::isShared(operation.instruction->space);
          global_loads += global && operation.reads_memory ? 1 : 0;
          writes_global |= global && operation.writes_memory;
          shared = shared && !global;
          reads = reads || operation.reads_memory;
          writes = writes || operation.writes_memory;
          computes = computes && (operation.access < 0 || (global && operation.reads_memory));
        }
      }
    }
    if (global_loads > kMostLoads) return;
    const uint32_t further = global_loads + (writes_global ? 1 : 0);
    if (global_loads > 0 && further > 1) issues += kMoreOfLoad * (further - 1);
    const uint32_t most =
        reads && writes && !shared ? kMostOfBoth : (computes ? kMostComputing : kMostInstructions);
    if (issues > most) return;
    const uint32_t pc = lastPc(graph_, head);
    graph_.predicated_branch[pc] = true;
    Operation& branch = graph_.operations[pc];
    branch.dropped = true;
    const Value guard = branch.guard;
    for (const Range range : {first, second}) {
      for (uint32_t s = range.first; s < range.end; ++s) guardBody(s, guard);
    }
    if (jumps_first) graph_.operations[lastPc(graph_, head + 1)].dropped = true;
  }

  // Straight-line code that can only be entered from `before`.
  bool isBody(uint32_t s, uint32_t before) const {
    return isReachable(s) && !graph_.segments[s].predecessors.empty() &&
           graph_.segments[s].successors.size() == 1 &&
           std::ranges::all_of(graph_.segments[s].predecessors,
                               [&](uint32_t p) { return p == before || branchesWith(p, before); });
  }

  // Whether a segment's branch has become part of another's.
  bool branchesWith(uint32_t s, uint32_t other) const {
    while (combined_[s] != kNone) s = combined_[s];
    return s == other;
  }

  static bool isJumpAtEnd(const Operation& operation, Range range, Range second, uint32_t s) {
    return second.end != 0 && s + 1 == range.end && range.end == second.first &&
           operation.transfer == Transfer::kBranch;
  }

  static bool canBePredicated(const Operation& operation) {
    if (operation.pure) return true;
    if (operation.instruction == nullptr || operation.transfer != Transfer::kNot) return false;
    switch (operation.instruction->kind) {
      case Kind::kRegister:
        return !callsSubroutine(*operation.instruction);
      case Kind::kReadSpecial:
      case Kind::kClock:
      case Kind::kLoadParameter:
      case Kind::kLocalAddress:
      case Kind::kNothing:
        return true;
      case Kind::kLoad:
      case Kind::kStore:
        return operation.instruction->modifiers.semantics <= ptx::Semantics::kWeak;
      default:
        return false;
    }
  }

  // Counts what has to be loaded or computed for its constant operands: LDC, and the address of a shared
  // variable.
  uint32_t loads(const Operation& operation, uint32_t head, std::set<Value>& seen) const {
    uint32_t count = 0;
    for (const Value v : operation.sources) {
      const ValueKind kind = graph_.values[v].kind;
      if (kind == ValueKind::kConstantBank && seen.insert(v).second) ++count;
      if (kind == ValueKind::kSharedAddress && seen.insert(v).second &&
          graph_.profile->limits.compute_capability.major >= 9)
        count += addressCost(v, head);
    }
    return count;
  }

  // A variable's address is known where it was needed before; of another variable's, the window is.
  uint32_t addressCost(Value v, uint32_t head) const {
    const auto is_known = [&](const auto& addressed) {
      return std::ranges::any_of(addressed.second, [&](uint32_t s) {
        return !graph_.segments[s].predicated && graph_.dominates(s, head);
      });
    };
    if (is_known(*addressed_.find(v))) return 0;
    return std::ranges::any_of(addressed_, is_known) ? 2 : 3;
  }

  void guardBody(uint32_t s, Value guard) {
    graph_.segments[s].predicated = true;
    for (const uint32_t o : graph_.segments[s].operations) {
      Operation& operation = graph_.operations[o];
      if (operation.transfer == Transfer::kBranch) operation.dropped = true;
      if (operation.dropped || operation.guard != kNone) continue;
      operation.guard = guard;
      operation.sources.push_back(guard);
      // Two PLOP3 make its own predicate and the guard one.
      if (operation.chooses) operation.unit.issues = static_cast<uint8_t>(operation.unit.issues + 2);
    }
  }

  Graph& graph_;
  std::map<Value, std::set<uint32_t>>
      addressed_;                   // by address of a shared variable: the segments that read it
  std::vector<uint32_t> combined_;  // by segment: the next one, whose branch is the only one for both
  std::vector<uint32_t> between_;   // by segment: instructions that are now before that branch
};

class Grouper {
 public:
  explicit Grouper(Graph& graph) : graph_(graph) {}

  void form() {
    const auto count = static_cast<uint32_t>(graph_.segments.size());
    for (uint32_t first = 0; first < count;) {
      uint32_t end = first + 1;
      while (end < count && end - first < kMostGroupMembers && continues(first, end)) ++end;
      for (uint32_t s = first; s < end; ++s) {
        graph_.segments[s].group_first = first;
        graph_.segments[s].group_count = end - first;
      }
      first = end;
    }
  }

 private:
  // Whether segment `next` belongs to the group that begins at `first` and so far reaches to next - 1.
  bool continues(uint32_t first, uint32_t next) const {
    const Code& code = *graph_.code;
    const SegmentInfo& info = graph_.segments[next];
    if (info.order == kNone || code.segments[next].count == 0 || info.predecessors.empty()) return false;
    if (graph_.segments[first].order == kNone || code.segments[first].count == 0) return false;
    if (info.function != graph_.segments[first].function) return false;
    // The time is read when the segment begins.
    if (code.instructions[code.segments[next].first].kind == Kind::kClock) return false;
    const Operation& end = graph_.operations[lastPc(graph_, next - 1)];
    if (end.ends_segment && !end.dropped) return false;
    if (endsOtherwise(next - 1)) return false;
    return std::all_of(info.predecessors.begin(), info.predecessors.end(),
                       [&](uint32_t p) { return p >= first && p < next && !leavesForGood(p); });
  }

  // Whether an EXIT was placed after the segment's own last instruction.
  bool endsOtherwise(uint32_t s) const {
    const std::vector<uint32_t>& list = graph_.segments[s].operations;
    return !list.empty() && graph_.operations[list.back()].instruction == nullptr &&
           graph_.operations[list.back()].ends_segment;
  }

  // A remaining branch does not continue within its group.
  bool leavesForGood(uint32_t from) const {
    const Operation& end = graph_.operations[lastPc(graph_, from)];
    return end.ends_segment && !end.dropped;
  }

  Graph& graph_;
};

}  // namespace

void predicateShortBranches(Graph& graph) {
  Predicator(graph).predicate();
}

void formGroups(Graph& graph) {
  Grouper(graph).form();
}

}  // namespace warpscope::sim::lowering
