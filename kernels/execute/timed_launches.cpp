#include "kernels/execute/timed_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace warpscope {
namespace {

// All launches' records as if they were one's, with blocks numbered through.
Expected<RawTrace> pooled(const std::vector<LaunchRecords>& launches) {
  RawTrace all = launches.front().raw;
  for (size_t i = 1; i < launches.size(); ++i) {
    const auto& [first_block, raw] = launches[i];
    if (raw.clock_shift != all.clock_shift) {
      return fail(ErrorKind::kWorkFailed, "the launches' clocks are shifted by {} and by {} bits",
                  all.clock_shift, raw.clock_shift);
    }
    if (all.records.size() + raw.records.size() > std::numeric_limits<uint32_t>::max()) {
      return fail(ErrorKind::kWorkFailed, "the launches have more than 2^32 records: record fewer warps");
    }
    const auto first_record = static_cast<uint32_t>(all.records.size());
    for (ProbePackedWarp warp : raw.warps) {
      warp.header.block += first_block;
      warp.first_record += first_record;
      all.warps.push_back(warp);
    }
    all.records.insert(all.records.end(), raw.records.begin(), raw.records.end());
    all.anchors.insert(all.anchors.end(), raw.anchors.begin(), raw.anchors.end());
    all.warps_seen += raw.warps_seen;
    all.globaltimer_resolution_ns = std::gcd(all.globaltimer_resolution_ns, raw.globaltimer_resolution_ns);
  }
  return all;
}

class TimedJoin {
 public:
  TimedJoin(const std::vector<LaunchRecords>& launches, const StreamReport& report, TimedTrace merged)
      : launches_(launches),
        trace_(std::move(merged.trace)),
        axis_zero_(static_cast<int64_t>(*report.globaltimer_ns)),
        trace_zero_(merged.zero_globaltimer_ns.value_or(axis_zero_)) {}

  Trace join(const StreamReport& report) {
    const double f = trace_.clocks.cycles_per_ns;
    if (f <= 0) return std::move(trace_);
    const auto later = std::llround(static_cast<double>(trace_zero_ - axis_zero_) * f);
    std::vector<int64_t> by_launch;
    uint64_t moved = 0;
    for (const LaunchRecords& launch : launches_) {
      const double error_ns = timerError_ns(launch);
      const bool is_moved = std::abs(error_ns) > kMostTimerError_ns;
      moved += is_moved ? 1 : 0;
      by_launch.push_back(later - (is_moved ? std::llround(error_ns * f) : 0));
    }
    for (TraceWarp& warp : trace_.warps) move(warp, by_launch[launchOf(warp.block)]);
    for (SmClock& sm : trace_.clocks.sms) sm.offset_cycles += later;
    trace_.duration_cycles = std::max(trace_.duration_cycles + later, std::llround(report.total_ns * f));
    for (const TraceWarp& warp : trace_.warps)
      trace_.duration_cycles = std::max(trace_.duration_cycles, warp.end_cycles);
    if (moved > 0) {
      trace_.problems.push_back(
          {TraceProblem::Severity::kInfo, moved,
           fmt::format(
               "the SMs' clock changed between launches: the warps of {} of them are placed by the GPU's "
               "timer",
               moved)});
    }
    return std::move(trace_);
  }

 private:
  // How much later than by the timer the launch's warps are on the trace's axis: the median of their begins.
  double timerError_ns(const LaunchRecords& launch) const {
    std::map<SmId, int64_t> offsets;
    for (const SmClock& clock : trace_.clocks.sms) offsets[clock.sm] = clock.offset_cycles;
    std::vector<double> errors;
    for (const ProbePackedWarp& warp : launch.raw.warps) {
      if (warp.header.begin_globaltimer_ns == 0) continue;
      const int64_t cycles = static_cast<int64_t>(warp.header.begin_clock) + offsets[SmId{warp.header.sm}];
      const int64_t since = static_cast<int64_t>(warp.header.begin_globaltimer_ns) - trace_zero_;
      errors.push_back(static_cast<double>(cycles) / trace_.clocks.cycles_per_ns -
                       static_cast<double>(since) - launch.raw.globaltimer_resolution_ns / 2.0);
    }
    if (errors.empty()) return 0;
    const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
    std::ranges::nth_element(errors, middle);
    return *middle;
  }

  size_t launchOf(BlockId block) const {
    const auto behind = std::ranges::upper_bound(launches_, block.value, {}, &LaunchRecords::first_block);
    return static_cast<size_t>(behind - launches_.begin()) - 1;
  }

  void move(TraceWarp& warp, int64_t later) {
    warp.begin_cycles += later;
    warp.end_cycles += later;
    for (uint32_t i = 0; i < warp.event_count; ++i) trace_.events[warp.first_event + i].clock_cycles += later;
  }

  const std::vector<LaunchRecords>& launches_;
  Trace trace_;
  int64_t axis_zero_, trace_zero_;
};

}  // namespace

void useNumbersOf(uint32_t gpu, const DeviceLimits& limits, const StreamReport& report, RawTrace& raw) {
  if (gpu == 0) return;
  const int64_t ahead = gpu < report.timer_ahead_ns.size() ? report.timer_ahead_ns[gpu] : 0;
  const auto take = [&](uint64_t& timer_ns) {
    if (timer_ns != 0) timer_ns -= static_cast<uint64_t>(ahead);
  };
  const uint32_t first_sm = smOf(limits, {gpu, 0}).value;
  for (ProbeAnchor& anchor : raw.anchors) {
    anchor.sm += first_sm;
    take(anchor.globaltimer_ns);
  }
  for (ProbePackedWarp& warp : raw.warps) {
    warp.header.sm += first_sm;
    take(warp.header.begin_globaltimer_ns);
    take(warp.end_globaltimer_ns);
  }
}

Expected<Trace> joinTimed(const std::vector<LaunchRecords>& launches, const StreamReport& report) {
  const auto all = pooled(launches);
  if (!all) return tl::unexpected(all.error());
  auto merged = mergeTimedTrace(*all);
  if (!merged) return tl::unexpected(merged.error());
  return TimedJoin(launches, report, std::move(*merged)).join(report);
}

namespace {

std::optional<double> onAxis(uint64_t timer_ns, const StreamReport& report) {
  if (timer_ns == 0 || !report.globaltimer_ns) return std::nullopt;
  return static_cast<double>(static_cast<int64_t>(timer_ns - *report.globaltimer_ns));
}

}  // namespace

std::optional<double> firstMark_ns(const RawTrace& raw, const StreamReport& report) {
  uint64_t first = 0;
  const auto take = [&](uint64_t timer_ns) {
    if (timer_ns != 0 && (first == 0 || timer_ns < first)) first = timer_ns;
  };
  for (const ProbeAnchor& anchor : raw.anchors) take(anchor.globaltimer_ns);
  for (const ProbePackedWarp& warp : raw.warps) take(warp.header.begin_globaltimer_ns);
  return onAxis(first, report);
}

std::optional<double> lastMark_ns(const RawTrace& raw, const StreamReport& report) {
  uint64_t last = 0;
  for (const ProbeAnchor& anchor : raw.anchors) last = std::max(last, anchor.globaltimer_ns);
  for (const ProbePackedWarp& warp : raw.warps) last = std::max(last, warp.end_globaltimer_ns);
  return onAxis(last, report);
}

bool marksTellNodes(const StreamTiming& timing) {
  // CUPTI's activity has a problem only where it does not tell the launches of a graph apart.
  return timing.clock == StreamClock::kEvents || !timing.problem.empty();
}

void takeSkipped(const LaunchPlan& plan, const std::vector<LaunchRecords>& launches, StreamReport& report) {
  for (size_t i = 0; i < plan.operations.size(); ++i) {
    const PlannedOperation& planned = plan.operations[i];
    if (planned.only_if) report.operations[i].skipped = !firstMark_ns(launches[planned.launch].raw, report);
  }
}

}  // namespace warpscope
