#include "kernels/sim/simt/checks/knowledge.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpscope::sim {

uint32_t BlockKnowledge::clockOf(uint32_t thread) const {
  const auto found =
      std::lower_bound(threads.begin(), threads.end(), thread,
                       [](const ThreadClock& entry, uint32_t wanted) { return entry.thread < wanted; });
  return found != threads.end() && found->thread == thread ? found->clock : floor;
}

bool BlockKnowledge::covers(const BlockKnowledge& other) const {
  if (floor < other.floor) return false;
  return std::all_of(other.threads.begin(), other.threads.end(), [&](const ThreadClock& entry) {
    return entry.clock <= floor || entry.clock <= clockOf(entry.thread);
  });
}

BlockKnowledge join(const BlockKnowledge& a, const BlockKnowledge& b) {
  BlockKnowledge joined;
  joined.floor = std::max(a.floor, b.floor);
  joined.threads.reserve(a.threads.size() + b.threads.size());
  auto keep = [&](const ThreadClock& entry) {
    if (entry.clock > joined.floor) joined.threads.push_back(entry);
  };
  auto left = a.threads.begin();
  auto right = b.threads.begin();
  while (left != a.threads.end() && right != b.threads.end()) {
    if (left->thread < right->thread) {
      keep(*left++);
    } else if (right->thread < left->thread) {
      keep(*right++);
    } else {
      keep({left->thread, std::max(left->clock, right->clock)});
      ++left;
      ++right;
    }
  }
  std::for_each(left, a.threads.end(), keep);
  std::for_each(right, b.threads.end(), keep);
  return joined;
}

// A leaf (bit 0) holds one block's clocks; a branch holds the blocks that agree with `prefix` above `bit`,
// split by that bit.
struct Knowledge::Node {
  uint32_t prefix = 0;  // leaf: the block
  uint32_t bit = 0;
  BlockKnowledge clocks;
  Tree zero, one;

  bool isLeaf() const { return bit == 0; }
  // Whether keys like `key` belong below this branch.
  bool holds(uint32_t key) const { return ((key ^ prefix) & ~(bit | (bit - 1))) == 0; }
};

Knowledge::Knowledge(uint32_t block, BlockKnowledge knowledge)
    : root_(std::make_shared<Node>(Node{block, 0, std::move(knowledge), nullptr, nullptr})) {}

const BlockKnowledge* Knowledge::of(uint32_t block) const {
  const Node* node = root_.get();
  while (node != nullptr && !node->isLeaf()) {
    if (!node->holds(block)) return nullptr;
    node = ((block & node->bit) != 0 ? node->one : node->zero).get();
  }
  return node != nullptr && node->prefix == block ? &node->clocks : nullptr;
}

Knowledge::Tree Knowledge::link(const Tree& a, const Tree& b) {
  const uint32_t bit = std::bit_floor(a->prefix ^ b->prefix);
  const bool a_is_one = (a->prefix & bit) != 0;
  const uint32_t prefix = a->prefix & ~(bit | (bit - 1));
  return std::make_shared<Node>(Node{prefix, bit, {}, a_is_one ? b : a, a_is_one ? a : b});
}

Knowledge::Tree Knowledge::insertBelow(const Tree& branch, const Tree& other) {
  if (!branch->holds(other->prefix)) return link(branch, other);
  const bool is_one = (other->prefix & branch->bit) != 0;
  const Tree& child = is_one ? branch->one : branch->zero;
  Tree joined = joinTrees(child, other);
  if (joined == child) return branch;
  return std::make_shared<Node>(
      Node{branch->prefix, branch->bit, {}, is_one ? branch->zero : joined, is_one ? joined : branch->one});
}

Knowledge::Tree Knowledge::joinSameBranch(const Tree& a, const Tree& b) {
  if (a->isLeaf()) {
    if (a->clocks.covers(b->clocks)) return a;
    if (b->clocks.covers(a->clocks)) return b;
    return std::make_shared<Node>(Node{a->prefix, 0, sim::join(a->clocks, b->clocks), nullptr, nullptr});
  }
  Tree zero = joinTrees(a->zero, b->zero);
  Tree one = joinTrees(a->one, b->one);
  if (zero == a->zero && one == a->one) return a;
  if (zero == b->zero && one == b->one) return b;
  return std::make_shared<Node>(Node{a->prefix, a->bit, {}, std::move(zero), std::move(one)});
}

Knowledge::Tree Knowledge::joinTrees(const Tree& a, const Tree& b) {
  if (a == b || b == nullptr) return a;
  if (a == nullptr) return b;
  if (a->bit > b->bit) return insertBelow(a, b);
  if (b->bit > a->bit) return insertBelow(b, a);
  return a->prefix == b->prefix ? joinSameBranch(a, b) : link(a, b);
}

Knowledge::Tree Knowledge::remove(const Tree& tree, uint32_t block) {
  if (tree == nullptr) return tree;
  if (tree->isLeaf()) return tree->prefix == block ? nullptr : tree;
  if (!tree->holds(block)) return tree;
  const bool is_one = (block & tree->bit) != 0;
  const Tree& child = is_one ? tree->one : tree->zero;
  Tree rest = remove(child, block);
  if (rest == child) return tree;
  if (rest == nullptr) return is_one ? tree->zero : tree->one;
  return std::make_shared<Node>(
      Node{tree->prefix, tree->bit, {}, is_one ? tree->zero : rest, is_one ? rest : tree->one});
}

Knowledge Knowledge::without(uint32_t block) const {
  return Knowledge(remove(root_, block));
}

Knowledge join(const Knowledge& a, const Knowledge& b) {
  return Knowledge(Knowledge::joinTrees(a.root_, b.root_));
}

}  // namespace warpscope::sim
