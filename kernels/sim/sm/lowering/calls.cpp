// Calls, as the ABI of sm_90 has them (SASS of the truth suite's deep_recursion and divergent_calls,
// ptxas 13.0). Arguments and results are in registers; a call moves the address that it returns to into two
// registers. An indirect call loads the entry's offset from a table and is enclosed by BSSY and BSYNC. A
// function that calls others saves the return address and what must survive its calls on the stack, if it or
// one that calls it is called by its address or calls itself. For other functions ptxas chooses the registers
// of callers and callees together, and nothing is saved (12 kernels compiled with ptxas 13.0, 2026-11-28).
#include <algorithm>
#include <map>
#include <set>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"

namespace warpscope::sim::lowering {
namespace {

bool isCall(const Operation& operation) {
  return operation.instruction != nullptr &&
         (operation.instruction->kind == Kind::kCall || operation.instruction->kind == Kind::kIndirectCall);
}

// A division or root, whose rare cases a subroutine takes care of.
bool hasCall(const Operation& operation) {
  return operation.instruction != nullptr && operation.instruction->kind == Kind::kRegister &&
         callsSubroutine(*operation.instruction);
}

class Calls {
 public:
  explicit Calls(Graph& graph) : graph_(graph), calls_(graph.code->functions.size()) {}

  void lower() {
    const auto count = static_cast<uint32_t>(graph_.operations.size());
    for (uint32_t o = 0; o < count; ++o) {
      if (graph_.operations[o].instruction == nullptr || graph_.operations[o].dropped) continue;
      passParameter(graph_.operations[o]);
      if (isCall(graph_.operations[o])) call(o);
    }
    findCallers();
    for (uint32_t f = 1; f < calls_.size(); ++f) addFrame(f);
  }

 private:
  // A constant has to be moved to its register; what is computed is computed there.
  void passParameter(Operation& operation) {
    const Instruction& in = *operation.instruction;
    if (in.space != ptx::Space::kParam || operation.access < 0) return;
    operation.access = -1;
    const bool moves = in.kind == Kind::kStore && !operation.sources.empty() &&
                       graph_.isConstant(graph_.resolve(operation.sources.back()));
    operation.unit = chainUnit(*graph_.profile, Pipe::kInt, moves ? 1 : 0);
    operation.reads_memory = operation.writes_memory = false;
  }

  void call(uint32_t index) {
    Operation& operation = graph_.operations[index];
    const uint32_t segment = operation.segment;
    calls_[graph_.segments[segment].function].push_back(operation.pc);
    if (operation.instruction->kind == Kind::kCall) {
      operation.unit.issues = 3;  // MOV, MOV, CALL
      return;
    }
    // BSSY, MOV, MOV, LDC, CALL once; each path with a target of its own comes back to the BSYNC.
    const std::vector<uint32_t>& before = graph_.segments[segment].predecessors;
    const bool together = segment > 0 && before.size() == 1 && before[0] == segment - 1;
    operation.unit.issues = together ? 1 : 6;
    if (together) insertAtEnd(before[0], 5);
  }

  void insertAtEnd(uint32_t segment, uint32_t issues) {
    std::vector<uint32_t>& list = graph_.segments[segment].operations;
    const bool ends = !list.empty() && graph_.operations[list.back()].ends_segment;
    const auto at = static_cast<std::ptrdiff_t>(list.size() - (ends ? 1 : 0));
    const uint32_t made = add(segment, issues, lastPc(graph_, segment));
    list.insert(list.begin() + at, made);
  }

  using Live = std::set<Value>;

  // The registers that hold over a call what is read after it. ptxas gives each value one of its own.
  uint32_t savedBy(uint32_t function, bool divides) const {
    const std::vector<uint32_t> order = reversePostorder(graph_, function);
    std::map<uint32_t, Live> live_in;  // by segment
    Live held;                         // over any of the calls
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = order.size(); i-- > 0;) {
        Live live;
        for (const uint32_t next : graph_.segments[order[i]].successors)
          live.insert(live_in[next].begin(), live_in[next].end());
        walkBack(order[i], divides, live, held);
        if (live.size() == live_in[order[i]].size()) continue;
        live_in[order[i]] = std::move(live);
        changed = true;
      }
    }
    uint32_t words = 0;
    for (const Value v : held) words += graph_.values[v].words;
    return words;
  }

  // From what is live at a segment's end to what is at its beginning.
  void walkBack(uint32_t segment, bool divides, Live& live, Live& held) const {
    const std::vector<uint32_t>& list = graph_.segments[segment].operations;
    for (size_t i = list.size(); i-- > 0;) {
      const Operation& operation = graph_.operations[list[i]];
      if (operation.dropped) continue;
      for (const Value v : operation.destinations) {
        if (operation.guard == kNone) live.erase(graph_.resolve(v));
      }
      if (isCall(operation) || (divides && hasCall(operation))) held.insert(live.begin(), live.end());
      for (const Value v : operation.sources) {
        if (graph_.values[graph_.resolve(v)].kind == ValueKind::kRegister) live.insert(graph_.resolve(v));
      }
    }
  }

  // The places where lanes meet again that went apart before a call: a register of reconvergence for each.
  uint32_t meetingsAround(uint32_t function) const {
    std::set<uint32_t> meetings;
    for (const uint32_t s : reversePostorder(graph_, function)) {
      const Instruction& branch = lastOf(graph_, s);
      if (!isConditional(branch) || branch.modifiers.uniform) continue;
      if (graph_.values[graph_.resolve(graph_.operations[lastPc(graph_, s)].guard)].agreed) continue;
      if (callsBefore(s, branch.reconverge)) meetings.insert(branch.reconverge);
    }
    return static_cast<uint32_t>(meetings.size());
  }

  bool callsBefore(uint32_t segment, uint32_t meeting_pc) const {
    const std::vector<uint32_t>& segment_of = graph_.code->segment_of;
    const uint32_t meeting = meeting_pc < segment_of.size() ? segment_of[meeting_pc] : kNone;
    std::set<uint32_t> seen{meeting};
    std::vector<uint32_t> work = graph_.segments[segment].successors;
    while (!work.empty()) {
      const uint32_t s = work.back();
      work.pop_back();
      if (!seen.insert(s).second) continue;
      if (std::ranges::any_of(graph_.segments[s].operations,
                              [&](uint32_t o) { return isCall(graph_.operations[o]); }))
        return true;
      const std::vector<uint32_t>& next = graph_.segments[s].successors;
      work.insert(work.end(), next.begin(), next.end());
    }
    return false;
  }

  // A function that is called by its address or calls itself, and calls others, keeps the return address,
  // what it saves for its callers, and where lanes reconverge, also those that come back from a subroutine,
  // on the stack: a word of each lane with each STL and LDL. Besides, it moves the stack pointer, the
  // registers of reconvergence (BMOV), its arguments to where they survive a call, and its result. One that
  // calls nothing saves R2, which it needs if it computes more than its result (virtual_areas of the truth
  // suite).
  void addFrame(uint32_t function) {
    const CodeFunction& range = graph_.code->functions[function];
    constexpr uint32_t kReturnAddress = 2, kMostSaved = 64;
    if (!reached_by_the_abi_[function]) {
      // It keeps the return address, and what must survive its calls, in registers that its callees leave.
      if (!calls_[function].empty()) addWords(range, 0, kReturnAddress, 0);
      return;
    }
    const bool divides = called_by_the_abi_[function] && uses(function, hasCall) > 0;
    if (calls_[function].empty() && !divides) {
      if (called_by_the_abi_[function] && computesOnTheWay(function)) addWords(range, 1, 1, 1);
      return;
    }
    const uint32_t saved = std::min(savedBy(function, divides), kMostSaved);
    const uint32_t meetings = meetingsAround(function) + (divides ? 1 : 0);
    addWords(range, kReturnAddress + saved + meetings, 1 + saved + meetings, 2 + meetings);
  }

  // Finds which functions are called by their address or call themselves, and which ones those call in turn.
  void findCallers() {
    const auto count = static_cast<uint32_t>(calls_.size());
    std::vector<std::set<uint32_t>> callees;
    std::vector<bool> by_name(count);
    for (uint32_t f = 0; f < count; ++f) {
      callees.push_back(calleesOf(f));
      for (const uint32_t callee : callees[f]) by_name[callee] = true;
    }
    called_by_the_abi_.resize(count);
    reached_by_the_abi_.resize(count);
    for (uint32_t f = 1; f < count; ++f) {
      const std::set<uint32_t> reached = reachedFrom(f, callees);
      called_by_the_abi_[f] = !by_name[f] || reached.contains(f);
      if (!called_by_the_abi_[f]) continue;
      reached_by_the_abi_[f] = true;
      for (const uint32_t callee : reached) reached_by_the_abi_[callee] = true;
    }
  }

  // The functions that a function calls, and those that these call.
  static std::set<uint32_t> reachedFrom(uint32_t function, const std::vector<std::set<uint32_t>>& callees) {
    std::set<uint32_t> reached;
    std::vector<uint32_t> work{function};
    while (!work.empty()) {
      const uint32_t f = work.back();
      work.pop_back();
      for (const uint32_t callee : callees[f]) {
        if (reached.insert(callee).second) work.push_back(callee);
      }
    }
    return reached;
  }

  std::set<uint32_t> calleesOf(uint32_t function) const {
    std::set<uint32_t> callees;
    for (const uint32_t pc : calls_[function]) {
      const Instruction& in = graph_.code->instructions[pc];
      for (uint32_t f = 1; in.kind == Kind::kCall && f < calls_.size(); ++f) {
        if (graph_.code->functions[f].entry == in.target) callees.insert(f);
      }
    }
    return callees;
  }

  template <typename Is>
  uint32_t uses(uint32_t function, Is is) const {
    uint32_t count = 0;
    for (const uint32_t s : reversePostorder(graph_, function)) {
      count += static_cast<uint32_t>(std::ranges::count_if(graph_.segments[s].operations, [&](uint32_t o) {
        return !graph_.operations[o].dropped && is(graph_.operations[o]);
      }));
    }
    return count;
  }

  // One operation can be done where argument and result are.
  bool computesOnTheWay(uint32_t function) const {
    constexpr uint32_t kFew = 2;
    return uses(function, [](const Operation& operation) {
             return operation.unit.issues > 0 && operation.transfer == Transfer::kNot;
           }) > kFew;
  }

  void addWords(const CodeFunction& range, uint32_t words, uint32_t before, uint32_t after) {
    const uint32_t entry = graph_.code->segment_of[range.entry];
    std::vector<uint32_t>& first = graph_.segments[entry].operations;
    std::vector<uint32_t> frame;
    for (uint32_t word = 0; word < words; ++word)
      frame.push_back(addAccess(entry, StackAccess::Kind::kPush, word, range.entry));
    frame.push_back(add(entry, before, range.entry));
    first.insert(first.begin(), frame.begin(), frame.end());
    for (uint32_t pc = range.entry; pc < range.end; ++pc) {
      if (graph_.code->instructions[pc].kind == Kind::kReturn) addReturn(pc, words, after);
    }
  }

  void addReturn(uint32_t pc, uint32_t words, uint32_t issues) {
    const uint32_t segment = graph_.code->segment_of[pc];
    insertAtEnd(segment, issues);
    std::vector<uint32_t>& list = graph_.segments[segment].operations;
    for (uint32_t word = 0; word < words; ++word) {
      const uint32_t made = addAccess(segment, StackAccess::Kind::kPop, word, pc);
      graph_.operations[pc].sources.push_back(graph_.operations[made].destinations[0]);
      list.insert(list.end() - 1, made);
    }
  }

  uint32_t addAccess(uint32_t segment, StackAccess::Kind kind, uint32_t word, uint32_t pc) {
    Operation operation;
    operation.pc = pc;
    operation.segment = segment;
    operation.unit = {Pipe::kLoadStore, 1, 0};
    operation.stack = {kind, static_cast<uint8_t>(word)};
    operation.pinned = true;
    if (kind == StackAccess::Kind::kPop) operation.destinations = {graph_.addValue(ValueKind::kRegister)};
    return graph_.addOperation(std::move(operation));
  }

  uint32_t add(uint32_t segment, uint32_t issues, uint32_t pc) {
    Operation operation;
    operation.pc = pc;
    operation.segment = segment;
    operation.unit = sequenceUnit(*graph_.profile, Pipe::kInt, issues, 1);
    operation.pinned = true;
    return graph_.addOperation(std::move(operation));
  }

  Graph& graph_;
  std::vector<std::vector<uint32_t>> calls_;  // by function: instructions
  // By function: whether it is called by its address or calls itself; whether it or one that calls it is.
  std::vector<bool> called_by_the_abi_, reached_by_the_abi_;
};

}  // namespace

void lowerCalls(Graph& graph) {
  if (graph.code->functions.size() > 1) Calls(graph).lower();
}

}  // namespace warpscope::sim::lowering
