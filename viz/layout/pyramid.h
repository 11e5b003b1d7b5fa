// A level-of-detail pyramid over rows of consecutive items: nodes that each sum kFanOut items, above those
// nodes that each sum kFanOut nodes, as far as these are complete (the rest at the end of a level is folded
// from the level below). It is built once and then queried for a visible range: it visits items that are wide
// enough as they are, and folds the others up to the fold width using the largest nodes that fit. The user
// defines the sum:
//   Fold: add(const Item&), add(const Node&), and Node node() const; starts empty.
//   Item and Node: members begin and end, ascending within a row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace warpscope {

// Times in a damaged trace are clamped so that sums cannot overflow: 2^50 cycles are a week.
constexpr int64_t clampTime(int64_t cycles) {
  constexpr int64_t kFarthest = int64_t{1} << 50;
  return std::clamp(cycles, -kFarthest, kFarthest);
}

template <class Item, class Node, class Fold>
class Pyramid {
 public:
  static constexpr uint32_t kFanOut = 8;

  void reserve(size_t items) { nodes_.reserve(items / (kFanOut - 1)); }

  // Adds the nodes over one row's items; returns the row's handle.
  uint32_t addRow(std::span<const Item> items) {
    const size_t first_node = nodes_.size();
    addLevel(items);
    size_t below = first_node;
    for (size_t count = nodes_.size() - below; count >= kFanOut; count /= kFanOut) {
      for (size_t i = 0; i + kFanOut <= count; i += kFanOut) {
        nodes_.push_back(nodeOf(std::span<const Node>(nodes_).subspan(below + i, kFanOut)));
      }
      below += count;
    }
    return static_cast<uint32_t>(first_node);
  }

  // Calls visit(first, count, fold) for the items that intersect [begin, end), in order, where each fold sums
  // `count` items starting at `first`. Items are not cut at the range.
  template <class Visit>
  void collect(std::span<const Item> items, uint32_t first_node, double begin, double end, double fold_cycles,
               Visit&& visit) const {
    const auto from = std::partition_point(
        items.begin(), items.end(), [&](const Item& item) { return static_cast<double>(item.end) < begin; });
    auto i = static_cast<uint32_t>(from - items.begin());
    while (i < items.size() && static_cast<double>(items[i].begin) < end) {
      const uint32_t first = i;
      const double limit = static_cast<double>(items[i].begin) + fold_cycles;
      Fold fold;
      if (static_cast<double>(items[i].end) > limit) {
        fold.add(items[i++]);
      } else {
        while (i < items.size() && static_cast<double>(items[i].end) <= limit) {
          i += addLargestPart(items, first_node, i, limit, fold);
        }
      }
      visit(first, i - first, fold);
    }
  }

 private:
  template <class Part>
  static Node nodeOf(std::span<const Part> parts) {
    Fold fold;
    for (const Part& part : parts) fold.add(part);
    return fold.node();
  }
  void addLevel(std::span<const Item> items) {
    for (size_t i = 0; i + kFanOut <= items.size(); i += kFanOut) {
      nodes_.push_back(nodeOf(items.subspan(i, kFanOut)));
    }
  }

  // Adds the largest part that begins with item i and ends within `limit`; returns its number of items.
  // Climbs as long as item i is the first item below the next higher node, and that node still ends within
  // the limit.
  uint32_t addLargestPart(std::span<const Item> items, uint32_t first_node, uint32_t i, double limit,
                          Fold& fold) const {
    const Node* largest = nullptr;
    uint32_t covered = 1, level_first = first_node;
    auto level_count = static_cast<uint32_t>(items.size() / kFanOut);
    while (i % (covered * kFanOut) == 0) {
      const uint32_t position = i / (covered * kFanOut);
      if (position >= level_count) break;
      const Node& above = nodes_[level_first + position];
      if (static_cast<double>(above.end) > limit) break;
      largest = &above;
      covered *= kFanOut;
      level_first += level_count;
      level_count /= kFanOut;
    }
    largest != nullptr ? fold.add(*largest) : fold.add(items[i]);
    return covered;
  }

  std::vector<Node> nodes_;
};

}  // namespace warpscope
