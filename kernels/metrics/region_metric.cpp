#include <algorithm>
#include <array>

#include "kernels/metrics/metric.h"

namespace warpscope {
namespace {

std::optional<double> knownNumber(double value) {
  return value;
}

constexpr std::array kRegionMetrics{
    RegionMetric{"line", "line", "line", MetricUnit::kCount,
                 [](const RegionMetrics& region) {
                   return region.line > 0 ? knownNumber(region.line) : std::nullopt;
                 }},
    RegionMetric{"spans", "spans", "spans", MetricUnit::kCount,
                 [](const RegionMetrics& region) { return knownNumber(static_cast<double>(region.spans)); }},
    RegionMetric{
        "divergent_spans", "", "divergent spans", MetricUnit::kCount,
        [](const RegionMetrics& region) { return knownNumber(static_cast<double>(region.divergent_spans)); }},
    RegionMetric{"warp_cycles", "cycles", "warp-cycles", MetricUnit::kCount,
                 [](const RegionMetrics& region) { return knownNumber(static_cast<double>(region.cycles)); }},
    RegionMetric{"share_of_time", "", "share of warps' time", MetricUnit::kShare,
                 [](const RegionMetrics& region) { return knownNumber(region.share); }},
    RegionMetric{"mean_active_lanes", "mean_active_lanes", "mean active lanes", MetricUnit::kLanes,
                 [](const RegionMetrics& region) {
                   return region.cycles > 0 ? knownNumber(region.mean_active_lanes) : std::nullopt;
                 }},
    RegionMetric{"lost_lane_cycles", "lost_lane_cycles", "lost lane-cycles", MetricUnit::kCount,
                 [](const RegionMetrics& region) {
                   return knownNumber(static_cast<double>(region.lost_lane_cycles));
                 }},
};

}  // namespace

std::span<const RegionMetric> regionMetricList() {
  return kRegionMetrics;
}

std::vector<const RegionMetric*> regionMetricsToRead() {
  std::vector<const RegionMetric*> list;
  list.reserve(std::size(kRegionMetrics));
  for (const RegionMetric& metric : kRegionMetrics) list.push_back(&metric);
  const auto share = std::ranges::find(list, MetricUnit::kShare, &RegionMetric::unit);
  std::rotate(list.begin() + 1, share, share + 1);
  return list;
}

std::string formatRegionMetric(const RegionMetric& metric, const RegionMetrics& region) {
  const auto value = metric.value(region);
  return value ? formatMetric(metric.unit, *value) : "";
}

}  // namespace warpscope
