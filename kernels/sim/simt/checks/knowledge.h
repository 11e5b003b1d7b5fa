// The knowledge that one thread has of the others: up to which of their clocks everything they did is ordered
// before its own next access. This is a persistent map from block to clocks whose copies share structure: a
// ticket that 100,000 blocks took costs each of them a few nodes, and a copy costs a pointer.
//
// The map is a big-endian Patricia trie (Okasaki and Gill, "Fast Mergeable Integer Maps", 1998): joining two
// versions of one map touches only what differs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace warpscope::sim {

struct ThreadClock {
  uint32_t thread = 0;  // linear in its block
  uint32_t clock = 0;
  bool operator==(const ThreadClock&) const = default;
};

// Knowledge of one block: all its threads are known up to `floor`, some of them further. Clocks begin at 1.
struct BlockKnowledge {
  uint32_t floor = 0;
  std::vector<ThreadClock> threads;  // by thread; clocks above floor

  uint32_t clockOf(uint32_t thread) const;
  bool covers(const BlockKnowledge& other) const;
};
BlockKnowledge join(const BlockKnowledge& a, const BlockKnowledge& b);

class Knowledge {
 public:
  Knowledge() = default;
  Knowledge(uint32_t block, BlockKnowledge knowledge);

  bool empty() const { return root_ == nullptr; }
  // Whether both are the same version; two versions with equal contents may still differ.
  bool same(const Knowledge& other) const { return root_ == other.root_; }
  const BlockKnowledge* of(uint32_t block) const;
  Knowledge without(uint32_t block) const;

  friend Knowledge join(const Knowledge& a, const Knowledge& b);

 private:
  struct Node;
  using Tree = std::shared_ptr<const Node>;
  explicit Knowledge(Tree root) : root_(std::move(root)) {}
  static Tree link(const Tree& a, const Tree& b);
  static Tree joinTrees(const Tree& a, const Tree& b);
  static Tree joinSameBranch(const Tree& a, const Tree& b);
  static Tree insertBelow(const Tree& branch, const Tree& other);
  static Tree remove(const Tree& tree, uint32_t block);

  Tree root_;
};

}  // namespace warpscope::sim
