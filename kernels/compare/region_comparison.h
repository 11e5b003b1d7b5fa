// Regions of several runs side by side, matched by name, since variants of a family share some of them.
#pragma once

#include "kernels/compare/axis.h"

namespace warpscope {

// A region in one run, over its recorded warps.
struct RegionNumbers {
  uint64_t spans = 0;
  int64_t cycles = 0;          // warp-cycles
  double cycles_per_warp = 0;  // per recorded warp, since runs may have recorded different numbers of warps
  double share = 0;            // of all recorded warp-cycles
  std::optional<double> mean_active_lanes;  // absent if no cycle was spent in the region
  int64_t lost_lane_cycles = 0;
};

struct RegionOfRun {
  bool exists = false;                   // the variant has such a region
  std::optional<RegionNumbers> numbers;  // also absent if no warp was recorded
};

struct RegionComparison {
  std::string name;
  std::vector<RegionOfRun> runs;  // one per run
};

// The baseline's regions in its order, then those that only other runs have. Regions with the same name
// within a run are distinguished by their order.
std::vector<RegionComparison> compareRegions(const ComparedRuns& runs, size_t baseline);

// A run's numbers minus the baseline's.
struct RegionDifference {
  int64_t spans = 0, cycles = 0, lost_lane_cycles = 0;
  double cycles_per_warp = 0, share = 0;
  std::optional<double> mean_active_lanes;
};
// nullopt if only one of them has the region, or its numbers.
std::optional<RegionDifference> differenceOf(const RegionComparison& region, size_t run, size_t baseline);

}  // namespace warpscope
