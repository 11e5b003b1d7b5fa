// One axis for the traces of several runs: each begins at the start of its launch, in cycles or in
// nanoseconds.
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

}  // namespace warpscope
