// One axis for the traces of several runs: each begins at its launch's start, in cycles or in nanoseconds.
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
  double length = 0;                      // of the launch, in the axis' unit; only with units_per_cycle
  std::string reason;                     // why not
};

struct ComparisonAxis {
  AxisUnit unit = AxisUnit::kCycles;
  std::vector<RunOnAxis> runs;
  double length = 0;  // the longest of those that are on it

  // Where a clock cycle of that run's launch axis lies; nullopt: the run is not on it.
  std::optional<double> at(size_t run, int64_t cycles) const;
};

// Cycles of devices with other clocks are not equally long: kNs puts them on real time, by each run's clock
// rate, where it is known.
ComparisonAxis alignAxis(const ComparedRuns& runs, AxisUnit unit);

}  // namespace warpscope
