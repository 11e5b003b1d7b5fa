#include <algorithm>
#include <optional>
#include <queue>
#include <set>
#include <unordered_map>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"

namespace warpscope::sim::lowering {
namespace {

using ptx::Op;

// A load from an address that is the same for all lanes gives them the same value; but no uniform register.
bool loadsTheSame(const Instruction& in) {
  const bool is_local = in.space == ptx::Space::kLocal || in.space == ptx::Space::kParam;
  return in.kind == Kind::kLoad && !is_local && in.modifiers.semantics <= ptx::Semantics::kWeak;
}

// Whatever each lane brings: a vote, a sum of all, what all read from one lane. ptxas needs no BSSY where
// such a value decides (13.0, sm_90).
bool givesAllTheSame(const Instruction& in) {
  if (in.kind != Kind::kWarpRegister) return false;
  return in.op == Op::kVote || in.op == Op::kActivemask || in.op == Op::kRedux;
}

bool differsByLane(const Instruction& in) {
  switch (in.kind) {
    case Kind::kReadSpecial:
      switch (in.special) {
        case ptx::Special::kTidX:
        case ptx::Special::kTidY:
        case ptx::Special::kTidZ:
        case ptx::Special::kLaneid:
        case ptx::Special::kLanemaskEq:
        case ptx::Special::kLanemaskLe:
        case ptx::Special::kLanemaskLt:
        case ptx::Special::kLanemaskGe:
        case ptx::Special::kLanemaskGt:
          return true;
        default:
          return false;
      }
    case Kind::kLoad:
    case Kind::kAtomic:
      return true;
    case Kind::kWarpRegister:
      return !givesAllTheSame(in) && !(in.op == Op::kShfl && in.modifiers.shuffle == ptx::ShuffleMode::kIdx);
    default:
      return false;
  }
}

class Marker {
 public:
  // Marks as `uniform` or, with what is loaded from addresses that are the same, as `agreed`.
  Marker(Graph& graph, bool ValueInfo::*flag, bool with_loads)
      : graph_(graph),
        flag_(flag),
        with_loads_(with_loads),
        branch_done_(graph.operations.size()),
        touched_in_(graph.values.size()) {
    for (const Operation& operation : graph.operations) {
      for (const Value v : operation.destinations) touched_in_[graph.resolve(v)].insert(operation.segment);
      for (const Value v : operation.sources) touched_in_[graph.resolve(v)].insert(operation.segment);
    }
  }

  void mark() {
    for (ValueInfo& v : graph_.values) v.*flag_ = true;
    for (bool changed = true; changed;) {
      changed = false;
      for (const Operation& operation : graph_.operations) changed |= markOperation(operation);
      for (uint32_t s = 0; s < graph_.segments.size(); ++s) changed |= markBranch(s);
    }
  }

 private:
  using Labels = std::unordered_map<uint32_t, uint32_t>;

  bool differs(Value v) const { return !(graph_.values[graph_.resolve(v)].*flag_); }

  // A shuffle of all lanes from one of them.
  bool readsOneLane(const Operation& operation) const {
    const Instruction& in = *operation.instruction;
    return with_loads_ && in.op == Op::kShfl && in.modifiers.shuffle == ptx::ShuffleMode::kIdx;
  }

  bool markOperation(const Operation& operation) {
    if (operation.instruction == nullptr || operation.destinations.empty()) return false;
    if (with_loads_ && givesAllTheSame(*operation.instruction)) return false;
    const bool different =
        (differsByLane(*operation.instruction) && !(with_loads_ && loadsTheSame(*operation.instruction))) ||
        std::any_of(operation.sources.begin() + (readsOneLane(operation) ? 1 : 0), operation.sources.end(),
                    [&](Value v) { return differs(v); });
    bool changed = false;
    if (different) {
      for (const Value v : operation.destinations) {
        ValueInfo& info = graph_.values[graph_.resolve(v)];
        changed |= info.*flag_;
        info.*flag_ = false;
      }
    }
    return changed;
  }

  // Where the two sides of a branch that lanes disagree on meet, registers that a side sets differ between
  // lanes.
  bool markBranch(uint32_t segment) {
    const SegmentInfo& info = graph_.segments[segment];
    if (info.order == kNone || info.successors.size() < 2) return false;
    const uint32_t pc = lastPc(graph_, segment);
    const Operation& branch = graph_.operations[pc];
    if (branch_done_[pc] || branch.guard == kNone || !differs(branch.guard)) return false;
    branch_done_[pc] = true;
    bool changed = false;
    Labels label;
    for (const uint32_t s : segmentsUpToJoins(segment, branch, label)) {
      for (const uint32_t o : graph_.segments[s].operations) {
        for (const Value v : graph_.operations[o].destinations) {
          ValueInfo& value = graph_.values[graph_.resolve(v)];
          if (value.definitions < 2 || !(value.*flag_)) continue;
          if (with_loads_ && isOfOneSide(graph_.resolve(v), label)) continue;
          value.*flag_ = false;
          changed = true;
        }
      }
    }
    return changed;
  }

  // Whether only lanes that went the same way write and read it, as a loop's counter there. It is the same
  // for them, though in no uniform register.
  bool isOfOneSide(Value v, const Labels& label) const {
    std::optional<uint32_t> side;
    return std::ranges::all_of(touched_in_[v], [&](uint32_t s) {
      const auto at = label.find(s);
      if (at == label.end() || (side && *side != at->second)) return false;
      side = at->second;
      return true;
    });
  }

  // Labels what each successor reaches; segments that get two labels are joins. Only labels on the way to a
  // join matter.
  std::vector<uint32_t> segmentsUpToJoins(uint32_t from, const Operation& branch, Labels& label) const {
    const Code& code = *graph_.code;
    const uint32_t reconverge = branch.instruction->reconverge;
    const uint32_t last = reconverge < code.segment_of.size() ? code.segment_of[reconverge] : kNone;
    const auto later = [&](uint32_t a, uint32_t b) {
      return graph_.segments[a].order > graph_.segments[b].order;
    };
    std::priority_queue<uint32_t, std::vector<uint32_t>, decltype(later)> work(later);
    bool joined = false;
    const auto reach = [&](uint32_t s, uint32_t with) {
      const auto [at, is_new] = label.try_emplace(s, with);
      if (is_new) work.push(s);
      if (!is_new && at->second != with) {
        at->second = s;
        joined = true;
      }
    };
    for (const uint32_t s : graph_.segments[from].successors) reach(s, s);
    std::vector<uint32_t> passed;
    while (!work.empty()) {
      const uint32_t s = work.top();
      work.pop();
      if (s == last || s == from) continue;
      passed.push_back(s);
      for (const uint32_t next : graph_.segments[s].successors) {
        if (graph_.segments[next].order > graph_.segments[s].order) reach(next, label[s]);
      }
    }
    if (!joined) passed.clear();
    return passed;
  }

  Graph& graph_;
  bool ValueInfo::*flag_;
  bool with_loads_;
  std::vector<bool> branch_done_;
  std::vector<std::set<uint32_t>> touched_in_;  // by value: the segments
};

}  // namespace

void markUniform(Graph& graph) {
  Marker(graph, &ValueInfo::uniform, false).mark();
  Marker(graph, &ValueInfo::agreed, true).mark();
}

}  // namespace warpscope::sim::lowering
