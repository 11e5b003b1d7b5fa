// Each number that is computed from a run as a whole, declared once: what it is called, how it is computed,
// and what it means. The command line's tables, JSON, CSV and HTML, comparisons, the curves of sweeps and the
// window's tables take it from the list in metric.cpp; a new one needs its line there, and a function. What a
// device counts is in counters.h. At the end: each number of a region, declared in the same way.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/units.h"
#include "kernels/metrics/metrics.h"
#include "kernels/run/run.h"

namespace warpscope {

enum class MetricUnit {
  kMicroseconds,
  kGbPerS,  // 1e9 bytes a second
  kShare,   // 0 to 1, shown in percent
  kTimes,   // a ratio: 1.04×
  kCount,   // a whole number
  kBytes,   // a whole number
  kNumber,  // a mean of counts
  kLanes,   // a mean of lanes, 0 to 32
};
bool isWhole(MetricUnit unit);  // a whole number: an integer in JSON and CSV
// "883.2 GB/s", "12.8 %", "1.04×"
std::string formatMetric(MetricUnit unit, double value);
// The same, but times in the unit of their column.
std::string formatMetric(MetricUnit unit, double value, const TimeColumn& times);

// The places in which a metric is shown, as flags. The window's tables and the curves of sweeps show every
// metric.
enum MetricOutput : unsigned {
  kInReport = 1,       // `run --json`, and with it the CSV table of runs and `compare --json`
  kInRunTable = 2,     // the table of `run` and `show`
  kInComparison = 4,   // the table of `compare`
  kInCompareJson = 8,  // `compare --json`, of what the report leaves out
  kInCsv = 16,         // the CSV table of runs, of what the report leaves out
  kInHtml = 32,        // the report's table of numbers
  kEverywhere = kInReport | kInRunTable | kInComparison | kInHtml,
};

struct MetricValue {
  double value = 0;
  double low = 0, high = 0;  // of the repeats; equal to the value, where there is one number
};

struct Metric {
  std::string_view id;           // "achieved": in sessions and exports
  std::string_view title;        // "achieved": of columns and rows
  std::string_view nvidia_name;  // Nsight Compute's of the same number; empty: it has none
  MetricUnit unit;
  std::string_view help;  // what it is, a sentence
  // Nullopt: the run lacks it, because its device cannot report it or because it was not recorded.
  std::optional<MetricValue> (*compute)(const Run&);
  unsigned outputs = kEverywhere;
  // For outputs that need a name other than the usual one:
  std::string_view axis = {};    // on an axis, in place of the title
  std::string_view key = {};     // in JSON, in place of the id: "occupancy.achieved" is a member of an object
  std::string_view column = {};  // in CSV, in place of the key with _ for the dot
  bool sparse = false;           // where a run lacks it, its cells are empty
  bool uncertain = false;        // a share that may be off: shown with how far
};

// Of a value of that metric: "883.2 GB/s", "62 % ± 3 points". Times are in the unit of their column.
std::string formatMetric(const Metric& metric, const MetricValue& value, const TimeColumn& times);

// In the order in which they are shown.
std::span<const Metric> metrics();
const Metric* findMetric(std::string_view id);  // nullptr: there is none

// All metrics of a run.
class MetricValues {
 public:
  MetricValues() = default;  // of no run: none is known
  explicit MetricValues(const Run& run);
  // `metric`: one of metrics().
  const std::optional<MetricValue>& operator[](const Metric& metric) const;
  std::optional<double> value(std::string_view id) const;

 private:
  std::vector<std::optional<MetricValue>> values_;  // in the order of metrics()
};

// Each number of a region (RegionMetrics), declared once: the list is in region_metric.cpp.
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
