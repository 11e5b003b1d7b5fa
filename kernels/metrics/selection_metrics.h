// Numbers of a part of a run (selection.h): what the window shows of a selection, and `show --select` and
// `run --select` print. What lies within the selection counts: a span that its edge cuts counts with the
// cycles inside.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kernels/metrics/instruction_metrics.h"
#include "kernels/metrics/metrics.h"
#include "kernels/metrics/selection.h"

namespace warpscope {

// How values (cycles) are distributed. Percentiles are nearest ranks: each is one of the values.
struct Distribution {
  struct Bin {
    int64_t from = 0, to = 0;  // values in [from, to)
    uint64_t count = 0;
  };
  static constexpr size_t kMostBins = 24;

  uint64_t count = 0;
  int64_t sum = 0, least = 0, median = 0, p95 = 0, most = 0;
  // From the least to the largest value: equally wide bins, and bins that are equally wide on a logarithmic
  // axis. Empty if there is no value.
  std::vector<Bin> linear, logarithmic;

  double mean() const { return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count); }
};
Distribution distributionOf(std::vector<int64_t> values);

struct SelectionMetrics {
  struct Region {
    RegionId id;
    std::string name;
    uint32_t line = 0;             // first source line
    uint64_t cut_spans = 0;        // only partly inside
    Distribution cycles;           // of its spans, as far as they are inside
    double share = 0;              // of the selected warp-cycles
    double mean_active_lanes = 0;  // weighted by cycles
    int64_t lost_lane_cycles = 0;  // lanes of the warp that did not execute, x cycles
  };
  struct Warp {
    BlockId block;
    uint32_t warp_in_block = 0;
    SmPlace place;
    int64_t life_cycles = 0;      // from its begin to its end, also outside the selection
    int64_t selected_cycles = 0;  // inside
  };
  static constexpr size_t kExtremes = 5;

  CycleRange cycles;            // from the first selected cycle to the last one
  int64_t duration_cycles = 0;  // selected cycles: gaps between parts do not count
  std::optional<double> duration_ns;
  uint64_t warps = 0, blocks = 0, sms = 0;  // of which anything is selected
  Distribution life_cycles;                 // of these warps
  int64_t warp_cycles = 0;                  // summed over warps
  LaneCycles lanes;
  std::vector<Region> regions;         // in the run's order, also those that do not occur
  std::vector<Warp> slowest, fastest;  // by life, kExtremes at most; ties in the order of blocks
  std::optional<IssueMetrics> issues;  // of instructions issued inside; absent: the run has no log

  // The share of the lane-cycles of existing lanes in which they waited or had exited; absent: there are
  // none.
  std::optional<double> lostShare() const;
};

// Gives up early, with numbers that mean nothing, once it is told to stop.
SelectionMetrics selectionMetrics(const Run& run, const TraceSelection& selection,
                                  const std::stop_token& stop = {});

}  // namespace warpscope
