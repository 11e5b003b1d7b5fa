// The rows of a timeline: which recorded warps are shown, which of them share a row, and in which order rows
// stand. Made of a run's layout and a choice, and immutable; drawing asks it for the warps of a row. What it
// takes to make grows with the number of warps, never with that of events.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/run/run.h"
#include "viz/layout/row_choice.h"
#include "viz/layout/trace_layout.h"

namespace warpscope {

class RowOrder {
 public:
  struct Group {
    // SM or linear block; absent: rows are sorted across groups, and each row's label names its own.
    std::optional<uint32_t> id;
    uint32_t first_row = 0, row_count = 0;
  };

  // Keeps no reference to the layout or its run. Accepts any trace.
  RowOrder(const TraceLayout& layout, const RowChoice& choice);

  RowKind kind() const { return kind_; }  // never automatic
  // For rows of slots: the slots are not the hardware's own (see warp_slots.h).
  bool slotsAssigned() const { return slots_assigned_; }
  bool severalWarpsInARow() const { return kind_ == RowKind::kSlots || kind_ == RowKind::kBlocks; }

  uint32_t rowCount() const { return static_cast<uint32_t>(rows_.size()); }
  // The shown warps of a row, as indices into Trace::warps: in the order of their begins, in a row of a block
  // in the order of their numbers. At least one.
  std::span<const uint32_t> warpsOf(uint32_t row) const {
    return std::span(warps_).subspan(rows_[row].first, rows_[row].count);
  }
  uint32_t firstWarpOf(uint32_t row) const { return warps_[rows_[row].first]; }
  std::optional<uint32_t> rowOf(uint32_t warp) const;  // nullopt: filtered out
  // Its position in warpsOf() of its row.
  uint32_t placeOf(uint32_t warp) const { return place_of_[warp]; }
  uint32_t slotOf(uint32_t row) const { return rows_[row].slot; }  // of a row of a slot

  std::span<const Group> groups() const { return groups_; }
  // The group of a row, as an index into groups().
  uint32_t groupOfRow(uint32_t row) const;

  uint32_t shownWarps() const { return static_cast<uint32_t>(warps_.size()); }
  uint32_t recordedWarps() const { return static_cast<uint32_t>(row_of_.size()); }
  // Those of all recorded warps, whether the filter shows them or not.
  std::span<const uint32_t> sms() const { return sms_; }  // ascending
  uint32_t highestBlock() const { return highest_block_; }

 private:
  struct Row {
    uint32_t first = 0, count = 0;  // into warps_
    uint32_t sm = 0, slot = 0;
    uint32_t block = 0;  // of its first warp
  };
  void keep(const TraceLayout& layout, const RowFilter& filter);
  void decideKind(const Run& run, RowKind wanted);
  void divideIntoRows(const Trace& trace);
  void sortRows(const TraceLayout& layout, const RowChoice& choice);
  void divideIntoGroups(bool sorted);

  RowKind kind_ = RowKind::kWarpsBySm;
  bool slots_assigned_ = false;
  std::vector<uint32_t> slots_;  // while it is made: by warp
  std::vector<uint32_t> warps_;  // shown, row by row
  std::vector<uint32_t> row_of_, place_of_;
  std::vector<Row> rows_;
  std::vector<Group> groups_;
  std::vector<uint32_t> sms_;
  uint32_t highest_block_ = 0;
};

// The order that was asked for last. It is made again only for another layout or another choice.
class RowOrderCache {
 public:
  std::shared_ptr<const RowOrder> of(const std::shared_ptr<const TraceLayout>& layout,
                                     const RowChoice& choice);

 private:
  std::weak_ptr<const TraceLayout> layout_;
  RowChoice choice_;
  std::shared_ptr<const RowOrder> order_;
};

// The warp of a row that is there at an instant: of several, the one that began last; nullopt if there is
// none.
std::optional<uint32_t> warpAt(const RowOrder& order, const Trace& trace, uint32_t row, double cycle);
// From the first begin to the last end of a row's warps, in cycles.
std::pair<int64_t, int64_t> lifeOfRow(const RowOrder& order, const Trace& trace, uint32_t row);
// The warp that a step with the keyboard leads to from `warp`: in the row `rows` further down, the one that
// lived when `warp` began, or was nearest; and `along` warps later in the same row. Remains within the rows.
uint32_t steppedWarp(const RowOrder& order, const Trace& trace, uint32_t warp, int rows, int along);

}  // namespace warpscope
