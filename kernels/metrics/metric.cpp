#include "kernels/metrics/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/core/units.h"
#include "kernels/metrics/achieved.h"
#include "kernels/metrics/block_waves.h"
#include "kernels/metrics/counters.h"
#include "kernels/metrics/metrics.h"
#include "kernels/metrics/run_times.h"

namespace warpscope {
namespace {

using Value = std::optional<MetricValue>;

Value one(const std::optional<double>& value) {
  return value ? Value({*value, *value, *value}) : std::nullopt;
}

Value oneIf(bool known, double value) {
  return known ? one(value) : std::nullopt;
}

Value bandwidth(const Run& run) {
  const double value = run.bandwidth.gb_per_s;
  const Timing& timing = run.timing;
  if (!(value > 0)) return std::nullopt;
  if (!(timing.min_us > 0) || !(timing.max_us > 0)) return one(value);
  // The slowest repeat has the lowest bandwidth.
  return MetricValue{value, value * timing.median_us / timing.max_us,
                     value * timing.median_us / timing.min_us};
}

Value time(const Run& run) {
  const Timing& timing = run.timing;
  if (timing.repeats == 0 || !(timing.median_us > 0)) return std::nullopt;
  return MetricValue{timing.median_us, timing.min_us, timing.max_us};
}

Value timePerLaunch(const Run& run) {
  if (!run.streams) return std::nullopt;
  const auto launches = std::ranges::count_if(run.streams->operations, [](const StreamOperation& each) {
    return each.kind == OperationKind::kLaunch && !each.skipped;
  });
  const auto whole = time(run);
  if (launches < 2 || !whole) return std::nullopt;
  const auto count = static_cast<double>(launches);
  return MetricValue{whole->value / count, whole->low / count, whole->high / count};
}

Value copyShare(const Run& run) {
  const double copy = run.bandwidth.copy_gb_per_s.value_or(0);
  return oneIf(copy > 0 && run.bandwidth.gb_per_s > 0, run.bandwidth.gb_per_s / copy);
}

Value registers(const Run& run) {
  return oneIf(run.resources.registers_per_thread > 0, run.resources.registers_per_thread);
}

Value sharedBytes(const Run& run) {
  return one(run.resources.static_shared_bytes + run.resources.dynamic_shared_bytes);
}

Value theoreticalOccupancy(const Run& run) {
  return oneIf(run.occupancy.max_warps_per_sm > 0, run.occupancy.theoretical);
}

Value achievedShare(const Run& run) {
  const auto found = achievedOf(run);
  return found ? Value({found->share, found->low, found->high}) : std::nullopt;
}

Value probeCost(const Run& run) {
  return oneIf(run.probe.ratio > 0, run.probe.ratio);
}

Value waves(const Run& run) {
  const BlockWaves waves = blockWavesOf(run);
  return oneIf(waves.complete() && waves.waves > 0, waves.waves);
}

Value idleShare(const Run& run) {
  const BlockWaves waves = blockWavesOf(run);
  return oneIf(waves.complete() && waves.end_cycles > 0, std::max(0.0, waves.idleShare()));
}

// JSON and CSV before this list left out what can be computed from their other members; they stay as they
// are.
constexpr std::array kMetrics{
    Metric{.id = "bandwidth",
           .title = "bandwidth",
           .nvidia_name = "",
           .unit = MetricUnit::kGbPerS,
           .help = "The minimum bytes that must move, over the median time of a launch.",
           .compute = bandwidth,
           .key = "bandwidth_gb_s",
           .sparse = true},
    Metric{.id = "time",
           .title = "launch",
           .nvidia_name = "gpu__time_duration.sum",
           .unit = MetricUnit::kMicroseconds,
           .help =
               "Time of a launch of the bare kernel, as events around it measure it: median, and half the "
               "range of the repeats.",
           .compute = time,
           .outputs = kInReport,  // tables show it with its spread
           .axis = "launch, lower is faster",
           .key = "time_us.median",
           .column = "time_median_us",
           .sparse = true},
    Metric{.id = "time_per_launch",
           .title = "per launch",
           .nvidia_name = "",
           .unit = MetricUnit::kMicroseconds,
           .help = "Of a run of several launches: the time from the host's first call to the end of the last "
                   "operation, over the number of launches.",
           .compute = timePerLaunch,
           .axis = "time per launch, lower is faster",
           .key = "time_per_launch_us",
           .sparse = true},
    Metric{.id = "kernel_time",
           .title = timeText(TimeOf::kKernel).name,
           .nvidia_name = "",
           .unit = MetricUnit::kMicroseconds,
           .help = timeText(TimeOf::kKernel).help,
           .compute = [](const Run& run) { return one(timesOf(run).kernel); },
           .axis = "kernel, lower is faster",
           .key = "kernel_us",
           .sparse = true},
    Metric{.id = "launch_overhead",
           .title = timeText(TimeOf::kOverhead).name,
           .nvidia_name = "",
           .unit = MetricUnit::kShare,
           .help = "Share of the launch that it takes beyond its kernel.",
           .compute = [](const Run& run) { return one(timesOf(run).overheadShare()); },
           .key = "launch_overhead_share",
           .sparse = true},
    Metric{.id = "copy_share",
           .title = "of a copy",
           .nvidia_name = "",
           .unit = MetricUnit::kShare,
           .help = "Its share of a copy of as many bytes on the same device.",
           .compute = copyShare,
           .outputs = kInRunTable | kInComparison | kInCompareJson | kInHtml,
           .sparse = true},
    Metric{.id = "registers",
           .title = "registers",
           .nvidia_name = "launch__registers_per_thread",
           .unit = MetricUnit::kCount,
           .help = "Registers that the compiler gave each thread.",
           .compute = registers,
           .outputs = kInReport | kInRunTable,
           .column = "registers_per_thread"},
    Metric{.id = "shared_bytes",
           .title = "shared memory",
           .nvidia_name = "",
           .unit = MetricUnit::kBytes,
           .help = "Shared memory of a block: what the kernel declares, and what the launch asks for.",
           .compute = sharedBytes,
           .outputs = kInReport | kInRunTable},
    Metric{.id = "theoretical",
           .title = "occupancy",
           .nvidia_name = "sm__maximum_warps_per_active_cycle_pct",
           .unit = MetricUnit::kShare,
           .help = "Resident warps over the most that an SM can hold, in theory.",
           .compute = theoreticalOccupancy,
           .axis = "theoretical occupancy",
           .key = "occupancy.theoretical"},
    Metric{.id = "achieved",
           .title = "achieved",
           .nvidia_name = "sm__warps_active.avg.pct_of_peak_sustained_active",
           .unit = MetricUnit::kShare,
           .help =
               "The same as the GPU's counter has it; without counters, estimated from when warps came and "
               "went, with how far that may be off.",
           .compute = achievedShare,
           .outputs = kInReport | kInRunTable | kInComparison,
           .axis = "achieved occupancy",
           .key = "occupancy.achieved",
           .uncertain = true},
    Metric{.id = "lost_lane_share",
           .title = "lanes lost",
           .nvidia_name = "",
           .unit = MetricUnit::kShare,
           .help = "Share of lane-cycles in which lanes waited for others, or had exited.",
           .compute = [](const Run& run) { return one(lostLaneShare(run.trace)); },
           .outputs = kInRunTable | kInComparison | kInCompareJson | kInCsv | kInHtml},
    Metric{.id = "branch_efficiency",
           .title = "branch efficiency",
           .nvidia_name = "smsp__sass_average_branch_targets_threads_uniform.pct",
           .unit = MetricUnit::kShare,
           .help = "Share of the branches at which all lanes of a warp took the same path.",
           .compute = [](const Run& run) { return one(branchEfficiency(run)); }},
    Metric{.id = "bank_conflicts_per_request",
           .title = "bank conflicts",
           .nvidia_name = "",
           .unit = MetricUnit::kNumber,
           .help = "Additional wavefronts per shared-memory request; only a simulated GPU counts them.",
           .compute = [](const Run& run) { return one(bankConflictsPerRequest(run)); },
           .outputs = kInRunTable | kInComparison | kInCompareJson},
    Metric{.id = "sectors_per_request",
           .title = "sectors per request",
           .nvidia_name = "",
           .unit = MetricUnit::kNumber,
           .help = "32-byte sectors per global-memory request; only a simulated GPU counts them.",
           .compute = [](const Run& run) { return one(sectorsPerRequest(run)); },
           .outputs = kInRunTable | kInComparison | kInCompareJson},
    Metric{.id = "waves",
           .title = "waves of blocks",
           .nvidia_name = "",
           .unit = MetricUnit::kCount,
           .help =
               "How many blocks the busiest place on an SM ran one after another; only if every block was "
               "recorded.",
           .compute = waves,
           .outputs = kInRunTable | kInComparison},
    Metric{.id = "idle_share",
           .title = "SMs idle",
           .nvidia_name = "",
           .unit = MetricUnit::kShare,
           .help = "Share of the SMs' time in which places for blocks were free; only if every block was "
                   "recorded.",
           .compute = idleShare,
           .outputs = kInRunTable | kInComparison},
    Metric{.id = "probe_cost",
           .title = "probe cost",
           .nvidia_name = "",
           .unit = MetricUnit::kTimes,
           .help = "Time of a launch with probes over that of one without.",
           .compute = probeCost,
           .key = "probe.cost_ratio",
           .sparse = true},
};

}  // namespace

bool isWhole(MetricUnit unit) {
  return unit == MetricUnit::kCount || unit == MetricUnit::kBytes;
}

std::string formatMetric(MetricUnit unit, double value) {
  switch (unit) {
    case MetricUnit::kMicroseconds:
      return formatUs(value);
    case MetricUnit::kGbPerS:
      return formatGbPerS(value);
    case MetricUnit::kShare:
      return formatPercent(value);
    case MetricUnit::kTimes:
      return fmt::format("{:.2f}×", value);
    case MetricUnit::kCount:
      return formatCount(static_cast<int64_t>(value));
    case MetricUnit::kBytes:
      return formatBytes(static_cast<uint64_t>(value));
    case MetricUnit::kLanes:
      return fmt::format("{:.1f}", value);
    case MetricUnit::kNumber:
      break;
  }
  return formatSignificant(value, 3);
}

std::string formatMetric(MetricUnit unit, double value, const TimeColumn& times) {
  return unit == MetricUnit::kMicroseconds ? times.text(value) : formatMetric(unit, value);
}

std::string formatMetric(const Metric& metric, const MetricValue& value, const TimeColumn& times) {
  if (metric.uncertain) return shareText(value.value, value.low, value.high);
  return formatMetric(metric.unit, value.value, times);
}

std::span<const Metric> metrics() {
  return kMetrics;
}

const Metric* findMetric(std::string_view id) {
  const auto found = std::ranges::find(kMetrics, id, &Metric::id);
  return found == kMetrics.end() ? nullptr : &*found;
}

MetricValues::MetricValues(const Run& run) {
  for (const Metric& metric : kMetrics) values_.push_back(metric.compute(run));
}

const std::optional<MetricValue>& MetricValues::operator[](const Metric& metric) const {
  static const std::optional<MetricValue> kNone;
  const auto index = static_cast<size_t>(&metric - kMetrics.data());
  return index < values_.size() ? values_[index] : kNone;
}

std::optional<double> MetricValues::value(std::string_view id) const {
  const Metric* metric = findMetric(id);
  if (metric == nullptr || !(*this)[*metric]) return std::nullopt;
  return (*this)[*metric]->value;
}

}  // namespace warpscope
