// The spans of one run's warps with a level-of-detail pyramid: what a timeline draws and picks from. Which
// warps are in which row is RowOrder's (row_order.h).
// Built once per run, off the UI thread, and immutable; drawing asks it for a row and a range and gets a few
// items per pixel, however many events there are. It knows nothing of colours, of ImGui, or of the selection.
// Spans are made from the run's events (warp_spans.h), so that it takes 4 bytes per event beside the run.
//
// It folds as follows: a warp's spans cover its time from begin to end (time without a recorded region is a
// span of kNoRegion), and a pyramid (pyramid.h) lies over them. Lane-cycles are conserved exactly at every
// zoom; a fold's region is the one with the most cycles, where a node counts only for its own region.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/run/run.h"
#include "viz/layout/density.h"
#include "viz/layout/instruction_layout.h"
#include "viz/layout/pyramid.h"
#include "viz/layout/region_sums.h"
#include "viz/layout/warp_spans.h"

namespace warpscope {

// One rectangle of a row: a span, or several folded into one.
struct DrawItem {
  int64_t begin = 0, end = 0;
  int64_t lane_cycles = 0;  // executing lanes x cycles
  uint32_t first_span = 0;  // index into the warp's spans
  uint32_t span_count = 1;  // without empty ones; more than one: a fold
  LaneMask mask;            // union over all its spans
  RegionIndex region = kNoRegion;

  bool folded() const { return span_count > 1; }
  // Mean share of the warp's 32 lanes that executed.
  double share() const {
    if (end <= begin) return mask.count() / double{kWarpSize};
    return static_cast<double>(lane_cycles) / (static_cast<double>(end - begin) * kWarpSize);
  }
};

class TraceLayout {
 public:
  // One column of the minimap.
  struct Density {
    float executing = 0;  // mean number of executing lanes / most lanes resident in any column
    float resident = 0;   // mean number of lanes of resident warps / the same
  };
  static constexpr size_t kMinimapColumns = 512;

  // Shares the run. Accepts any trace: events out of order or out of range are clamped.
  explicit TraceLayout(std::shared_ptr<const Run> run);
  // The layout owns the run.
  explicit TraceLayout(Run run) : TraceLayout(std::make_shared<const Run>(std::move(run))) {}
  TraceLayout(const TraceLayout&) = delete;  // spans refer to its table of regions
  TraceLayout& operator=(const TraceLayout&) = delete;

  uint32_t warpCount() const { return static_cast<uint32_t>(warps_.size()); }
  // The first warp of the lowest block, as an index into Trace::warps; there must be one.
  uint32_t firstWarp() const { return keys_.front().second; }
  std::optional<uint32_t> findWarp(BlockId block, uint32_t warp_in_block) const;

  // The time axis: from the start of the launch, or an earlier begin, to the end of the last recorded warp;
  // at least [0, 1).
  int64_t begin() const { return begin_; }
  int64_t end() const { return end_; }

  const Run& run() const { return *run_; }
  const WarpSpans& spansOf(uint32_t warp) const { return warps_[warp].spans; }
  // What rows are sorted and filtered by without going through the events again.
  int64_t lostLaneCycles(uint32_t warp) const {
    return warps_[warp].lost_lane_cycles;
  }  // as laneCycles() has
  bool enters(uint32_t warp, RegionId region) const {
    const std::bitset<kRegionIds>& entered = warps_[warp].entered;
    return region.value < entered.size() && entered.test(region.value);
  }

  // Appends the items of a warp that intersect [begin, end), in order; items are not cut at the range. Items
  // narrower than `fold_cycles` are folded with their neighbours up to that width. Time without a region
  // gives no item.
  void collect(uint32_t warp, double begin, double end, double fold_cycles, std::vector<DrawItem>& out) const;

  // The span of a warp at that instant; nullopt if the warp is not alive then. A span that ends at the
  // instant does not count; one of zero length counts if there is no other.
  std::optional<LayoutSpan> pick(uint32_t warp, double cycle) const;

  std::span<const Density> minimap() const { return minimap_; }

  // The instructions that the same warps issued; empty if the device does not report them.
  const InstructionLayout& instructions() const { return instructions_; }

 private:
  struct Node {
    int64_t begin = 0, end = 0;
    int64_t lane_cycles = 0;
    int64_t region_cycles = 0;  // in `region`
    LaneMask mask;
    uint32_t spans = 0;
    RegionIndex region = kNoRegion;
  };
  // The sums of a fold so far.
  struct Fold {
    int64_t lane_cycles = 0;
    LaneMask mask;
    uint32_t spans = 0;  // without empty ones
    RegionSums cycles;

    void add(int64_t span_cycles, LaneMask span_mask, RegionIndex region);
    void add(const Node& node);
    Node node(int64_t begin, int64_t end) const;
  };
  static constexpr size_t kRegionIds = 256;  // in records they have eight bits
  struct WarpRow {
    WarpSpans spans;
    size_t first_node = 0;  // in the pyramid
    int64_t lost_lane_cycles = 0;
    std::bitset<kRegionIds> entered;
  };
  // The result of one thread, which goes through a part of the warps.
  struct Part {
    Part(int64_t begin, int64_t end) : executing({begin, end, kMinimapColumns}) {}
    std::optional<DensityProfile> executing;  // until the minimap is made
    // Of warps that have such: lanes that leave; events that were out of order or out of range.
    std::vector<std::vector<ExitMark>> exits;
    std::vector<std::vector<TraceEvent>> repaired;
  };

  void buildExtent();
  void buildRows();
  double minimapFold() const;
  void buildPart(size_t first_warp, size_t last_warp, Part& part);
  static std::span<const TraceEvent> eventsOf(const Trace& trace, const TraceWarp& warp);
  void makeSpans(const TraceWarp& warp, Part& part, WarpRow& row) const;
  int64_t lostLaneCyclesOf(const TraceWarp& warp, const WarpRow& row) const;
  void buildKeys(const Trace& trace);
  void buildMinimap();

  std::shared_ptr<const Run> run_;
  RegionTable regions_;
  std::vector<Part> parts_;
  Pyramid<Node, Fold> pyramid_;
  std::vector<WarpRow> warps_;
  std::vector<std::pair<uint64_t, uint32_t>> keys_;  // block and warp in block -> warp, ascending
  std::vector<Density> minimap_;
  int64_t begin_ = 0, end_ = 1;
  InstructionLayout instructions_;
};

}  // namespace warpscope
