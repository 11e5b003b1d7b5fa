// Achieved occupancy of the bare kernel, from the trace of the probed one. On an SM whose every warp is
// recorded, each warp first waits for a place in the probe's memory (its admission, some hundred cycles): the
// SM is as full as without, but part of what it is full of is the probe. What the trace shows well is the
// rest: how long warp slots lie idle, between a warp's end and the first instruction of the one that follows,
// and at the launch's begin and end. A bare SM has as much idle time at each turn of a slot, but turns
// faster: as much faster as the SMs that record nothing ran more warps in the same launch.
#include <algorithm>
#include <map>

#include "kernels/trace/metrics.h"

namespace warpscope {
namespace {

// Whether every block that ran on the SM asked for a slot.
bool sampledWhole(const Run& run, SmId sm) {
  const Sampling& sampling = run.request.sampling;
  if (sm.value < sampling.sms) return true;
  const uint64_t warps = run.grid.count() * ((run.block.count() + kWarpSize - 1) / kWarpSize);
  return run.trace.warps.size() == warps;
}

// Between a warp's launch and its first instruction that reads a clock, and between its last and its end.
constexpr double kUnseenCyclesOfAWarp = 0;

// What the trace tells of one SM, up to the cycle until which it is complete.
struct SmUse {
  int64_t busy_cycles = 0;  // with a warp or more
  int64_t warp_cycles = 0;  // of all its warps, from begin to end
  int64_t begin_cycles = INT64_MAX, end_cycles = INT64_MIN;
  int64_t admission_cycles = 0;
  uint64_t warps = 0;
};

SmUse useOf(const Trace& trace, SmId sm, int64_t until) {
  SmUse use;
  const std::vector<Residency> steps = residency(trace, sm);
  for (size_t i = 0; i + 1 < steps.size(); ++i) {
    if (steps[i].warps == 0 || steps[i].cycles >= until) continue;
    const int64_t end = std::min(steps[i + 1].cycles, until);
    use.begin_cycles = std::min(use.begin_cycles, steps[i].cycles);
    use.end_cycles = std::max(use.end_cycles, end);
    use.busy_cycles += end - steps[i].cycles;
    use.warp_cycles += (end - steps[i].cycles) * steps[i].warps;
  }
  for (const SmAdmission& admission : trace.admissions) {
    if (admission.sm == sm) use.admission_cycles = admission.cycles;
  }
  for (const TraceWarp& warp : trace.warps) use.warps += warp.sm == sm && warp.begin_cycles < until ? 1 : 0;
  return use;
}

// The share of time that a resident warp's slot lies idle, of an SM that several waves ran on.
double idleShare(const SmUse& use, double slots) {
  const double warps = static_cast<double>(use.warps);
  const double admission = static_cast<double>(use.admission_cycles) / warps;
  const double capacity = slots * (static_cast<double>(use.end_cycles - use.begin_cycles) + admission);
  const double used = static_cast<double>(use.warp_cycles) + warps * (admission + kUnseenCyclesOfAWarp);
  return std::clamp(1 - used / capacity, 0.0, 1.0);
}

}  // namespace

std::optional<double> achievedOccupancy(const Run& run) {
  if (run.occupancy.max_warps_per_sm == 0) return std::nullopt;
  const int64_t until = completeUntil(run.trace);
  // A launch's first warps say nothing of the whole.
  if (until < run.trace.duration_cycles / 2) return std::nullopt;
  std::map<SmId, SmUse> whole;
  for (const TraceWarp& warp : run.trace.warps) {
    if (!whole.contains(warp.sm) && sampledWhole(run, warp.sm)) {
      whole.emplace(warp.sm, useOf(run.trace, warp.sm, until));
    }
  }
  double busy = 0, resident = 0, warps = 0, idle = 0;
  const double slots = run.occupancy.warps_per_sm, most = run.occupancy.max_warps_per_sm;
  bool several_waves = slots > 0;
  for (const auto& [sm, use] : whole) {
    busy += static_cast<double>(use.busy_cycles);
    resident += static_cast<double>(use.warp_cycles);
    warps += static_cast<double>(use.warps);
    several_waves = several_waves && static_cast<double>(use.warps) > 2 * slots && use.admission_cycles > 0;
    if (several_waves) idle += idleShare(use, slots) / static_cast<double>(whole.size());
  }
  if (busy == 0) return std::nullopt;
  if (!several_waves) return resident / busy / most;
  const double count = static_cast<double>(whole.size());
  const double others = static_cast<double>(run.device.limits.sm_count) - count;
  const double all = static_cast<double>(run.grid.count()) *
                     static_cast<double>((run.block.count() + kWarpSize - 1) / kWarpSize);
  // Of a launch that was recorded in part only its beginning is known: SMs are taken to be alike.
  double faster = 1;
  if (others > 0 && run.trace.unrecorded_warps == 0 && all > warps) {
    faster = std::max(1.0, (all - warps) / others / (warps / count));
  }
  return slots / most * (1 - std::clamp(idle * faster, 0.0, 1.0));
}

}  // namespace warpscope
