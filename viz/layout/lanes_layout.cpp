#include "viz/layout/lanes_layout.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace warpscope {
namespace {

// Shares are rounded to eighths: finer steps would only split what could be one rectangle.
float roundedShare(float executing, int64_t cycles) {
  if (cycles <= 0) return 1;
  return std::clamp(std::round(8 * executing / static_cast<float>(cycles)) / 8, 0.125F, 1.0F);
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

void LanesLayout::Lanes::add(int64_t span_cycles, LaneMask mask, RegionIndex of) {
  const auto cycles = static_cast<float>(span_cycles);
  for (LaneMask rest = mask; !rest.empty(); rest.bits &= rest.bits - 1) {
    const auto lane = static_cast<size_t>(rest.lowest());
    executing[lane] += cycles;
    if (cycles > longest[lane] || !executed.has(rest.lowest())) {
      longest[lane] = cycles;
      region[lane] = of;
    }
  }
  executed = executed | mask;
}

void LanesLayout::Lanes::add(const Lanes& later) {
  for (LaneMask rest = later.executed; !rest.empty(); rest.bits &= rest.bits - 1) {
    const auto lane = static_cast<size_t>(rest.lowest());
    executing[lane] += later.executing[lane];
    if (later.longest[lane] > longest[lane] || !executed.has(rest.lowest())) {
      longest[lane] = later.longest[lane];
      region[lane] = later.region[lane];
    }
  }
  executed = executed | later.executed;
}

void LanesLayout::show(const std::shared_ptr<const Run>& run, const TraceLayout& layout, uint32_t index) {
  const bool same_run = !run_.owner_before(run) && !run.owner_before(run_);
  if (same_run && run != nullptr && index == index_) return;
  run_ = run;
  index_ = index;
  warp_ = run->trace.warps[index];
  cycles_ = laneCycles(run->trace, warp_);
  pyramid_ = {};
  pyramid_.addRow(layout.spansOf(index));
}

void LanesLayout::emit(const Lanes& lanes, const LayoutSpan& last, int64_t begin,
                       std::vector<LaneItem>& out) const {
  const size_t first_of_column = out.size();
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (!warp_.live.has(lane)) continue;
    const auto i = static_cast<size_t>(lane);
    const bool executing = lanes.executed.has(lane);
    const LaneItem item{.begin = begin,
                        .end = last.end,
                        .first_lane = static_cast<uint8_t>(lane),
                        .state = executing ? LaneState::kExecuting : laneState(warp_, last, lane),
                        .region = executing ? lanes.region[i] : kNoRegion,
                        .share = executing ? roundedShare(lanes.executing[i], last.end - begin) : 1};
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

void LanesLayout::collect(const TraceLayout& layout, double begin, double end, double fold_cycles,
                          std::vector<LaneItem>& out) const {
  const WarpSpans& spans = layout.spansOf(index_);
  if (static_cast<double>(warp_.end_cycles) >= begin && static_cast<double>(warp_.begin_cycles) < end) {
    emitNeverExisted(warp_, out);
  }
  pyramid_.collect(spans, 0, begin, end, fold_cycles,
                   [&](size_t first, size_t count, int64_t item_begin, int64_t, const Fold& fold) {
                     size_t last = first + count;
                     while (last > first && spans[last - 1].empty()) --last;
                     if (last > first) emit(fold.lanes, spans[last - 1], item_begin, out);
                   });
}

}  // namespace warpscope
