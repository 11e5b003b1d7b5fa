#include "viz/layout/lanes_layout.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace warpscope {
namespace {

struct LaneFold {
  LaneState state = LaneState::kUnmarked;
  RegionIndex region = kNoRegion;
  int64_t executing_cycles = 0, longest = -1;
};

// Shares are rounded to eighths: finer steps would only split what could be one rectangle.
float roundedShare(const LaneFold& lane, int64_t cycles) {
  if (cycles <= 0) return 1;
  return std::max(0.125F,
                  std::round(8 * static_cast<float>(lane.executing_cycles) / static_cast<float>(cycles)) / 8);
}

// Spans [first, last) of the warp.
void foldLanes(const TraceWarp& warp, const WarpSpans& spans, size_t first, size_t last,
               std::array<LaneFold, kWarpSize>& lanes) {
  lanes.fill({});
  const LayoutSpan after = spans[last - 1];
  for (int lane = 0; lane < kWarpSize; ++lane) {
    lanes[static_cast<size_t>(lane)].state = laneState(warp, after, lane);
  }
  for (size_t i = first; i < last; ++i) {
    const LayoutSpan span = spans[i];
    const int64_t cycles = span.end - span.begin;
    for (LaneMask rest = span.mask & warp.live; !rest.empty(); rest.bits &= rest.bits - 1) {
      LaneFold& lane = lanes[static_cast<size_t>(rest.lowest())];
      lane.state = LaneState::kExecuting;
      lane.executing_cycles += cycles;
      if (cycles > lane.longest) {
        lane.longest = cycles;
        lane.region = span.region;
      }
    }
  }
}

void emit(const std::array<LaneFold, kWarpSize>& lanes, int64_t begin, int64_t end,
          std::vector<LaneItem>& out) {
  const size_t first_of_column = out.size();
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    const LaneFold& fold = lanes[lane];
    if (fold.state == LaneState::kNeverExisted) continue;
    const bool executing = fold.state == LaneState::kExecuting;
    const LaneItem item{.begin = begin,
                        .end = end,
                        .first_lane = static_cast<uint8_t>(lane),
                        .state = fold.state,
                        .region = executing ? fold.region : kNoRegion,
                        .share = executing ? roundedShare(fold, end - begin) : 1};
    if (out.size() > first_of_column) {
      LaneItem& above = out.back();
      if (above.first_lane + above.lane_count == item.first_lane && above.state == item.state &&
          above.region == item.region && above.share == item.share) {
        ++above.lane_count;
        continue;
      }
    }
    out.push_back(item);
  }
}

void emitNeverExisted(const TraceWarp& warp, std::vector<LaneItem>& out) {
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (warp.live.has(lane)) continue;
    int last = lane;
    while (last + 1 < kWarpSize && !warp.live.has(last + 1)) ++last;
    out.push_back({.begin = warp.begin_cycles,
                   .end = std::max(warp.begin_cycles, warp.end_cycles),
                   .first_lane = static_cast<uint8_t>(lane),
                   .lane_count = static_cast<uint8_t>(last - lane + 1),
                   .state = LaneState::kNeverExisted});
    lane = last;
  }
}

}  // namespace

LaneState laneState(const TraceWarp& warp, const LayoutSpan& span, int lane) {
  if (!warp.live.has(lane)) return LaneState::kNeverExisted;
  if (span.mask.has(lane)) return LaneState::kExecuting;
  if (span.exited.has(lane)) return LaneState::kExited;
  return span.region == kNoRegion ? LaneState::kUnmarked : LaneState::kWaiting;
}

void collectLanes(const TraceLayout& layout, const TraceWarp& warp, uint32_t index, double begin, double end,
                  double fold_cycles, std::vector<LaneItem>& out) {
  const WarpSpans& spans = layout.spansOf(index);
  if (static_cast<double>(warp.end_cycles) >= begin && static_cast<double>(warp.begin_cycles) < end) {
    emitNeverExisted(warp, out);
  }
  const auto endsBy = [&](size_t i, double limit) { return static_cast<double>(spans.endOf(i)) <= limit; };
  std::array<LaneFold, kWarpSize> lanes;
  size_t i =
      firstNot(spans.size(), [&](size_t span) { return static_cast<double>(spans.endOf(span)) < begin; });
  while (i < spans.size() && static_cast<double>(spans.beginOf(i)) < end) {
    const size_t first = i++;
    if (spans[first].empty()) continue;
    const double limit = static_cast<double>(spans.beginOf(first)) + fold_cycles;
    if (endsBy(first, limit)) {
      while (i < spans.size() && endsBy(i, limit)) ++i;
    }
    size_t last = i;
    while (spans[last - 1].empty()) --last;
    foldLanes(warp, spans, first, last, lanes);
    emit(lanes, spans.beginOf(first), spans.endOf(last - 1), out);
  }
}

}  // namespace warpscope
