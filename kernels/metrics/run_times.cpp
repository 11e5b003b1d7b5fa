#include "kernels/metrics/run_times.h"

#include <algorithm>

namespace warpscope {
namespace {

// A launch costs a few µs. If more is missing, the launch that was traced was unlike those that were timed,
// or they did something else, too.
constexpr double kMostOverheadUs = 20;

constexpr double kLeastOfCost = 0.25;  // how long a kernel is at least, to be known, in what probes cost

constexpr double kAimedOverheadShare = 0.4;

// A simulated GPU counts the cycles of the very launch that it times. So its kernel's time is known even
// where the launch with probes does not tell the overhead: its last warp may be on another SM.
void takeCountedTime(const Run& run, RunTimes& times) {
  const auto counted_ns = run.counters.find("gpu__time_duration.sum");
  if (run.device.provenance != Provenance::kModelled || counted_ns == run.counters.end()) return;
  const double kernel = counted_ns->second / 1e3;
  if (kernel <= 0 || kernel > *times.launch) return;
  times.kernel = kernel;
  times.overhead = *times.launch - kernel;
}

}  // namespace

std::optional<double> RunTimes::overheadShare() const {
  if (!overhead || !launch) return std::nullopt;
  return *overhead / *launch;
}

RunTimes timesOf(const Run& run) {
  RunTimes times;
  if (run.timing.repeats > 0 && run.timing.median_us > 0) times.launch = run.timing.median_us;
  if (run.probe.probed_median_us > 0) times.launch_with_probes = run.probe.probed_median_us;
  // Copies and waits lie between a run's launches, and before and behind them.
  if (run.streams) return times;
  const double cycles_per_us = run.trace.clocks.cycles_per_ns * 1e3;
  if (cycles_per_us > 0 && run.trace.duration_cycles > 0) {
    times.kernel_with_probes = static_cast<double>(run.trace.duration_cycles) / cycles_per_us;
  }
  if (!times.launch || !times.launch_with_probes || !times.kernel_with_probes) return times;
  const double overhead = *times.launch_with_probes - *times.kernel_with_probes;
  if (run.timing.kernels > 1) return times;
  if (overhead <= 0 || overhead > kMostOverheadUs) {
    if (overhead > *times.kernel_with_probes) {
      times.after_last_warp = overhead;
    } else {
      takeCountedTime(run, times);
    }
    return times;
  }
  // Some of what the probes cost is outside of the trace, before its first reading and after its last one,
  // and looks like overhead. A kernel that is much shorter than that cost is not known by subtracting.
  const double kernel = *times.launch - overhead, cost = *times.launch_with_probes - *times.launch;
  if (kernel <= 0 || kernel < kLeastOfCost * cost) return times;
  times.overhead = overhead;
  times.kernel = kernel;
  return times;
}

std::optional<double> workToOutweighOverhead(const Run& run) {
  const RunTimes times = timesOf(run);
  if (times.overheadShare().value_or(0) < kMostOverheadShare) return std::nullopt;
  const double blocks = std::max<double>(1, static_cast<double>(run.grid.count()));
  const double at_once = static_cast<double>(run.occupancy.blocks_per_sm) * usedSms(run);
  const double wanted_us = *times.overhead * (1 / kAimedOverheadShare - 1);
  return std::max(1.0, at_once / blocks) * wanted_us / *times.kernel;
}

}  // namespace warpscope
