#include "kernels/sim/ptx/control_flow.h"

#include <algorithm>
#include <map>
#include <set>

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

// Finds immediate dominators of the reversed graph, whose root is the exit, as in Cooper, Harvey and Kennedy,
// "A Simple, Fast Dominance Algorithm" (2001). An endless loop does not reach the exit; one block of each
// such loop is treated as if it did, so that lanes that diverge before or inside the loop still reconverge.
class PostDominators {
 public:
  explicit PostDominators(const ControlFlow& flow)
      : exit_(static_cast<uint32_t>(flow.blocks.size())), predecessors_(flow.blocks.size() + 1) {
    successors_.reserve(flow.blocks.size());
    for (uint32_t b = 0; b < exit_; ++b) {
      const BasicBlock& block = flow.blocks[b];
      successors_.push_back(block.successors);
      if (block.reaches_exit) successors_.back().push_back(exit_);
      for (const uint32_t successor : successors_.back()) predecessors_[successor].push_back(b);
    }
  }

  std::vector<uint32_t> run() {
    closeEndlessLoops();
    order_.assign(exit_ + 1, kUnseen);
    finished_.clear();
    visit(exit_);
    // The block finished last comes first: this is the reverse postorder of the reversed graph.
    for (uint32_t i = 0; i < finished_.size(); ++i) order_[finished_[i]] = i;
    std::vector<uint32_t> immediate(exit_ + 1, kUnseen);
    immediate[exit_] = exit_;
    for (bool changed = true; changed;) {
      changed = false;
      for (auto b = finished_.rbegin() + 1; b != finished_.rend(); ++b) {
        uint32_t common = kUnseen;
        for (const uint32_t successor : successors_[*b]) {
          if (immediate[successor] == kUnseen) continue;
          common = common == kUnseen ? successor : intersect(immediate, common, successor);
        }
        changed = changed || immediate[*b] != common;
        immediate[*b] = common;
      }
    }
    immediate.pop_back();
    for (uint32_t& block : immediate) {
      if (block == exit_) block = ControlFlow::kExit;
    }
    return immediate;
  }
  // By block, after run(): what post-dominates a block has a higher number.
  const std::vector<uint32_t>& order() const { return order_; }

 private:
  static constexpr uint32_t kUnseen = 0xFFFFFFFEU;

  uint32_t intersect(const std::vector<uint32_t>& immediate, uint32_t a, uint32_t b) const {
    while (a != b) {
      while (order_[a] < order_[b]) a = immediate[a];
      while (order_[b] < order_[a]) b = immediate[b];
    }
    return a;
  }

  // Walks depth first against the edges, without recursion, since the text may have any number of blocks.
  void visit(uint32_t root) {
    if (order_[root] != kUnseen) return;
    order_[root] = 0;
    std::vector<std::pair<uint32_t, size_t>> path = {{root, 0}};
    while (!path.empty()) {
      auto& [block, next] = path.back();
      if (next == predecessors_[block].size()) {
        finished_.push_back(block);
        path.pop_back();
        continue;
      }
      const uint32_t predecessor = predecessors_[block][next++];
      if (order_[predecessor] != kUnseen) continue;
      order_[predecessor] = 0;
      path.emplace_back(predecessor, 0);
    }
  }

  // Among the blocks that do not reach the exit, those finished last (against the edges) lie in loops that
  // nothing leaves (Kosaraju): such blocks get an edge to the exit until all blocks reach it.
  void closeEndlessLoops() {
    order_.assign(exit_ + 1, kUnseen);
    visit(exit_);
    finished_.clear();
    for (uint32_t b = 0; b < exit_; ++b) visit(b);
    const std::vector<uint32_t> endless = finished_;
    if (endless.empty()) return;
    order_.assign(exit_ + 1, kUnseen);
    visit(exit_);
    for (auto b = endless.rbegin(); b != endless.rend(); ++b) {
      if (order_[*b] != kUnseen) continue;
      successors_[*b].push_back(exit_);
      predecessors_[exit_].push_back(*b);
      visit(*b);
    }
  }

  uint32_t exit_;
  std::vector<std::vector<uint32_t>> successors_, predecessors_;
  std::vector<uint32_t> order_, finished_;
};

std::vector<std::vector<uint32_t>> predecessorsOf(const std::vector<BasicBlock>& blocks) {
  std::vector<std::vector<uint32_t>> predecessors(blocks.size());
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    for (const uint32_t to : blocks[b].successors) predecessors[to].push_back(b);
  }
  return predecessors;
}

// Finds where lanes meet if those that leave a loop, or the function, are not waited for, as ptxas has them
// meet (BSSY, BSYNC, and BREAK for lanes that leave; 13.0 for sm_90): `for (...) { if (a) { if (b) break; x }
// y }` has its lanes meet at y in each trip, though y does not post-dominate the branch on a. The same holds
// for the copies of a trip when such a loop is unrolled: lanes that break do not wait, and go to the end of
// all copies (starred_patterns, luby_step and sieve_stretch of the truth suite: executions of each
// instruction on an H100, 580.159.04, 2026-11-27).
class EarlierMeetings {
 public:
  explicit EarlierMeetings(ControlFlow& flow)
      : flow_(flow), predecessors_(predecessorsOf(flow.blocks)), inside_(flow.blocks.size()) {
    flow.earlier_meetings.resize(flow.blocks.size());
  }

  void find() {
    std::vector<bool> leaves(flow_.blocks.size());  // a loop, before its lanes meet
    for (const Region& loop : loops()) {
      findIn(loop);
      for (const uint32_t b : loop.blocks)
        if (std::ranges::find(loop.blocks, flow_.post_dominator[b]) == loop.blocks.end()) leaves[b] = true;
    }
    findIn(wholeFunction());
    for (const auto& [end, branches] : branchesByEnd(leaves)) findIn(waysTo(end, branches));
  }

 private:
  struct Region {
    std::vector<uint32_t> blocks;
    uint32_t header = ControlFlow::kExit;  // of a loop
    uint32_t end = ControlFlow::kExit;     // of the ways to one place
  };

  // Inner loops before outer ones. Immediate dominators are the post-dominators of the reversed graph.
  std::vector<Region> loops() const {
    ControlFlow reversed;
    reversed.blocks.resize(flow_.blocks.size());
    for (uint32_t b = 0; b < flow_.blocks.size(); ++b) reversed.blocks[b].successors = predecessors_[b];
    reversed.blocks[0].reaches_exit = true;
    PostDominators dominators(reversed);
    const std::vector<uint32_t> dominator = dominators.run();
    const std::vector<uint32_t>& order = dominators.order();
    const auto dominates = [&](uint32_t a, uint32_t b) {
      while (b != ControlFlow::kExit && order[b] < order[a]) b = dominator[b];
      return b == a;
    };
    std::vector<Region> loops;
    for (uint32_t header = 0; header < flow_.blocks.size(); ++header) {
      std::vector<uint32_t> latches;
      for (const uint32_t p : predecessors_[header]) {
        if (order[p] <= order[header] && dominates(header, p)) latches.push_back(p);
      }
      if (!latches.empty()) loops.push_back({bodyOf(header, std::move(latches)), header});
    }
    std::ranges::stable_sort(
        loops, [](const Region& a, const Region& b) { return a.blocks.size() < b.blocks.size(); });
    return loops;
  }

  std::vector<uint32_t> bodyOf(uint32_t header, std::vector<uint32_t> work) const {
    std::vector<uint32_t> body{header};
    std::vector<bool> seen(flow_.blocks.size());
    seen[header] = true;
    while (!work.empty()) {
      const uint32_t at = work.back();
      work.pop_back();
      if (seen[at]) continue;
      seen[at] = true;
      body.push_back(at);
      work.insert(work.end(), predecessors_[at].begin(), predecessors_[at].end());
    }
    return body;
  }

  // Branches that do not go to their post-dominator themselves, by where it is.
  std::map<uint32_t, std::vector<uint32_t>> branchesByEnd(const std::vector<bool>& leaves) const {
    std::map<uint32_t, std::vector<uint32_t>> branches;
    for (uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      const uint32_t end = flow_.post_dominator[b];
      const std::vector<uint32_t>& to = flow_.blocks[b].successors;
      if (!leaves[b] && end != ControlFlow::kExit && to.size() > 1 && std::ranges::find(to, end) == to.end())
        branches[end].push_back(b);
    }
    return branches;
  }

  // All blocks on the ways from these branches to their common end.
  Region waysTo(uint32_t end, std::vector<uint32_t> work) const {
    Region region{.blocks = {}, .end = end};
    std::set<uint32_t> seen;
    while (!work.empty()) {
      const uint32_t at = work.back();
      work.pop_back();
      if (at == end || !seen.insert(at).second) continue;
      region.blocks.push_back(at);
      const std::vector<uint32_t>& to = flow_.blocks[at].successors;
      work.insert(work.end(), to.begin(), to.end());
    }
    return region;
  }

  // All blocks but those that do nothing but end.
  Region wholeFunction() const {
    Region all;
    for (uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      const bool only_ends = flow_.blocks[b].count == 1 && flow_.blocks[b].successors.empty();
      if (!only_ends) all.blocks.push_back(b);
    }
    return all;
  }

  void findIn(const Region& region) {
    for (uint32_t i = 0; i < region.blocks.size(); ++i) inside_[region.blocks[i]] = i + 1;
    const std::vector<uint32_t> meeting = PostDominators(partOf(region)).run();
    for (uint32_t i = 0; i < region.blocks.size(); ++i) {
      const uint32_t b = region.blocks[i];
      const uint32_t at = meeting[i] == ControlFlow::kExit ? region.header : region.blocks[meeting[i]];
      const bool belongs = region.end == ControlFlow::kExit || region.end == flow_.post_dominator[b];
      if (belongs && at != ControlFlow::kExit && meetsLater(b)) note(b, at);
    }
    for (const uint32_t b : region.blocks) inside_[b] = 0;
  }

  // The region's own control flow, without what leaves it; a trip ends where the next one begins.
  ControlFlow partOf(const Region& region) const {
    ControlFlow part;
    part.blocks.resize(region.blocks.size());
    for (uint32_t i = 0; i < region.blocks.size(); ++i) {
      const BasicBlock& block = flow_.blocks[region.blocks[i]];
      for (const uint32_t to : block.successors) {
        if (to == region.header)
          part.blocks[i].reaches_exit = true;
        else if (inside_[to] != 0)
          part.blocks[i].successors.push_back(inside_[to] - 1);
      }
      if (part.blocks[i].successors.empty()) part.blocks[i].reaches_exit = true;
    }
    return part;
  }

  // Whether the lanes of a branch go on in the region on more than one way, and its post-dominator is beyond.
  bool meetsLater(uint32_t b) const {
    const auto ways =
        std::ranges::count_if(flow_.blocks[b].successors, [&](uint32_t to) { return inside_[to] != 0; });
    const uint32_t end = flow_.post_dominator[b];
    return ways > 1 && (end == ControlFlow::kExit || inside_[end] == 0);
  }

  void note(uint32_t b, uint32_t at) {
    std::vector<uint32_t>& meetings = flow_.earlier_meetings[b];
    if (std::ranges::find(meetings, at) == meetings.end()) meetings.push_back(at);
  }

  ControlFlow& flow_;
  std::vector<std::vector<uint32_t>> predecessors_;
  std::vector<uint32_t> inside_;  // by block: 1 + its place in the region; 0: not in it
};

}  // namespace

ControlFlow controlFlow(const Function& function) {
  ControlFlow flow;
  findBlocks(function, flow);
  findSuccessors(function, flow);
  flow.post_dominator = PostDominators(flow).run();
  if (!flow.blocks.empty()) EarlierMeetings(flow).find();
  return flow;
}

}  // namespace warpscope::ptx
