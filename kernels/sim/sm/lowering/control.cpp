#include <algorithm>
#include <map>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"

namespace warpscope::sim::lowering {
namespace {

class Layout {
 public:
  explicit Layout(Graph& graph) : graph_(graph), claimed_(graph.segments.size()) {}

  void apply() {
    for (uint32_t s = 0; s < graph_.segments.size(); ++s) {
      if (isReachable(s)) dropJump(s);
    }
    for (uint32_t s = 0; s < graph_.segments.size(); ++s) {
      if (isReachable(s) && isLoneExit(s)) moveExit(s);
    }
  }

 private:
  bool isReachable(uint32_t s) const {
    return graph_.segments[s].order != kNone && graph_.code->segments[s].count > 0;
  }

  Operation& last(uint32_t s) { return graph_.operations[lastPc(graph_, s)]; }

  bool isAlone(uint32_t s) const {
    const std::vector<uint32_t>& list = graph_.segments[s].operations;
    return std::all_of(list.begin(), list.end() - 1,
                       [&](uint32_t o) { return graph_.operations[o].dropped; });
  }

  bool isJump(uint32_t s) const {
    const Instruction& in = lastOf(graph_, s);
    return in.kind == Kind::kBranch && in.guard == kNoPredicate;
  }

  // "@p bra A; bra.uni B;": the branch is inverted, and A follows it.
  bool isPairOf(uint32_t s, uint32_t conditional) const {
    return isJump(s) && isAlone(s) && s == conditional + 1 && isConditional(lastOf(graph_, conditional)) &&
           graph_.segments[s].predecessors.size() == 1 && graph_.segments[s].predecessors[0] == conditional;
  }

  bool fallsInto(uint32_t s, uint32_t next) const {
    const std::vector<uint32_t>& successors = graph_.segments[s].successors;
    if (!isJump(s)) return std::find(successors.begin(), successors.end(), next) != successors.end();
    if (s == 0 || !isPairOf(s, s - 1)) return false;
    const std::vector<uint32_t>& of_pair = graph_.segments[s - 1].successors;
    return std::find(of_pair.begin(), of_pair.end(), next) != of_pair.end();
  }

  void dropJump(uint32_t s) {
    if (!isJump(s)) return;
    const uint32_t target = graph_.code->segment_of[lastOf(graph_, s).target];
    const bool pair = s > 0 && isPairOf(s, s - 1) && fallsInto(s, s + 1);
    // A block that no other block falls into can be placed after this one.
    const bool is_free = !claimed_[target] && graph_.segments[target].order > graph_.segments[s].order &&
                         (target == 0 || !isReachable(target - 1) || !fallsInto(target - 1, target));
    if (!pair && !is_free) return;
    if (!pair) claimed_[target] = true;
    last(s).dropped = true;
  }

  bool isLoneExit(uint32_t s) const {
    const Instruction& in = lastOf(graph_, s);
    return graph_.segments[s].function == 0 && in.guard == kNoPredicate &&
           (in.kind == Kind::kReturn || in.kind == Kind::kExit) && isAlone(s);
  }

  // Gives each block that leads to the exit an EXIT of its own.
  void moveExit(uint32_t s) {
    bool still_needed = graph_.segments[s].predecessors.empty();
    for (const uint32_t p : graph_.segments[s].predecessors) {
      if (!isReachable(p)) continue;
      Operation& end = last(p);
      const Instruction& in = *end.instruction;
      const bool jumps = in.kind == Kind::kBranch && graph_.code->segment_of[in.target] == s;
      if (jumps) end.transfer = Transfer::kExit;
      if (jumps) graph_.exit_branch[end.pc] = true;
      if (jumps && in.guard == kNoPredicate) end.dropped = false;
      if (!jumps && end.ends_segment) still_needed = true;
      if (!jumps && in.kind != Kind::kBranch) addExit(p);
    }
    last(s).dropped = !still_needed;
  }

  void addExit(uint32_t s) {
    if (last(s).ends_segment) return;
    Operation exit;
    exit.pc = lastPc(graph_, s);
    exit.segment = s;
    exit.unit = {Pipe::kBranch, 1, static_cast<uint16_t>(graph_.profile->branch_latency_cycles)};
    exit.transfer = Transfer::kExit;
    exit.pinned = exit.ends_segment = true;
    graph_.segments[s].operations.push_back(graph_.addOperation(std::move(exit)));
  }

  Graph& graph_;
  std::vector<bool> claimed_;  // by segment: a jump to it is saved by placing it here
};

class Convergence {
 public:
  explicit Convergence(Graph& graph) : graph_(graph) {}

  void add() {
    std::map<uint32_t, uint32_t> begin_of;  // by the segment where the lanes reconverge
    for (uint32_t s = 0; s < graph_.segments.size(); ++s) {
      for (const uint32_t meeting : meetingsOf(s)) {
        graph_.meets_at_sync[lastPc(graph_, s)] = true;
        const auto [at, is_new] = begin_of.try_emplace(meeting, s);
        if (!is_new) at->second = graph_.commonDominator(at->second, s);
      }
    }
    for (const auto& [meeting, from] : begin_of) {
      uint32_t begin = from;
      while (begin != kNone && graph_.segments[begin].loop != kNone &&
             !graph_.inLoop(meeting, graph_.segments[begin].loop))
        begin = graph_.loops[graph_.segments[begin].loop].preheader;
      if (begin == kNone) continue;
      insert(begin, Transfer::kNot);
      insert(meeting, Transfer::kSync);
      addBreaks(begin, meeting);
    }
    for (Operation& operation : graph_.operations) meetAfterSubroutine(operation);
  }

 private:
  // The branch to the subroutine of a division or root needs no BSSY and BSYNC either, where its operands are
  // the same for all lanes (ptxas 13.0 for sm_90: givens and rank_pull of the truth suite).
  void meetAfterSubroutine(Operation& operation) const {
    constexpr uint8_t kAround = 2;
    if (operation.dropped || operation.instruction == nullptr) return;
    const Instruction& in = *operation.instruction;
    if (in.kind != Kind::kRegister || !ptx::isFloat(in.type) || !callsSubroutine(in)) return;
    const bool agreed = std::ranges::all_of(operation.sources,
                                            [&](Value v) { return graph_.values[graph_.resolve(v)].agreed; });
    if (agreed && operation.unit.issues > kAround) operation.unit.issues -= kAround;
  }

  // The segments in which the lanes of a segment's branch reconverge, those that do not leave a loop before
  // the others; none if nothing has to be done for it.
  std::vector<uint32_t> meetingsOf(uint32_t s) const {
    const SegmentInfo& info = graph_.segments[s];
    if (info.order == kNone || graph_.code->segments[s].count == 0) return {};
    const Operation& branch = graph_.operations[lastPc(graph_, s)];
    const Instruction& in = *branch.instruction;
    if (!isConditional(in) || branch.dropped || branch.transfer != Transfer::kBranch) return {};
    if (graph_.values[graph_.resolve(branch.guard)].agreed || in.modifiers.uniform) return {};
    std::vector<uint32_t> meetings;
    for (const uint32_t pc : graph_.code->meetings[in.meetings])
      meetings.push_back(graph_.code->segment_of[pc]);
    if (in.reconverge < graph_.code->segment_of.size() && !endsThere(in.reconverge))
      meetings.push_back(graph_.code->segment_of[in.reconverge]);
    return meetings;
  }

  bool endsThere(uint32_t pc) const {
    const uint32_t meeting = graph_.code->segment_of[pc];
    const Instruction& there = lastOf(graph_, meeting);
    const bool leaves = there.kind == Kind::kReturn || there.kind == Kind::kExit;
    return leaves && graph_.code->segments[meeting].count == 1;
  }

  // Lanes that leave the loop between a BSSY and its BSYNC are taken off the barrier: BREAK. The BSYNC may be
  // where the next trip begins.
  void addBreaks(uint32_t begin, uint32_t meeting) {
    const uint32_t loop = graph_.segments[meeting].loop;
    if (loop == kNone || !graph_.inLoop(begin, loop)) return;
    for (const uint32_t s : graph_.loops[loop].segments) {
      const std::vector<uint32_t>& next = graph_.segments[s].successors;
      const bool leaves =
          next.size() > 1 && std::ranges::any_of(next, [&](uint32_t n) { return !graph_.inLoop(n, loop); });
      const bool after = graph_.dominates(meeting, s) && !graph_.dominates(meeting, begin);
      if (!leaves || s == begin || !graph_.dominates(begin, s) || after) continue;
      const Operation& branch = graph_.operations[lastPc(graph_, s)];
      if (!branch.dropped && branch.transfer == Transfer::kBranch) insert(s, Transfer::kNot);
    }
  }

  void insert(uint32_t s, Transfer transfer) {
    Operation operation;
    operation.pc = transfer == Transfer::kSync ? graph_.code->segments[s].first : lastPc(graph_, s);
    operation.segment = s;
    operation.unit = {Pipe::kBranch, 1, 1};
    operation.transfer = transfer;
    operation.pinned = true;
    const uint32_t index = graph_.addOperation(std::move(operation));
    std::vector<uint32_t>& list = graph_.segments[s].operations;
    list.insert(transfer == Transfer::kSync ? list.begin() : list.end() - 1, index);
  }

  Graph& graph_;
};

}  // namespace

void layOutBranches(Graph& graph) {
  Layout(graph).apply();
}

void addConvergence(Graph& graph) {
  Convergence(graph).add();
}

}  // namespace warpscope::sim::lowering
