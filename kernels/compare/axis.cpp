#include "kernels/compare/axis.h"

#include <algorithm>

namespace warpscope {

const char* axisUnitName(AxisUnit unit) {
  return unit == AxisUnit::kCycles ? "cycles" : "ns";
}

std::optional<double> ComparisonAxis::at(size_t run, int64_t cycles) const {
  if (run >= runs.size() || !runs[run].units_per_cycle) return std::nullopt;
  return static_cast<double>(cycles) * *runs[run].units_per_cycle;
}

ComparisonAxis alignAxis(const ComparedRuns& runs, AxisUnit unit) {
  ComparisonAxis axis{.unit = unit};
  for (const auto& run : runs) {
    RunOnAxis& place = axis.runs.emplace_back();
    const double cycles_per_ns = run->trace.clocks.cycles_per_ns;
    if (run->trace.warps.empty()) {
      place.reason = "no warp was recorded";
    } else if (unit == AxisUnit::kCycles) {
      place.units_per_cycle = 1;
    } else if (cycles_per_ns > 0) {
      place.units_per_cycle = 1 / cycles_per_ns;
    } else {
      place.reason = "the clock rate of its SMs is not known: compare in cycles";
    }
    if (!place.units_per_cycle) continue;
    place.length = static_cast<double>(run->trace.duration_cycles) * *place.units_per_cycle;
    axis.length = std::max(axis.length, place.length);
  }
  return axis;
}

}  // namespace warpscope
