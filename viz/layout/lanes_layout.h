// One warp as 32 lanes over time: which lane executes, waits while another path runs, has left the kernel, or
// never existed. Folded to pixels like a timeline's rows; neighbouring lanes that do the same form one item.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/metrics/metrics.h"
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

// The lanes of one warp with a level-of-detail pyramid over them, so that a picture costs a few items per
// pixel however many events the warp has. It is made when another warp is asked for, in a time that grows
// with this warp's events, and then kept; it takes about 27 bytes for each of them.
class LanesLayout {
 public:
  // Makes it of trace warp `index`, unless it is already. `layout`: the run's.
  void show(const std::shared_ptr<const Run>& run, const TraceLayout& layout, uint32_t index);

  // The sums of this warp.
  const LaneCycles& cycles() const { return cycles_; }
  // Appends the items that intersect [begin, end), in order of time, then lane. What is narrower than
  // `fold_cycles` is folded. `layout`: as above.
  void collect(const TraceLayout& layout, double begin, double end, double fold_cycles,
               std::vector<LaneItem>& out) const;

 private:
  // Of each lane: the cycles in which it executed, and the region of the longest span in which it did.
  struct Lanes {
    std::array<float, kWarpSize> executing{}, longest{};
    std::array<RegionIndex, kWarpSize> region{};
    LaneMask executed;  // the others have no region

    void add(int64_t span_cycles, LaneMask mask, RegionIndex of);
    void add(const Lanes& later);
  };
  struct Node {
    int64_t begin = 0, end = 0;
    Lanes lanes;
  };
  struct Fold {
    Lanes lanes;

    void add(int64_t span_cycles, LaneMask mask, RegionIndex region) { lanes.add(span_cycles, mask, region); }
    void add(const Node& node) { lanes.add(node.lanes); }
    Node node(int64_t begin, int64_t end) const { return {begin, end, lanes}; }
  };
  void emit(const Lanes& lanes, const LayoutSpan& last, int64_t begin, std::vector<LaneItem>& out) const;

  std::weak_ptr<const Run> run_;
  uint32_t index_ = 0;
  TraceWarp warp_;
  LaneCycles cycles_;
  Pyramid<Node, Fold> pyramid_;
};

// The state of one lane in a span.
LaneState laneState(const TraceWarp& warp, const LayoutSpan& span, int lane);

}  // namespace warpscope
