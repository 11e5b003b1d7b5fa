// The traces of several runs side by side: on one axis, where each begins at the start of its launch, in
// cycles or in nanoseconds; and the same warp in each of them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/run/run.h"

namespace warpscope {

using ComparedRuns = std::vector<std::shared_ptr<const Run>>;

enum class AxisUnit { kCycles, kNs };
const char* axisUnitName(AxisUnit unit);  // "ns"

struct RunOnAxis {
  std::optional<double> units_per_cycle;  // nullopt: this run cannot be put on the axis
  double length = 0;                      // of the launch, in the unit of the axis; only with units_per_cycle
  std::string reason;                     // why it cannot
};

struct ComparisonAxis {
  AxisUnit unit = AxisUnit::kCycles;
  std::vector<RunOnAxis> runs;
  double length = 0;  // the longest of the runs on the axis

  // The position of a clock cycle of this run's launch axis; nullopt if the run is not on the axis.
  std::optional<double> at(size_t run, int64_t cycles) const;
};

// Cycles of devices with different clocks have different lengths: kNs converts them to real time, by each
// run's clock rate, if that is known.
ComparisonAxis alignAxis(const ComparedRuns& runs, AxisUnit unit);

// A warp's position in the grid: the same in all runs, wherever and in whichever order warps ran.
struct WarpPlace {
  BlockId block;
  uint32_t warp_in_block = 0;
  auto operator<=>(const WarpPlace&) const = default;
};

// The warp's index in each run's Trace::warps; nullopt if that run has no such warp, or did not record it.
std::vector<std::optional<size_t>> sameWarp(const ComparedRuns& runs, const WarpPlace& place);

// The warps that all runs recorded, ascending.
std::vector<WarpPlace> commonWarps(const ComparedRuns& runs);

}  // namespace warpscope
