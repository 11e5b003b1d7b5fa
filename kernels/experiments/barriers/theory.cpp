// The barriers family: what theory predicts.
#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/core/ids.h"
#include "kernels/experiments/barriers/regions.h"
#include "kernels/experiments/family_parts.h"

namespace warpscope::barriers {
namespace {

struct Group {
  uint32_t warps = 1;
  const char* name = "";
};

// The shares of work of a warp in a round (see barriers.cu).
uint32_t shares(uint32_t warp, uint32_t round) {
  return (warp * kWarpStep + round * kRoundStep) % kShares + 1;
}

// The part of the time between two barriers in which the warps of a group work, if everything else is free:
// their mean work divided by the slowest one's, over all rounds and groups of a block.
double workingShare(uint32_t block_warps, uint32_t group_warps, uint32_t rounds) {
  double work = 0, time = 0;
  for (uint32_t first = 0; first < block_warps; first += group_warps) {
    const uint32_t behind = std::min(first + group_warps, block_warps);
    for (uint32_t round = 0; round < rounds; ++round) {
      uint32_t slowest = 0;
      for (uint32_t warp = first; warp < behind; ++warp) {
        work += shares(warp, round);
        slowest = std::max(slowest, shares(warp, round));
      }
      time += static_cast<double>(slowest) * (behind - first);
    }
  }
  return work / time;
}

// The share of work in the cycles of work and waiting of the recorded warps.
std::optional<double> workingShareOf(const Run& run) {
  std::array<int64_t, 2> cycles{};  // working, waiting
  for (const TraceWarp& warp : run.trace.warps) {
    forEachSpan(run.trace, warp, [&](const Span& span) {
      if (span.region.value == kWork) cycles[0] += span.end_cycles - span.begin_cycles;
      if (span.region.value == kWait) cycles[1] += span.end_cycles - span.begin_cycles;
    });
  }
  const auto sum = static_cast<double>(cycles[0] + cycles[1]);
  if (sum <= 0 || run.trace.dropped_events > 0) return std::nullopt;
  return 100 * static_cast<double>(cycles[0]) / sum;
}

}  // namespace

std::vector<Prediction> theory(const RunRequest& request) {
  const auto number = [&](const char* name) { return static_cast<uint32_t>(request.parameters.at(name)); };
  const uint32_t block_warps = number("block") / kWarpSize;
  const uint32_t group_warps = request.variant == "block_wide"  ? block_warps
                               : request.variant == "tile_wide" ? kTileThreads / kWarpSize
                                                                : 1;
  std::vector<Prediction> predictions = {{.label = "Barriers a warp passes",
                                          .unit = "waits",
                                          .reason = "one a round",
                                          .predicted = static_cast<double>(number("rounds")),
                                          .measure = spansAWarp(RegionId{kWait})}};
  // With little work, the barriers themselves and sharing the SM take most of the time.
  if (number("work") >= 16) {
    predictions.push_back({.label = "Working, not waiting",
                           .unit = "%",
                           .reason = "a group's mean work over its slowest warp's, round by round",
                           .predicted = 100 * workingShare(block_warps, group_warps, number("rounds")),
                           .tolerance = 0.25,
                           .measure = workingShareOf});
  }
  return predictions;
}

}  // namespace warpscope::barriers
