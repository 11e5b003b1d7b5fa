// Achieved occupancy: mean resident warps of an SM while it had any, divided by the most that it can hold.
#include <algorithm>
#include <set>

#include "kernels/metrics/metrics.h"

namespace warpscope {
namespace {

// A simulated GPU's counter, for the bare kernel.
constexpr const char* kCounter = "sm__warps_active.avg.pct_of_peak_sustained_active";

// As a multiple of the warps that fit at once: with more of them, slots were reused.
constexpr double kTurns = 1.5;

// Whether every block that ran on the SM asked for a slot.
bool sampledWhole(const Run& run, SmId sm) {
  const Sampling& sampling = run.request.sampling;
  if (sm.value < sampling.sms) return true;
  const uint64_t warps = run.grid.count() * ((run.block.count() + kWarpSize - 1) / kWarpSize);
  return run.trace.warps.size() == warps;
}

// From the recorded warps, for SMs all of whose warps were recorded. A recorded warp first waits for a slot
// in the probe's memory, during which its warp slot looks idle: for short blocks this gives too low a figure.
std::optional<double> fromRecordedWarps(const Run& run) {
  std::set<SmId> sms;
  for (const TraceWarp& warp : run.trace.warps) sms.insert(warp.sm);
  const int64_t until = completeUntil(run.trace);
  // The first warps of a launch are not representative.
  if (until < run.trace.duration_cycles / 2) return std::nullopt;
  int64_t busy_cycles = 0, warp_cycles = 0;
  for (const SmId sm : sms) {
    if (!sampledWhole(run, sm)) continue;
    const auto warps = static_cast<double>(std::ranges::count(run.trace.warps, sm, &TraceWarp::sm));
    const bool in_turns = run.occupancy.warps_per_sm > 0 && warps > kTurns * run.occupancy.warps_per_sm;
    if (in_turns && run.device.provenance == Provenance::kMeasured) return std::nullopt;
    const std::vector<Residency> steps = residency(run.trace, sm);
    for (size_t i = 0; i + 1 < steps.size(); ++i) {
      if (steps[i].warps == 0 || steps[i].cycles >= until) continue;
      const int64_t cycles = std::min(steps[i + 1].cycles, until) - steps[i].cycles;
      busy_cycles += cycles;
      warp_cycles += cycles * steps[i].warps;
    }
  }
  if (busy_cycles == 0) return std::nullopt;
  return static_cast<double>(warp_cycles) / static_cast<double>(busy_cycles);
}

}  // namespace

std::optional<double> achievedOccupancy(const Run& run) {
  if (run.occupancy.max_warps_per_sm == 0) return std::nullopt;
  if (const auto counted = run.counters.find(kCounter); counted != run.counters.end()) {
    return counted->second / 100;
  }
  const auto warps = run.trace.mean_resident_warps ? run.trace.mean_resident_warps : fromRecordedWarps(run);
  if (!warps) return std::nullopt;
  return *warps / static_cast<double>(run.occupancy.max_warps_per_sm);
}

}  // namespace warpscope
