#include "kernels/compare/axis.h"

#include <algorithm>
#include <iterator>

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

std::vector<std::optional<size_t>> sameWarp(const ComparedRuns& runs, const WarpPlace& place) {
  std::vector<std::optional<size_t>> found;
  for (const auto& run : runs) {
    const auto& warps = run->trace.warps;
    const auto warp = std::ranges::find_if(warps, [&](const TraceWarp& candidate) {
      return WarpPlace{candidate.block, candidate.warp_in_block} == place;
    });
    found.push_back(warp == warps.end() ? std::nullopt
                                        : std::optional(static_cast<size_t>(warp - warps.begin())));
  }
  return found;
}

std::vector<WarpPlace> commonWarps(const ComparedRuns& runs) {
  std::vector<WarpPlace> common;
  for (size_t i = 0; i < runs.size(); ++i) {
    std::vector<WarpPlace> places;
    for (const TraceWarp& warp : runs[i]->trace.warps) places.push_back({warp.block, warp.warp_in_block});
    std::ranges::sort(places);
    if (i == 0) {
      common = std::move(places);
      continue;
    }
    std::vector<WarpPlace> both;
    std::ranges::set_intersection(common, places, std::back_inserter(both));
    common = std::move(both);
  }
  return common;
}

}  // namespace warpscope
