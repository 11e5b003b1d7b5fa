// Each number of a region (RegionMetrics), declared once, as metric.h has those of a run.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/metrics/metric.h"
#include "kernels/metrics/metrics.h"

namespace warpscope {

struct RegionMetric {
  std::string_view column;      // "warp_cycles": in CSV
  std::string_view report_key;  // "cycles": in `run --json`; empty: it is not there
  std::string_view title;       // "warp-cycles": of columns that people read
  MetricUnit unit;
  std::optional<double> (*value)(const RegionMetrics&);
};

std::span<const RegionMetric> regionMetricList();  // in the order of the CSV table
// In the order in which people read them: where a region is and how long it took come first.
std::vector<const RegionMetric*> regionMetricsToRead();

// Empty where it is not known.
std::string formatRegionMetric(const RegionMetric& metric, const RegionMetrics& region);

}  // namespace warpscope
