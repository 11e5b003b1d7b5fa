#include "kernels/sim/ptx/control_flow.h"

#include <algorithm>

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

}  // namespace

ControlFlow controlFlow(const Function& function) {
  ControlFlow flow;
  findBlocks(function, flow);
  findSuccessors(function, flow);
  flow.post_dominator = PostDominators(flow).run();
  return flow;
}

}  // namespace warpscope::ptx
