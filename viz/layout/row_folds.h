// Rows that hold several warps: a warp slot is a sequence of warps, with a level-of-detail pyramid over it; a
// block is divided wherever one of its warps changes, which is found in the pyramids of its warps. Narrow
// parts are folded, so that a frame draws a few items per pixel, however many warps a row holds and whatever
// these did. Lane-cycles are conserved at every zoom.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "viz/layout/pyramid.h"
#include "viz/layout/region_sums.h"
#include "viz/layout/row_order.h"
#include "viz/layout/trace_layout.h"

namespace warpscope {

// A part of a row: one warp, or a time in which nothing changed in a block; or several of these.
struct RowItem {
  int64_t begin = 0, end = 0;
  int64_t lane_cycles = 0;         // executing lanes x cycles
  int64_t live_cycles = 0;         // lanes of warps that were there x cycles
  int64_t region_cycles = 0;       // lane-cycles in `region`
  RegionIndex region = kNoRegion;  // the one with the most
  uint32_t first = 0, count = 1;   // slots: places of its warps in RowOrder::warpsOf()

  // The shares of the row's lanes that execute and that exist; the row has `lanes`.
  double share(double lanes) const { return shareOf(lane_cycles, lanes); }
  double liveShare(double lanes) const { return shareOf(live_cycles, lanes); }

 private:
  double shareOf(int64_t cycles, double lanes) const {
    if (end <= begin) return 0;
    // More only where a slot was handed over before its warp's recorded end.
    return std::min(1.0, static_cast<double>(cycles) / (static_cast<double>(end - begin) * lanes));
  }
};

class RowFolds {
 public:
  // Both are of the same run, and the order has rows of several warps; `layout` must outlive this.
  RowFolds(const TraceLayout& layout, std::shared_ptr<const RowOrder> order);

  const std::shared_ptr<const RowOrder>& order() const { return order_; }
  // The number of lanes that a row can have at a time: 32 for a slot, those of all its warps for a block.
  double lanesOf(uint32_t row) const;

  // Appends the items of a row that intersect [begin, end), in order; those narrower than `fold_cycles` are
  // folded. A row of a slot is prepared when it is asked for the first time, one of a block for the range,
  // half as much at either side, and the fold: panning and little zooms find it prepared. `trace`: the run's.
  void collect(const Trace& trace, uint32_t row, double begin, double end, double fold_cycles,
               std::vector<RowItem>& out);

 private:
  struct Fold {
    RowItem sum{.count = 0};
    RegionSums lane_cycles;

    void add(const RowItem& item);
    RowItem node(int64_t begin, int64_t end) const;
  };
  struct Prepared {
    size_t first_item = 0, first_node = 0;
    uint32_t count = 0;
  };

  // What was folded of a block.
  struct Block {
    double begin = 0, end = -1, fold_cycles = 0;
    std::vector<RowItem> items;
  };

  const Prepared& prepare(const Trace& trace, uint32_t row);
  void addSlot(const Trace& trace, uint32_t row);
  const Block& block(const Trace& trace, uint32_t row, double begin, double end, double fold_cycles);

  const TraceLayout* layout_;
  std::shared_ptr<const RowOrder> order_;
  std::vector<std::optional<Prepared>> rows_;  // of slots
  std::map<uint32_t, Block> blocks_;           // by row
  std::vector<RowItem> items_;
  Pyramid<RowItem, Fold> pyramid_;
  std::vector<DrawItem> whole_;  // reused
};

}  // namespace warpscope
