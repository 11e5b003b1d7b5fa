#include "viz/layout/trace_layout.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "viz/layout/density.h"

namespace warpscope {
namespace {

int64_t length(const LayoutSpan& span) {
  return span.end - span.begin;
}

// Region id -> index, in constant time: region ids in records have eight bits.
class RegionTable {
 public:
  explicit RegionTable(std::span<const Region> regions) {
    table_.fill(kUnknownRegion);
    for (size_t i = 0; i < regions.size() && i < kUnknownRegion; ++i) {
      if (regions[i].id.value < table_.size()) table_[regions[i].id.value] = static_cast<RegionIndex>(i);
    }
  }
  RegionIndex operator[](RegionId id) const {
    return id.value < table_.size() ? table_[id.value] : kUnknownRegion;
  }

 private:
  std::array<RegionIndex, 256> table_{};
};

uint64_t warpKey(BlockId block, uint32_t warp_in_block) {
  return (uint64_t{block.value} << 32) | warp_in_block;
}

}  // namespace

TraceLayout::TraceLayout(const Run& run) : instructions_(run) {
  buildSpans(run);
  buildNodes();
  buildOrders(run.trace);
  buildMinimap(run.trace);
}

void TraceLayout::buildSpans(const Run& run) {
  const Trace& trace = run.trace;
  const RegionTable regions(run.regions);
  // If only a sample is recorded, the launch may continue long after the last recorded warp; that time is
  // empty.
  end_ = std::max<int64_t>(1, trace.warps.empty() ? clampTime(trace.duration_cycles) : 1);
  warps_.reserve(trace.warps.size());
  spans_.reserve(trace.events.size() + trace.warps.size());
  for (const TraceWarp& warp : trace.warps) {
    WarpRow row{.first_span = static_cast<uint32_t>(spans_.size())};
    const int64_t warp_begin = clampTime(warp.begin_cycles);
    const int64_t warp_end = std::max(warp_begin, clampTime(warp.end_cycles));
    const bool readable = size_t{warp.first_event} + warp.event_count <= trace.events.size();
    const auto events = readable ? trace.eventsOf(warp) : std::span<const TraceEvent>();
    LayoutSpan span{.begin = warp_begin};
    // Closes the span at an event or at the warp's end. A span without a region is kept only if it has a
    // length.
    const auto close = [&](int64_t at) {
      span.end = std::clamp(at, span.begin, warp_end);
      if (span.region != kNoRegion || length(span) > 0) spans_.push_back(span);
      span.begin = span.end;
    };
    for (const TraceEvent& event : events) {
      close(event.clock_cycles);
      const bool exit = event.region == kExitRegion;
      if (exit) span.exited = span.exited | event.mask;
      span.mask = exit ? LaneMask{} : event.mask;
      span.region = exit ? kNoRegion : regions[event.region];
    }
    close(warp_end);
    row.span_count = static_cast<uint32_t>(spans_.size()) - row.first_span;
    warps_.push_back(row);
    begin_ = std::min(begin_, warp_begin);
    end_ = std::max(end_, warp_end);
  }
}

void TraceLayout::Fold::add(const LayoutSpan& span) {
  begin = std::min(begin, span.begin);
  end = span.end;
  lane_cycles += length(span) * span.mask.count();
  mask = mask | span.mask;
  compete(span.region, length(span));
}

void TraceLayout::Fold::add(const Node& node) {
  begin = std::min(begin, node.begin);
  end = node.end;
  lane_cycles += node.lane_cycles;
  mask = mask | node.mask;
  compete(node.region, node.region_cycles);
}

void TraceLayout::Fold::compete(RegionIndex region, int64_t region_cycles) {
  if (region == kNoRegion) return;
  for (size_t i = 0; i < candidates; ++i) {
    if (cycles[i].first == region) {
      cycles[i].second += region_cycles;
      return;
    }
  }
  if (candidates < kCandidates) cycles[candidates++] = {region, region_cycles};
}

std::pair<RegionIndex, int64_t> TraceLayout::Fold::dominant() const {
  std::pair<RegionIndex, int64_t> best{kNoRegion, 0};
  for (size_t i = 0; i < candidates; ++i) {
    if (best.first == kNoRegion || cycles[i].second > best.second) best = cycles[i];
  }
  return best;
}

TraceLayout::Node TraceLayout::Fold::node() const {
  const auto [region, region_cycles] = dominant();
  return {begin, end, lane_cycles, region_cycles, mask, region};
}

void TraceLayout::buildNodes() {
  pyramid_.reserve(spans_.size());
  for (WarpRow& row : warps_) {
    row.first_node =
        pyramid_.addRow(std::span<const LayoutSpan>(spans_).subspan(row.first_span, row.span_count));
  }
}

void TraceLayout::buildOrders(const Trace& trace) {
  const auto count = static_cast<uint32_t>(trace.warps.size());
  struct Key {
    uint32_t sm, block, warp_in_block, index;
    int64_t block_begin;
  };
  std::vector<Key> keys(count);
  for (uint32_t i = 0; i < count; ++i) {
    const TraceWarp& warp = trace.warps[i];
    keys[i] = {warp.sm.value, warp.block.value, warp.warp_in_block, i, warp.begin_cycles};
  }
  const auto finish = [&](Ordered& order, auto group_of) {
    order.warps.resize(count);
    order.rows.resize(count);
    for (uint32_t row = 0; row < count; ++row) {
      order.warps[row] = keys[row].index;
      order.rows[keys[row].index] = row;
      const uint32_t id = group_of(keys[row]);
      if (order.groups.empty() || order.groups.back().id != id) order.groups.push_back({id, row, 0});
      ++order.groups.back().row_count;
    }
  };
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    return std::tie(a.block, a.warp_in_block, a.index) < std::tie(b.block, b.warp_in_block, b.index);
  });
  finish(by_block_, [](const Key& key) { return key.block; });
  keys_.reserve(count);
  for (const Key& key : keys) keys_.emplace_back(warpKey(BlockId{key.block}, key.warp_in_block), key.index);

  // On an SM, a block's warps stay together, and blocks are in the order in which they began, so that waves
  // are visible.
  for (size_t first = 0; first < keys.size();) {
    size_t last = first;
    int64_t begin = keys[first].block_begin;
    for (; last < keys.size() && keys[last].block == keys[first].block; ++last) {
      begin = std::min(begin, keys[last].block_begin);
    }
    for (; first < last; ++first) keys[first].block_begin = begin;
  }
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    return std::tie(a.sm, a.block_begin, a.block, a.warp_in_block, a.index) <
           std::tie(b.sm, b.block_begin, b.block, b.warp_in_block, b.index);
  });
  finish(by_sm_, [](const Key& key) { return key.sm; });
}

void TraceLayout::buildMinimap(const Trace& trace) {
  DensityProfile executing(begin_, end_, kMinimapColumns), resident(begin_, end_, kMinimapColumns);
  for (const LayoutSpan& span : spans_) executing.add(span.begin, span.end, span.mask.count());
  for (const TraceWarp& warp : trace.warps)
    resident.add(warp.begin_cycles, warp.end_cycles, warp.live.count());
  const std::vector<double> executing_lanes = executing.means();
  const std::vector<double> resident_lanes = resident.means();
  const double most = *std::max_element(resident_lanes.begin(), resident_lanes.end());
  minimap_.resize(kMinimapColumns);
  for (size_t i = 0; i < kMinimapColumns && most > 0; ++i) {
    minimap_[i] = {static_cast<float>(executing_lanes[i] / most),
                   static_cast<float>(resident_lanes[i] / most)};
  }
}

uint32_t TraceLayout::groupOfRow(Grouping grouping, uint32_t row) const {
  const std::vector<Group>& groups = ordered(grouping).groups;
  const auto after = std::upper_bound(groups.begin(), groups.end(), row,
                                      [](uint32_t r, const Group& group) { return r < group.first_row; });
  return static_cast<uint32_t>(after - groups.begin()) - 1;
}

std::optional<uint32_t> TraceLayout::findWarp(BlockId block, uint32_t warp_in_block) const {
  const std::pair<uint64_t, uint32_t> wanted{warpKey(block, warp_in_block), 0};
  const auto found = std::lower_bound(keys_.begin(), keys_.end(), wanted);
  if (found == keys_.end() || found->first != wanted.first) return std::nullopt;
  return found->second;
}

void TraceLayout::collect(uint32_t warp, double begin, double end, double fold_cycles,
                          std::vector<DrawItem>& out) const {
  const WarpRow& row = warps_[warp];
  pyramid_.collect(spansOf(warp), row.first_node, begin, end, fold_cycles,
                   [&](uint32_t first, uint32_t count, const Fold& fold) {
                     const RegionIndex region = fold.dominant().first;
                     if (region == kNoRegion) return;
                     out.push_back({fold.begin, fold.end, fold.lane_cycles, row.first_span + first, count,
                                    fold.mask, region});
                   });
}

std::optional<uint32_t> TraceLayout::pick(uint32_t warp, double cycle) const {
  const auto spans = spansOf(warp);
  const auto found = std::partition_point(spans.begin(), spans.end(), [&](const LayoutSpan& span) {
    return static_cast<double>(span.end) <= cycle;
  });
  if (found != spans.end() && static_cast<double>(found->begin) <= cycle) {
    return static_cast<uint32_t>(found - spans.begin()) + warps_[warp].first_span;
  }
  // No span contains this instant: look for a span of zero length at it.
  if (found != spans.begin()) {
    const auto& before = *(found - 1);
    if (length(before) == 0 && static_cast<double>(before.begin) == cycle) {
      return static_cast<uint32_t>(found - 1 - spans.begin()) + warps_[warp].first_span;
    }
  }
  return std::nullopt;
}

}  // namespace warpscope
