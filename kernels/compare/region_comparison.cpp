#include "kernels/compare/region_comparison.h"

#include <algorithm>
#include <map>
#include <utility>

#include "kernels/metrics/metrics.h"

namespace warpscope {
namespace {

using Key = std::pair<std::string, size_t>;  // name, and ordinal among regions of that name

RegionNumbers numbersOf(const RegionMetrics& metrics, size_t warps) {
  RegionNumbers numbers{.spans = metrics.spans,
                        .cycles = metrics.cycles,
                        .cycles_per_warp = static_cast<double>(metrics.cycles) / static_cast<double>(warps),
                        .share = metrics.share,
                        .lost_lane_cycles = metrics.lost_lane_cycles};
  if (metrics.cycles > 0) numbers.mean_active_lanes = metrics.mean_active_lanes;
  return numbers;
}

}  // namespace

std::vector<RegionComparison> compareRegions(const ComparedRuns& runs, size_t baseline) {
  std::vector<RegionComparison> regions;
  std::map<Key, size_t> row_of;
  const auto add = [&](size_t i) {
    std::map<std::string, size_t> seen;
    const size_t warps = runs[i]->trace.warps.size();
    for (const RegionMetrics& metrics : regionMetrics(*runs[i])) {
      const auto [row, is_new] = row_of.try_emplace({metrics.name, seen[metrics.name]++}, regions.size());
      if (is_new) regions.push_back({metrics.name, std::vector<RegionOfRun>(runs.size())});
      RegionOfRun& place = regions[row->second].runs[i];
      place.exists = true;
      if (warps > 0) place.numbers = numbersOf(metrics, warps);
    }
  };
  add(baseline);
  for (size_t i = 0; i < runs.size(); ++i) {
    if (i != baseline) add(i);
  }
  return regions;
}

std::optional<RegionDifference> differenceOf(const RegionComparison& region, size_t run, size_t baseline) {
  const auto& own = region.runs[run].numbers;
  const auto& base = region.runs[baseline].numbers;
  if (!own || !base) return std::nullopt;
  RegionDifference difference{.spans = static_cast<int64_t>(own->spans) - static_cast<int64_t>(base->spans),
                              .cycles = own->cycles - base->cycles,
                              .lost_lane_cycles = own->lost_lane_cycles - base->lost_lane_cycles,
                              .cycles_per_warp = own->cycles_per_warp - base->cycles_per_warp,
                              .share = own->share - base->share};
  if (own->mean_active_lanes && base->mean_active_lanes) {
    difference.mean_active_lanes = *own->mean_active_lanes - *base->mean_active_lanes;
  }
  return difference;
}

}  // namespace warpscope
