#include "kernels/metrics/achieved.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "kernels/core/units.h"
#include "kernels/metrics/metrics.h"

namespace warpscope {
namespace {

// Of the bare kernel: a simulated GPU always has it, a real one if it was asked for.
constexpr const char* kCounter = "sm__warps_active.avg.pct_of_peak_sustained_active";

// A grid with more warps than this multiple of those that fit at once has reused slots.
constexpr double kTurns = 1.5;

// What follows is fitted to what Nsight Compute counted on an H100, on half of the launches:
// docs/achieved_occupancy_h100.md.
constexpr double kPoints = 0.015;  // whatever the launch: of the SM's warps
// The time that the probe takes is subtracted, but it also changes when others run. Where the load-store unit
// is crowded, so that writing takes this long, the warps' own stores wait like the probe's.
constexpr double kOfProbeDown = 0.4, kOfProbeUp = 0.3, kOfProbeDownIfCrowded = 1.25;
constexpr double kCrowdedCycles = 1500;
constexpr double kOfHeld = 1;      // those slots may have been free
constexpr double kOfUneven = 0.5;  // the SMs that write are of those that get a block more
constexpr double kOfSpread = 0.5;  // of the standard deviation between SMs
// A mean without evidence (older recordings), and one of recorded warps, whose waiting for the probe's memory
// looks idle.
constexpr double kOlderDown = 0.115, kOlderUp = 0.09;
constexpr double kRecordedDown = 0.105, kRecordedUp = 0.125;

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

// No further than from nothing to the most that theory allows, and never without the share itself.
AchievedOccupancy within(const Run& run, AchievedOccupancy found) {
  found.low = std::min(std::max(found.low, 0.0), found.share);
  found.high = std::max(std::min(found.high, run.occupancy.theoretical), found.share);
  return found;
}

AchievedOccupancy ofResidency(const Run& run, double warps) {
  const uint32_t most = run.occupancy.max_warps_per_sm;
  const double share = warps / most;
  AchievedOccupancy found{share, share - kOlderDown, share + kOlderUp, AchievedFrom::kResidency};
  if (run.trace.residency_evidence) {
    const WarpsRange range = residentWarpsRange(warps, *run.trace.residency_evidence, most);
    found.low = range.low / most;
    found.high = range.high / most;
  }
  return within(run, found);
}

AchievedOccupancy ofRecordedWarps(const Run& run, double warps) {
  const double share = warps / run.occupancy.max_warps_per_sm;
  // Exact in a simulated GPU, whose probes take no time.
  if (run.device.provenance == Provenance::kModelled) {
    return {share, share, share, AchievedFrom::kRecordedWarps};
  }
  const uint64_t at_once = uint64_t{run.occupancy.blocks_per_sm} * usedSms(run);
  // Blocks that succeed others seem to come late: how late is not known.
  const double high = run.grid.count() > at_once ? run.occupancy.theoretical : share + kRecordedUp;
  return within(run, {share, share - kRecordedDown, high, AchievedFrom::kRecordedWarps});
}

}  // namespace

WarpsRange residentWarpsRange(double warps, const ResidencyEvidence& evidence, uint32_t max_warps_per_sm) {
  const bool crowded = evidence.probe_cycles > kCrowdedCycles;
  const double probe = evidence.probe_share * warps;
  const double both = kPoints * max_warps_per_sm + kOfSpread * evidence.spread_warps;
  const double down = both + (crowded ? kOfProbeDownIfCrowded : kOfProbeDown) * probe +
                      (kOfHeld * evidence.held_share + kOfUneven * evidence.uneven_share) * warps;
  return {warps - down, warps + both + kOfProbeUp * probe};
}

std::optional<AchievedOccupancy> achievedOf(const Run& run) {
  if (run.occupancy.max_warps_per_sm == 0) return std::nullopt;
  if (const auto counted = run.counters.find(kCounter); counted != run.counters.end()) {
    const double share = counted->second / 100;
    return AchievedOccupancy{share, share, share, AchievedFrom::kCounter};
  }
  if (run.trace.mean_resident_warps) return ofResidency(run, *run.trace.mean_resident_warps);
  const auto warps = fromRecordedWarps(run);
  return warps ? std::optional(ofRecordedWarps(run, *warps)) : std::nullopt;
}

std::optional<double> achievedOccupancy(const Run& run) {
  const auto found = achievedOf(run);
  return found ? std::optional(found->share) : std::nullopt;
}

const char* achievedFromName(AchievedFrom from) {
  switch (from) {
    case AchievedFrom::kCounter:
      return "counter";
    case AchievedFrom::kResidency:
      return "residency";
    case AchievedFrom::kRecordedWarps:
      break;
  }
  return "recorded warps";
}

const char* achievedHow(AchievedFrom from) {
  switch (from) {
    case AchievedFrom::kCounter:
      return "Counted: the SM's counter of resident warps, while it had any.";
    case AchievedFrom::kResidency:
      return "Estimated from when the warps of a few SMs came and went; the range held for at least 90 % of "
             "the "
             "launches on an H100 that it was judged by. Counters, where they can be read, are exact.";
    case AchievedFrom::kRecordedWarps:
      break;
  }
  return "Estimated from the recorded warps of SMs on which every warp was recorded; recording delays them. "
         "Counters, where they can be read, are exact.";
}

std::string shareText(double share, double low, double high, const char* within, const char* range) {
  constexpr double kMostAsNumber = 5, kNoise = 1e-9;  // points
  const double points = 100 * std::max(share - low, high - share) - kNoise;
  if (!(points > 0)) return formatPercent(share);
  const auto percent = [](double part) { return fmt::format("{:.0f}", part * 100); };
  if (points > kMostAsNumber) return fmt::format(fmt::runtime(range), percent(low), percent(high));
  return fmt::format(fmt::runtime(within), percent(share) + " %",
                     fmt::format("{:.0f}", std::max(std::ceil(points), 2.0)));
}

}  // namespace warpscope
