// The atomics family: what theory predicts.
#include <algorithm>
#include <cmath>

#include "kernels/core/ids.h"
#include "kernels/experiments/atomics/regions.h"
#include "kernels/experiments/family_parts.h"

namespace warpscope::atomics {
namespace {

// Warp instructions that request atomics from L2; those that do not use the old value are reductions.
Measure requestsToL2() {
  return counted({"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
                  "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"});
}

struct Settings {
  double size = 0, block = 0, keep = 1;  // keep: the share of elements
  double warps() const { return std::ceil(size / kWarpSize); }
  double blocks(double elements_a_thread) const { return std::ceil(size / (block * elements_a_thread)); }
  // The probability that a warp keeps any of its elements.
  double warpKeeps() const { return 1 - std::pow(1 - keep, kWarpSize); }
  // Elements are random: the relative deviation of `count` of them from the mean, in three standard
  // deviations.
  double scatter(double count) const {
    return keep <= 0 || keep >= 1 ? 0 : 3 * std::sqrt((1 - keep) / (keep * std::max(count, 1.0)));
  }
};

Prediction requests(double predicted, double tolerance, const char* reason) {
  return {.label = "Atomic requests that reach L2",
          .unit = "requests",
          .reason = reason,
          .predicted = predicted,
          .tolerance = tolerance,
          .measure = requestsToL2()};
}

Prediction lanes(double predicted, double tolerance, const char* reason) {
  return {.label = "Lanes at an atomic",
          .unit = "lanes",
          .reason = reason,
          .predicted = predicted,
          .tolerance = tolerance,
          .measure = lanesASpan(RegionId{kAtomic})};
}

}  // namespace

std::vector<Prediction> theory(const RunRequest& request) {
  const auto value = [&](const char* name) { return static_cast<double>(request.parameters.at(name)); };
  Settings settings{.size = value("size"), .block = value("block")};
  if (request.parameters.contains("keep")) settings.keep = value("keep") / 100;
  const std::string& variant = request.variant;
  const double warps = settings.warps() * settings.warpKeeps();
  const double off = settings.scatter(settings.size);
  const double partial = std::fmod(settings.size, kWarpSize) == 0 ? 0 : 1 / settings.warps();
  const double kept_lanes = kWarpSize * settings.keep / std::max(settings.warpKeeps(), 1e-9);

  if (variant == "warp_aggregated") {
    return {requests(warps, off, "one a warp that keeps an element"), lanes(1, 0, "the group's first lane")};
  }
  if (variant == "block_aggregated") {
    return {requests(settings.blocks(1), 0, "one a block: its first thread adds for all"),
            lanes(kept_lanes, off + partial, "32 x the share that is kept, but in shared memory")};
  }
  if (variant == "histogram_shared") {
    const double bins = value("bins");
    const double flushes = std::ceil(bins / kWarpSize);
    // Empty bins are not added; a block with few elements leaves many empty.
    const double filled = settings.block * kElementsPerThread / bins;
    return {requests(settings.blocks(kElementsPerThread) * flushes, filled >= 8 ? 0.01 : 1,
                     "each block adds its bins once: ceil(bins / 32) requests a block")};
  }
  if (variant == "histogram" || variant == "ticket") {
    return {requests(settings.warps(), 0, "one a warp, of up to 32 lanes"),
            lanes(kWarpSize, partial, "every thread has an element")};
  }
  return {requests(warps, off, "one a warp that keeps an element"),
          lanes(kept_lanes, off + partial, "32 x the share that is kept")};
}

}  // namespace warpscope::atomics
