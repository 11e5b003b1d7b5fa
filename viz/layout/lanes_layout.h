// One warp as 32 lanes over time: which lane executes, waits while another path runs, has left the kernel, or
// never existed. Folded to pixels like a timeline's rows; neighbouring lanes that do the same form one item.
#pragma once

#include <cstdint>
#include <vector>

#include "viz/layout/trace_layout.h"

namespace warpscope {

enum class LaneState : uint8_t {
  kExecuting,
  kWaiting,       // alive, but another path is running
  kExited,        // left the kernel while others of its warp continued
  kNeverExisted,  // the block's size is not a multiple of 32
  kUnmarked,      // alive, but no mark says what it does: before the first mark, or after others left
};

struct LaneItem {
  int64_t begin = 0, end = 0;
  uint8_t first_lane = 0, lane_count = 1;
  LaneState state = LaneState::kUnmarked;
  // While executing: the region, and the share of the item's time that these lanes executed (below 1 only
  // where spans narrower than a pixel are folded).
  RegionIndex region = kNoRegion;
  float share = 1;

  bool contains(int lane) const { return lane >= first_lane && lane < first_lane + lane_count; }
};

// Appends the items of trace warp `index` that intersect [begin, end), in order of time, then lane.
void collectLanes(const TraceLayout& layout, const TraceWarp& warp, uint32_t index, double begin, double end,
                  double fold_cycles, std::vector<LaneItem>& out);

// The state of one lane in a span.
LaneState laneState(const TraceWarp& warp, const LayoutSpan& span, int lane);

}  // namespace warpscope
