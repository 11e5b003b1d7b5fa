#include "viz/layout/row_order.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "viz/layout/warp_life.h"
#include "viz/layout/warp_slots.h"

namespace warpscope {
namespace {

constexpr uint32_t kNoRow = std::numeric_limits<uint32_t>::max();
// Automatic: from this many warps a slot on, their rows would be a staircase with little in it.
constexpr double kWarpsForSlotRows = 1.5;

bool passes(const TraceLayout& layout, uint32_t index, const RowFilter& filter) {
  const TraceWarp& warp = layout.run().trace.warps[index];
  const int64_t cycles = lifeCycles(warp);
  return (!filter.sms || filter.sms->contains(warp.sm.value)) &&
         (!filter.blocks || filter.blocks->contains(warp.block.value)) &&
         (!filter.least_cycles || cycles >= *filter.least_cycles) &&
         (!filter.most_cycles || cycles <= *filter.most_cycles) &&
         (!filter.region || layout.enters(index, *filter.region));
}

}  // namespace

RowOrder::RowOrder(const TraceLayout& layout, const RowChoice& choice) {
  decideKind(layout.run(), choice.kind);
  keep(layout, choice.filter);
  divideIntoRows(layout.run().trace);
  sortRows(layout, choice);
  divideIntoGroups(choice.sort != RowSort::kNatural);
  slots_ = {};
}

void RowOrder::decideKind(const Run& run, RowKind wanted) {
  const auto& warps = run.trace.warps;
  for (const TraceWarp& warp : warps) {
    sms_.push_back(warp.sm.value);
    highest_block_ = std::max(highest_block_, warp.block.value);
  }
  const std::vector<uint32_t> sm_of_warp = sms_;
  std::ranges::sort(sms_);
  sms_.erase(std::unique(sms_.begin(), sms_.end()), sms_.end());
  kind_ = wanted;
  if (wanted != RowKind::kAutomatic && wanted != RowKind::kSlots) return;
  WarpSlots slots = warpSlots(run.trace);
  if (wanted == RowKind::kAutomatic) {
    std::vector<std::pair<uint32_t, uint32_t>> used;
    used.reserve(warps.size());
    for (size_t i = 0; i < warps.size(); ++i) used.emplace_back(sm_of_warp[i], slots.of_warp[i]);
    std::ranges::sort(used);
    const auto count = std::unique(used.begin(), used.end()) - used.begin();
    const bool waves = static_cast<double>(warps.size()) >= kWarpsForSlotRows * static_cast<double>(count);
    kind_ = waves && !warps.empty() ? RowKind::kSlots : RowKind::kWarpsBySm;
  }
  if (kind_ != RowKind::kSlots) return;
  slots_ = std::move(slots.of_warp);
  slots_assigned_ = slots.assigned;
}

void RowOrder::keep(const TraceLayout& layout, const RowFilter& filter) {
  const uint32_t count = layout.warpCount();
  row_of_.assign(count, kNoRow);
  place_of_.assign(count, 0);
  warps_.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    if (passes(layout, i, filter)) warps_.push_back(i);
  }
}

void RowOrder::divideIntoRows(const Trace& trace) {
  struct Key {
    uint32_t sm = 0, slot = 0, block = 0, warp_in_block = 0, index = 0;
    int64_t begin = 0;
  };
  std::vector<Key> keys;
  keys.reserve(warps_.size());
  for (const uint32_t i : warps_) {
    const TraceWarp& warp = trace.warps[i];
    keys.push_back({warp.sm.value, slots_.empty() ? 0 : slots_[i], warp.block.value, warp.warp_in_block, i,
                    lifeBegin(warp)});
  }
  const auto by_block = [](const Key& key) { return std::tuple(key.block, key.warp_in_block, key.index); };
  if (kind_ == RowKind::kSlots) {
    std::ranges::sort(keys, {},
                      [](const Key& key) { return std::tuple(key.sm, key.slot, key.begin, key.index); });
  } else {
    std::ranges::sort(keys, {}, by_block);
  }
  if (kind_ == RowKind::kWarpsBySm || kind_ == RowKind::kBlocks) {
    // On an SM, a block's warps stay together, and blocks are in the order in which they began, so that waves
    // are visible.
    for (size_t first = 0; first < keys.size();) {
      size_t last = first;
      int64_t begin = keys[first].begin;
      for (; last < keys.size() && keys[last].block == keys[first].block; ++last)
        begin = std::min(begin, keys[last].begin);
      const uint32_t sm = keys[first].sm;
      for (; first < last; ++first) {
        keys[first].begin = begin;
        if (kind_ == RowKind::kBlocks) keys[first].sm = sm;
      }
    }
    std::ranges::sort(keys, {}, [](const Key& key) {
      return std::tuple(key.sm, key.begin, key.block, key.warp_in_block, key.index);
    });
  }
  for (uint32_t i = 0; i < keys.size(); ++i) {
    const Key& key = keys[i];
    warps_[i] = key.index;
    const bool continues =
        i > 0 && ((kind_ == RowKind::kSlots && keys[i - 1].sm == key.sm && keys[i - 1].slot == key.slot) ||
                  (kind_ == RowKind::kBlocks && keys[i - 1].block == key.block));
    if (!continues) rows_.push_back({i, 0, key.sm, key.slot, key.block});
    ++rows_.back().count;
  }
}

void RowOrder::sortRows(const TraceLayout& layout, const RowChoice& choice) {
  const auto value = [&](const Row& row) {
    int64_t sum = 0, begin = std::numeric_limits<int64_t>::max(), end = std::numeric_limits<int64_t>::min();
    for (const uint32_t i : std::span(warps_).subspan(row.first, row.count)) {
      const TraceWarp& warp = layout.run().trace.warps[i];
      begin = std::min(begin, lifeBegin(warp));
      end = std::max(end, lifeEnd(warp));
      sum += choice.sort == RowSort::kLostLanes ? layout.lostLaneCycles(i) : lifeCycles(warp);
    }
    if (choice.sort == RowSort::kBegin) return begin;
    // Most first.
    return choice.sort == RowSort::kDuration && kind_ == RowKind::kBlocks ? begin - end : -sum;
  };
  if (choice.sort != RowSort::kNatural) {
    std::vector<std::pair<int64_t, uint32_t>> keys;
    keys.reserve(rows_.size());
    for (uint32_t i = 0; i < rows_.size(); ++i) keys.emplace_back(value(rows_[i]), i);
    std::ranges::sort(keys);
    std::vector<Row> sorted;
    sorted.reserve(rows_.size());
    for (const auto& [key, row] : keys) sorted.push_back(rows_[row]);
    rows_ = std::move(sorted);
  }
  if (choice.reversed) std::ranges::reverse(rows_);
  for (uint32_t row = 0; row < rows_.size(); ++row) {
    const auto warps = warpsOf(row);
    for (uint32_t place = 0; place < warps.size(); ++place) {
      row_of_[warps[place]] = row;
      place_of_[warps[place]] = place;
    }
  }
}

void RowOrder::divideIntoGroups(bool sorted) {
  for (uint32_t row = 0; row < rows_.size(); ++row) {
    const uint32_t id = kind_ == RowKind::kWarpsByBlock ? rows_[row].block : rows_[row].sm;
    if (groups_.empty() || (!sorted && groups_.back().id != id)) {
      groups_.push_back({sorted ? std::nullopt : std::optional(id), row, 0});
    }
    ++groups_.back().row_count;
  }
}

std::optional<uint32_t> RowOrder::rowOf(uint32_t warp) const {
  if (warp >= row_of_.size() || row_of_[warp] == kNoRow) return std::nullopt;
  return row_of_[warp];
}

uint32_t RowOrder::groupOfRow(uint32_t row) const {
  const auto after = std::upper_bound(groups_.begin(), groups_.end(), row,
                                      [](uint32_t r, const Group& group) { return r < group.first_row; });
  return static_cast<uint32_t>(after - groups_.begin()) - 1;
}

std::shared_ptr<const RowOrder> RowOrderCache::of(const std::shared_ptr<const TraceLayout>& layout,
                                                  const RowChoice& choice) {
  const bool same_layout = !layout_.owner_before(layout) && !layout.owner_before(layout_);
  if (order_ == nullptr || !same_layout || choice_ != choice) {
    order_ = layout == nullptr ? nullptr : std::make_shared<const RowOrder>(*layout, choice);
    layout_ = layout;
    choice_ = choice;
  }
  return order_;
}

std::optional<uint32_t> warpAt(const RowOrder& order, const Trace& trace, uint32_t row, double cycle) {
  const auto warps = order.warpsOf(row);
  const auto lives = [&](uint32_t warp) {
    return static_cast<double>(lifeBegin(trace.warps[warp])) <= cycle &&
           cycle <= static_cast<double>(lifeEnd(trace.warps[warp]));
  };
  if (order.kind() != RowKind::kSlots) {
    const auto found = std::ranges::find_if(warps, lives);
    return found == warps.end() ? std::nullopt : std::optional(*found);
  }
  const auto after = std::partition_point(warps.begin(), warps.end(), [&](uint32_t warp) {
    return static_cast<double>(lifeBegin(trace.warps[warp])) <= cycle;
  });
  if (after == warps.begin() || !lives(*(after - 1))) return std::nullopt;
  return *(after - 1);
}

std::pair<int64_t, int64_t> lifeOfRow(const RowOrder& order, const Trace& trace, uint32_t row) {
  std::pair<int64_t, int64_t> life{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  for (const uint32_t warp : order.warpsOf(row)) {
    life.first = std::min(life.first, lifeBegin(trace.warps[warp]));
    life.second = std::max(life.second, lifeEnd(trace.warps[warp]));
  }
  return life;
}

uint32_t steppedWarp(const RowOrder& order, const Trace& trace, uint32_t warp, int rows, int along) {
  const auto row_of_warp = order.rowOf(warp);
  if (!row_of_warp || order.rowCount() == 0) return order.rowCount() == 0 ? warp : order.firstWarpOf(0);
  const auto stepped = [](uint32_t from, int by, size_t count) {
    return static_cast<uint32_t>(std::clamp<int64_t>(int64_t{from} + by, 0, static_cast<int64_t>(count) - 1));
  };
  const uint32_t row = stepped(*row_of_warp, rows, order.rowCount());
  const auto warps = order.warpsOf(row);
  if (row == *row_of_warp) return warps[stepped(order.placeOf(warp), along, warps.size())];
  if (order.kind() == RowKind::kBlocks) return warps.front();
  const int64_t begin = lifeBegin(trace.warps[warp]);
  if (const auto there = warpAt(order, trace, row, static_cast<double>(begin))) return *there;
  const auto distance = [&](uint32_t other) {
    const TraceWarp& at = trace.warps[other];
    return std::max({lifeBegin(at) - begin, begin - lifeEnd(at), int64_t{0}});
  };
  return *std::ranges::min_element(warps, {}, distance);
}

}  // namespace warpscope
