// A level-of-detail pyramid over rows of consecutive items: nodes that each sum kLeaf items, above those
// nodes that each sum kFanOut nodes, as far as these are complete (the rest at the end of a level is folded
// from the level below). It is built once and then queried for a visible range: it visits items that are wide
// enough as they are, and folds the others up to the fold width, or half of it where that spares taking a
// node apart, using the largest nodes that fit. The lowest level takes most of the memory, so that it is
// coarse.
//   Items: size(), beginOf(i) and endOf(i), ascending, and addTo(Fold&, i).
//   Node: members begin and end. Fold: add(const Node&), and Node node(begin, end) const; starts empty.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/core/large_vector.h"

namespace warpscope {

// Times in a damaged trace are clamped so that sums cannot overflow: 2^50 cycles are a week.
constexpr int64_t clampTime(int64_t cycles) {
  constexpr int64_t kFarthest = int64_t{1} << 50;
  return std::clamp(cycles, -kFarthest, kFarthest);
}

// The first item that `is_before` does not hold for; it must hold for all those before it.
template <class IsBefore>
size_t firstNot(size_t items, const IsBefore& is_before) {
  size_t first = 0;
  while (items > 0) {  // the answer is at most so many after `first`
    const size_t half = items / 2;
    if (is_before(first + half)) {
      first += half + 1;
      items -= half + 1;
    } else {
      items = half;
    }
  }
  return first;
}

// Items that are stored one after another; Fold: add(const Item&), too.
template <class Item>
struct StoredItems {
  std::span<const Item> items;
  size_t size() const { return items.size(); }
  int64_t beginOf(size_t i) const { return items[i].begin; }
  int64_t endOf(size_t i) const { return items[i].end; }
  template <class Fold>
  void addTo(Fold& fold, size_t i) const {
    fold.add(items[i]);
  }
};

template <class Node, class Fold>
class Pyramid {
 public:
  static constexpr size_t kLeaf = 16, kFanOut = 4;

  // The number of nodes over a row.
  static size_t nodesOver(size_t items) {
    size_t nodes = 0;
    for (size_t level = items / kLeaf; level > 0; level /= kFanOut) nodes += level;
    return nodes;
  }

  // Makes room for the nodes of all rows; fill() then computes those of one row, from `first_node` on.
  // Different rows may be filled at the same time.
  void resize(size_t nodes) { nodes_.resize(nodes); }
  template <class Items>
  void fill(const Items& items, size_t first_node) {
    Node* out = nodes_.data() + first_node;
    for (size_t i = 0; i + kLeaf <= items.size(); i += kLeaf) {
      Fold fold;
      for (size_t part = i; part < i + kLeaf; ++part) items.addTo(fold, part);
      *out++ = fold.node(items.beginOf(i), items.endOf(i + kLeaf - 1));
    }
    const Node* below = nodes_.data() + first_node;
    for (size_t count = items.size() / kLeaf; count >= kFanOut; count /= kFanOut) {
      for (size_t i = 0; i + kFanOut <= count; i += kFanOut) {
        Fold fold;
        for (size_t part = i; part < i + kFanOut; ++part) fold.add(below[part]);
        *out++ = fold.node(below[i].begin, below[i + kFanOut - 1].end);
      }
      below += count;
    }
  }

  // Adds the nodes of one more row; returns its first one.
  template <class Items>
  size_t addRow(const Items& items) {
    const size_t first_node = nodes_.size();
    nodes_.resize(first_node + nodesOver(items.size()));
    fill(items, first_node);
    return first_node;
  }

  // Calls visit(first, count, begin, end, fold) for the items that intersect [begin, end), in order, where
  // each fold sums `count` items starting at `first`. Items are not cut at the range.
  template <class Items, class Visit>
  void collect(const Items& items, size_t first_node, double begin, double end, double fold_cycles,
               Visit&& visit) const {
    const Row<Items> row{items, nodes_.data() + first_node, items.size() / kLeaf};
    size_t i =
        firstNot(items.size(), [&](size_t item) { return static_cast<double>(items.endOf(item)) < begin; });
    while (i < items.size()) {
      const int64_t fold_begin = row.beginOf(i);
      if (static_cast<double>(fold_begin) >= end) return;
      const size_t first = i;
      Fold fold;
      const int64_t fold_end = row.addParts(i, fold_begin, fold_cycles, fold);
      visit(first, i - first, fold_begin, fold_end, fold);
    }
  }

 private:
  // A row's items, and its nodes from the lowest level on.
  template <class Items>
  struct Row {
    const Items& items;
    const Node* nodes;
    size_t lowest;  // number of nodes of the lowest level

    // Without touching the item where a node knows.
    int64_t beginOf(size_t i) const {
      return i % kLeaf == 0 && i / kLeaf < lowest ? nodes[i / kLeaf].begin : items.beginOf(i);
    }

    // Adds parts from item i on, which advances: one item, or as many as end within the fold width. Returns
    // the end of the last.
    int64_t addParts(size_t& i, int64_t begin, double fold_cycles, Fold& fold) const {
      const double limit = static_cast<double>(begin) + fold_cycles;
      const double enough = static_cast<double>(begin) + fold_cycles / 2;
      const size_t first = i;
      int64_t end = begin;
      while (i < items.size()) {
        if (i % kLeaf == 0 && i / kLeaf < lowest) {
          if (const size_t covered = addLargestNode(i, limit, end, fold)) {
            i += covered;
            continue;
          }
          // Rather a narrower fold than one that takes a node apart.
          if (i > first && static_cast<double>(end) >= enough) break;
        }
        const int64_t item_end = items.endOf(i);
        const bool fits = static_cast<double>(item_end) <= limit;
        if (!fits && i > first) break;
        items.addTo(fold, i++);
        end = item_end;
        if (!fits) break;
      }
      return end;
    }

    // Adds the largest node that begins with item i and ends within `limit`; returns its number of items, 0
    // if there is none. Climbs as long as item i is the first item below the next higher node, and that node
    // still ends within the limit.
    size_t addLargestNode(size_t i, double limit, int64_t& end, Fold& fold) const {
      const Node* level = nodes;
      const Node* largest = nullptr;
      size_t covered = 0, count = lowest;
      for (size_t below = kLeaf; i % below == 0 && i / below < count; below *= kFanOut) {
        const Node& node = level[i / below];
        if (static_cast<double>(node.end) > limit) break;
        largest = &node;
        covered = below;
        level += count;
        count /= kFanOut;
      }
      if (largest == nullptr) return 0;
      fold.add(*largest);
      end = largest->end;
      return covered;
    }
  };

  LargeVector<Node> nodes_;
};

}  // namespace warpscope
