// What follows what among the nodes of the graphs family.
#pragma once

#include <cstdint>

namespace warpscope::graphs {

constexpr uint32_t kMostNodes = 64, kBranches = 4;
constexpr uint32_t kUsualNodes = 16, kUsuallyNeeded = 12;

// The nodes that one reads: `count` of them from `first` on; none: it reads the input.
struct Sources {
  uint32_t first = 0, count = 0;
};

struct Shape {
  uint32_t nodes = 1;
  bool forks = false;  // the first node, then branches of equal length, then the last, which joins them

  // Two nodes cannot fork.
  constexpr uint32_t branches() const {
    if (!forks || nodes < 4) return 1;
    return nodes - 2 < kBranches ? nodes - 2 : kBranches;
  }
  // Of a node between the first and the last of a graph that forks.
  constexpr uint32_t branchOf(uint32_t node) const {
    const bool between = branches() > 1 && node > 0 && node + 1 < nodes;
    return between ? (node - 1) % branches() : 0;
  }
  constexpr Sources sourcesOf(uint32_t node) const {
    if (node == 0) return {};
    const uint32_t many = branches();
    if (many == 1) return {node - 1, 1};
    if (node + 1 == nodes) return {nodes - 1 - many, many};
    return {node > many ? node - many : 0, 1};
  }
};

}  // namespace warpscope::graphs
