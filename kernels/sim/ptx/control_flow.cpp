#include "kernels/sim/ptx/control_flow.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace warpscope::ptx {
namespace {

bool endsThread(const Instruction& instruction) {
  return instruction.op == Op::kRet || instruction.op == Op::kExit || instruction.op == Op::kTrap;
}
bool endsBlock(const Instruction& instruction) {
  return endsThread(instruction) || instruction.op == Op::kBra || instruction.op == Op::kBrx;
}

// The places a branch may go to, as instruction indices.
std::vector<uint32_t> targetsOf(const Instruction& instruction) {
  if (instruction.op == Op::kBra) return {instruction.operands[0].index};
  return instruction.targets;
}

void findBlocks(const Function& function, ControlFlow& flow) {
  const auto& instructions = function.instructions;
  std::vector<bool> begins(instructions.size() + 1);
  begins[0] = true;
  for (size_t i = 0; i < instructions.size(); ++i) {
    if (!endsBlock(instructions[i])) continue;
    begins[i + 1] = true;
    for (const uint32_t target : targetsOf(instructions[i])) begins[target] = true;
  }
  flow.block_of.resize(instructions.size());
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    if (begins[i]) flow.blocks.push_back({.first = i});
    ++flow.blocks.back().count;
    flow.block_of[i] = static_cast<uint32_t>(flow.blocks.size() - 1);
  }
}

void findSuccessors(const Function& function, ControlFlow& flow) {
  for (uint32_t b = 0; b < flow.blocks.size(); ++b) {
    BasicBlock& block = flow.blocks[b];
    const Instruction& last = function.instructions[block.first + block.count - 1];
    const bool always = last.guard.kind == Operand::Kind::kNone;
    if (endsBlock(last)) {
      for (const uint32_t target : targetsOf(last)) block.successors.push_back(flow.block_of[target]);
    }
    block.reaches_exit = endsThread(last);
    if (!endsBlock(last) || !always) {
      if (b + 1 < flow.blocks.size()) {
        block.successors.push_back(b + 1);
      } else {
        block.reaches_exit = true;
      }
    }
    std::sort(block.successors.begin(), block.successors.end());
    block.successors.erase(std::unique(block.successors.begin(), block.successors.end()),
                           block.successors.end());
  }
}

using Edges = std::vector<std::vector<uint32_t>>;  // by node
constexpr uint32_t kUnseen = 0xFFFFFFFEU;

// Walks depth first from `root`, without recursion, since the text may have any number of blocks. Appends the
// nodes that have no mark yet in the order in which they are finished, and marks them.
void visit(const Edges& children, uint32_t root, std::vector<bool>& marked, std::vector<uint32_t>& finished) {
  if (marked[root]) return;
  marked[root] = true;
  std::vector<std::pair<uint32_t, size_t>> path = {{root, 0}};
  while (!path.empty()) {
    auto& [node, next] = path.back();
    if (next == children[node].size()) {
      finished.push_back(node);
      path.pop_back();
      continue;
    }
    const uint32_t child = children[node][next++];
    if (marked[child]) continue;
    marked[child] = true;
    path.emplace_back(child, 0);
  }
}

// Immediate dominators of what can be reached from `root`, whose own is itself; kUnseen for the rest. Cooper,
// Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
std::vector<uint32_t> immediateDominators(const Edges& children, const Edges& parents, uint32_t root) {
  std::vector<bool> marked(children.size());
  std::vector<uint32_t> finished, order(children.size()), immediate(children.size(), kUnseen);
  visit(children, root, marked, finished);
  for (uint32_t i = 0; i < finished.size(); ++i) order[finished[i]] = i;
  const auto common = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (order[a] < order[b]) a = immediate[a];
      while (order[b] < order[a]) b = immediate[b];
    }
    return a;
  };
  immediate[root] = root;
  for (bool changed = true; changed;) {
    changed = false;
    // The node finished last comes first: this is the reverse postorder.
    for (auto node = finished.rbegin() + 1; node != finished.rend(); ++node) {
      uint32_t found = kUnseen;
      for (const uint32_t parent : parents[*node]) {
        if (immediate[parent] != kUnseen) found = found == kUnseen ? parent : common(found, parent);
      }
      changed = changed || immediate[*node] != found;
      immediate[*node] = found;
    }
  }
  return immediate;
}

// The reversed graph's root is the exit. An endless loop does not reach it; one block of each such loop is
// treated as if it did, so that lanes that diverge before or inside the loop still reconverge.
class PostDominators {
 public:
  explicit PostDominators(const ControlFlow& flow)
      : exit_(static_cast<uint32_t>(flow.blocks.size())), predecessors_(flow.blocks.size() + 1) {
    successors_.reserve(flow.blocks.size() + 1);
    for (uint32_t b = 0; b < exit_; ++b) {
      const BasicBlock& block = flow.blocks[b];
      successors_.push_back(block.successors);
      if (block.reaches_exit) successors_.back().push_back(exit_);
      for (const uint32_t successor : successors_.back()) predecessors_[successor].push_back(b);
    }
    successors_.emplace_back();
  }

  std::vector<uint32_t> run() {
    closeEndlessLoops();
    std::vector<uint32_t> immediate = immediateDominators(predecessors_, successors_, exit_);
    immediate.pop_back();
    for (uint32_t& block : immediate) {
      if (block == exit_) block = ControlFlow::kExit;
    }
    return immediate;
  }

 private:
  // Among the blocks that do not reach the exit, those finished last (against the edges) lie in loops that
  // nothing leaves (Kosaraju): such blocks get an edge to the exit until all blocks reach it.
  void closeEndlessLoops() {
    std::vector<bool> marked(exit_ + 1);
    std::vector<uint32_t> reach_exit, endless;
    visit(predecessors_, exit_, marked, reach_exit);
    std::vector<bool> seen = marked;
    for (uint32_t b = 0; b < exit_; ++b) visit(predecessors_, b, seen, endless);
    for (auto b = endless.rbegin(); b != endless.rend(); ++b) {
      if (marked[*b]) continue;
      successors_[*b].push_back(exit_);
      predecessors_[exit_].push_back(*b);
      visit(predecessors_, *b, marked, reach_exit);
    }
  }

  uint32_t exit_;
  Edges successors_, predecessors_;
};

// Loops, and where lanes meet in them though some leave the loop on the way.
class Loops {
 public:
  explicit Loops(ControlFlow& flow) : flow_(flow), predecessors_(flow.blocks.size()) {
    for (uint32_t b = 0; b < flow.blocks.size(); ++b) {
      successors_.push_back(flow.blocks[b].successors);
      for (const uint32_t successor : successors_.back()) predecessors_[successor].push_back(b);
    }
  }

  void findMeetings() {
    const auto count = static_cast<uint32_t>(flow_.blocks.size());
    flow_.meeting = flow_.post_dominator;
    flow_.breaks.resize(count);
    if (count == 0) return;
    dominators_ = immediateDominators(successors_, predecessors_, 0);
    // A loop is outside of those whose headers it contains; the innermost has the last word.
    std::vector<std::pair<uint32_t, std::vector<bool>>> loops;
    for (uint32_t header = 0; header < count; ++header) {
      std::vector<bool> loop = bodyOf(header);
      if (loop[header]) loops.emplace_back(header, std::move(loop));
    }
    std::ranges::stable_sort(loops, std::greater{},
                             [](const auto& loop) { return std::ranges::count(loop.second, true); });
    for (const auto& [header, body] : loops) meetIn(header, body);
    for (const auto& [header, body] : loops) findBreaks(body);
  }

 private:
  bool dominates(uint32_t a, uint32_t b) const {
    while (b != a && b != 0 && dominators_[b] != kUnseen) b = dominators_[b];
    return a == b;
  }

  // The natural loop of all edges back to the header; without the header if there are none.
  std::vector<bool> bodyOf(uint32_t header) const {
    std::vector<bool> body(flow_.blocks.size());
    std::vector<uint32_t> left;
    const auto add = [&](uint32_t block) {
      if (body[block]) return;
      body[block] = true;
      if (block != header) left.push_back(block);
    };
    for (const uint32_t latch : predecessors_[header]) {
      if (dominators_[latch] == kUnseen || !dominates(header, latch)) continue;
      body[header] = true;
      add(latch);
    }
    while (!left.empty()) {
      const uint32_t block = left.back();
      left.pop_back();
      for (const uint32_t before : predecessors_[block]) {
        if (dominators_[before] != kUnseen) add(before);
      }
    }
    return body;
  }

  bool leavesByTable(const std::vector<bool>& body) const {
    for (uint32_t b = 0; b < body.size(); ++b) {
      const auto stays = [&](uint32_t successor) { return body[successor]; };
      if (body[b] && successors_[b].size() > 2 && !std::ranges::all_of(successors_[b], stays)) return true;
    }
    return false;
  }

  // What post-dominates within the loop, as if nothing left it before the end of a trip.
  void meetIn(uint32_t header, const std::vector<bool>& body) {
    const auto end = static_cast<uint32_t>(flow_.blocks.size());
    if (leavesByTable(body)) return;
    Edges to(end + 1), from(end + 1);
    for (uint32_t b = 0; b < end; ++b) {
      if (!body[b]) continue;
      for (const uint32_t successor : successors_[b]) {
        if (!body[successor]) continue;
        const uint32_t next = successor == header ? end : successor;
        to[b].push_back(next);
        from[next].push_back(b);
      }
    }
    const std::vector<uint32_t> within = immediateDominators(from, to, end);
    for (uint32_t b = 0; b < end; ++b) {
      const uint32_t usual = flow_.post_dominator[b];
      const bool leaves = usual == ControlFlow::kExit || !body[usual];
      if (body[b] && leaves && to[b].size() > 1 && within[b] < end) flow_.meeting[b] = within[b];
    }
  }

  // Those that leave the loop do not come to where others meet.
  void findBreaks(const std::vector<bool>& body) {
    const auto count = static_cast<uint32_t>(flow_.blocks.size());
    std::vector<uint32_t> meetings;
    for (uint32_t b = 0; b < count; ++b) {
      if (body[b] && flow_.meeting[b] != flow_.post_dominator[b] && body[flow_.meeting[b]])
        meetings.push_back(flow_.meeting[b]);
    }
    if (meetings.empty()) return;
    for (uint32_t b = 0; b < count; ++b) {
      if (!body[b]) continue;
      for (const uint32_t successor : successors_[b]) {
        if (body[successor]) continue;
        flow_.breaks[b][successor].insert(meetings.begin(), meetings.end());
      }
    }
  }

  ControlFlow& flow_;
  Edges successors_, predecessors_;
  std::vector<uint32_t> dominators_;
};

}  // namespace

ControlFlow controlFlow(const Function& function) {
  ControlFlow flow;
  findBlocks(function, flow);
  findSuccessors(function, flow);
  flow.post_dominator = PostDominators(flow).run();
  Loops(flow).findMeetings();
  return flow;
}

}  // namespace warpscope::ptx
