#include "viz/layout/trace_layout.h"

#include <algorithm>
#include <array>
#include <cmath>

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
  buildKeys(run.trace);
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
  cycles.add(span.region, length(span));
}

void TraceLayout::Fold::add(const Node& node) {
  begin = std::min(begin, node.begin);
  end = node.end;
  lane_cycles += node.lane_cycles;
  mask = mask | node.mask;
  cycles.add(node.region, node.region_cycles);
}

TraceLayout::Node TraceLayout::Fold::node() const {
  const auto [region, region_cycles] = cycles.dominant();
  return {begin, end, lane_cycles, region_cycles, mask, region};
}

void TraceLayout::buildNodes() {
  pyramid_.reserve(spans_.size());
  for (WarpRow& row : warps_) {
    row.first_node =
        pyramid_.addRow(std::span<const LayoutSpan>(spans_).subspan(row.first_span, row.span_count));
  }
}

void TraceLayout::buildKeys(const Trace& trace) {
  keys_.reserve(trace.warps.size());
  for (uint32_t i = 0; i < trace.warps.size(); ++i) {
    const TraceWarp& warp = trace.warps[i];
    keys_.emplace_back(warpKey(warp.block, warp.warp_in_block), i);
  }
  std::sort(keys_.begin(), keys_.end());
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
                     const RegionIndex region = fold.cycles.dominant().first;
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
