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

// Region id -> index, in constant time: ids of records have eight bits.
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

// Times of a damaged trace are kept where sums of lane-cycles cannot overflow: 2^50 cycles are a week.
constexpr int64_t kFarthest = int64_t{1} << 50;

int64_t clampTime(int64_t cycles) {
  return std::clamp(cycles, -kFarthest, kFarthest);
}

uint64_t warpKey(BlockId block, uint32_t warp_in_block) {
  return (uint64_t{block.value} << 32) | warp_in_block;
}

}  // namespace

TraceLayout::TraceLayout(const Run& run) {
  buildSpans(run);
  buildNodes();
  buildOrders(run.trace);
  buildMinimap(run.trace);
}

void TraceLayout::buildSpans(const Run& run) {
  const Trace& trace = run.trace;
  const RegionTable regions(run.regions);
  end_ = std::max<int64_t>(1, clampTime(trace.duration_cycles));
  warps_.reserve(trace.warps.size());
  spans_.reserve(trace.events.size() + trace.warps.size());
  for (const TraceWarp& warp : trace.warps) {
    WarpRow row{.first_span = static_cast<uint32_t>(spans_.size())};
    const int64_t warp_begin = clampTime(warp.begin_cycles);
    const int64_t warp_end = std::max(warp_begin, clampTime(warp.end_cycles));
    const bool readable = size_t{warp.first_event} + warp.event_count <= trace.events.size();
    const auto events = readable ? trace.eventsOf(warp) : std::span<const TraceEvent>();
    LayoutSpan span{.begin = warp_begin};
    // Closes the span at an event or at the warp's end. One without region is kept only if it has a length.
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

// What a fold has added up so far. Few regions meet in one fold; past kCandidates the rest do not compete.
struct TraceLayout::Fold {
  static constexpr size_t kCandidates = 8;
  std::array<std::pair<RegionIndex, int64_t>, kCandidates> cycles;
  size_t candidates = 0;

  void add(RegionIndex region, int64_t region_cycles) {
    if (region == kNoRegion) return;
    for (size_t i = 0; i < candidates; ++i) {
      if (cycles[i].first == region) {
        cycles[i].second += region_cycles;
        return;
      }
    }
    if (candidates < kCandidates) cycles[candidates++] = {region, region_cycles};
  }
  std::pair<RegionIndex, int64_t> dominant() const {
    std::pair<RegionIndex, int64_t> best{kNoRegion, -1};
    for (size_t i = 0; i < candidates; ++i) {
      if (cycles[i].second > best.second) best = cycles[i];
    }
    return best.second < 0 ? std::pair<RegionIndex, int64_t>{kNoRegion, 0} : best;
  }
};

void TraceLayout::buildNodes() {
  for (WarpRow& row : warps_) {
    row.first_node = static_cast<uint32_t>(nodes_.size());
    for (uint32_t i = 0; i < row.span_count && row.span_count > 1; i += kFanOut) {
      const auto part = spansOf(static_cast<uint32_t>(&row - warps_.data()))
                            .subspan(i)
                            .first(std::min(kFanOut, row.span_count - i));
      Node node{.begin = part.front().begin, .end = part.back().end};
      Fold fold;
      for (const LayoutSpan& span : part) {
        node.lane_cycles += length(span) * span.mask.count();
        node.mask = node.mask | span.mask;
        fold.add(span.region, length(span));
      }
      std::tie(node.region, node.region_cycles) = fold.dominant();
      nodes_.push_back(node);
    }
    uint32_t below = row.first_node;
    auto count = static_cast<uint32_t>(nodes_.size()) - below;
    while (count > 1) {
      for (uint32_t i = 0; i < count; i += kFanOut) {
        const uint32_t stop = std::min(i + kFanOut, count);
        Node node{.begin = nodes_[below + i].begin, .end = nodes_[below + stop - 1].end};
        Fold fold;
        for (uint32_t child = i; child < stop; ++child) {
          const Node& part = nodes_[below + child];
          node.lane_cycles += part.lane_cycles;
          node.mask = node.mask | part.mask;
          fold.add(part.region, part.region_cycles);
        }
        std::tie(node.region, node.region_cycles) = fold.dominant();
        nodes_.push_back(node);
      }
      below += count;
      count = nodesAbove(count);
    }
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

  // On an SM, a block's warps stay together, blocks in the order in which they began: the waves become
  // visible.
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
  const auto spans = spansOf(warp);
  const auto first = std::partition_point(spans.begin(), spans.end(), [&](const LayoutSpan& span) {
    return static_cast<double>(span.end) < begin;
  });
  auto i = static_cast<uint32_t>(first - spans.begin());
  while (i < spans.size() && static_cast<double>(spans[i].begin) < end) {
    const LayoutSpan& span = spans[i];
    const double limit = static_cast<double>(span.begin) + fold_cycles;
    DrawItem item{.begin = span.begin, .end = span.end, .first_span = row.first_span + i, .span_count = 0};
    if (static_cast<double>(span.end) > limit) {
      item.lane_cycles = length(span) * span.mask.count();
      item.mask = span.mask;
      item.region = span.region;
      item.span_count = 1;
      ++i;
    } else {
      Fold fold;
      while (i < spans.size() && static_cast<double>(spans[i].end) <= limit) {
        // Climb while i is the first child of the node above, and that node still fits.
        uint32_t covered = 1, level_first = row.first_node, level_count = nodesAbove(row.span_count);
        const Node* node = nullptr;
        while (row.span_count > 1 && i % (covered * kFanOut) == 0) {
          const Node& above = nodes_[level_first + i / (covered * kFanOut)];
          if (static_cast<double>(above.end) > limit) break;
          node = &above;
          covered *= kFanOut;
          if (level_count <= 1) break;
          level_first += level_count;
          level_count = nodesAbove(level_count);
        }
        const LayoutSpan& part = spans[i];
        item.end = node != nullptr ? node->end : part.end;
        item.lane_cycles += node != nullptr ? node->lane_cycles : length(part) * part.mask.count();
        item.mask = item.mask | (node != nullptr ? node->mask : part.mask);
        fold.add(node != nullptr ? node->region : part.region,
                 node != nullptr ? node->region_cycles : length(part));
        const uint32_t step = std::min(covered, row.span_count - i);
        item.span_count += step;
        i += step;
      }
      item.region = fold.dominant().first;
    }
    if (item.region != kNoRegion) out.push_back(item);
  }
}

std::optional<uint32_t> TraceLayout::pick(uint32_t warp, double cycle) const {
  const auto spans = spansOf(warp);
  const auto found = std::partition_point(spans.begin(), spans.end(), [&](const LayoutSpan& span) {
    return static_cast<double>(span.end) <= cycle;
  });
  if (found != spans.end() && static_cast<double>(found->begin) <= cycle) {
    return static_cast<uint32_t>(found - spans.begin()) + warps_[warp].first_span;
  }
  // Nothing is in progress: a span of no length at just this instant.
  if (found != spans.begin()) {
    const auto& before = *(found - 1);
    if (length(before) == 0 && static_cast<double>(before.begin) == cycle) {
      return static_cast<uint32_t>(found - 1 - spans.begin()) + warps_[warp].first_span;
    }
  }
  return std::nullopt;
}

}  // namespace warpscope
