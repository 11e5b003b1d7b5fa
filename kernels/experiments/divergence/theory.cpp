// The divergence family: what theory predicts.
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/experiments/divergence/regions.h"
#include "kernels/experiments/family_parts.h"

namespace warpscope::divergence {
namespace {

// If the data end within a warp, that last warp is one exception among so many.
double lastWarp(const RunRequest& request) {
  const int64_t size = request.parameters.at("size");
  return size % kWarpSize == 0 ? 0 : static_cast<double>(kWarpSize) / static_cast<double>(size);
}

Prediction lanes(uint32_t region, double predicted, double tolerance, const char* reason) {
  return {.label = "Lanes that run a path together",
          .unit = "lanes",
          .reason = reason,
          .predicted = predicted,
          .tolerance = tolerance,
          .measure = lanesASpan(RegionId{region})};
}

// Predicts the spans in any of these regions.
Prediction pathsAWarp(std::vector<uint32_t> regions, double predicted, double tolerance, const char* reason) {
  return {.label = "Paths that a warp runs in turn",
          .unit = "paths",
          .reason = reason,
          .predicted = predicted,
          .tolerance = tolerance,
          .measure = [regions = std::move(regions)](const Run& run) -> std::optional<double> {
            double sum = 0;
            for (const uint32_t region : regions) {
              const auto spans = spansAWarp(RegionId{region})(run);
              if (!spans) return std::nullopt;
              sum += *spans;
            }
            return sum;
          }};
}

// Each element has work with the same probability, independently.
std::vector<Prediction> ofData(const RunRequest& request) {
  const double share = static_cast<double>(request.parameters.at("share")) / 100;
  if (share == 0) return {pathsAWarp({kFirstPath}, 0, 0, "no element has work")};
  const auto order = static_cast<Order>(request.parameters.at("data"));
  const double warps = std::ceil(static_cast<double>(request.parameters.at("size")) / kWarpSize);
  const double scatter = lastWarp(request) + 4 / std::sqrt(warps);
  if (request.variant == "work_queue") {
    const double block_warps = static_cast<double>(request.parameters.at("block")) / kWarpSize;
    const double filled = block_warps * share;
    // A warp that the queue begins is half full on average; what all warps have in common is rounded up.
    return {lanes(kFirstPath, kWarpSize * filled / std::max(std::ceil(filled), 1.0), 0.5 + scatter,
                  "the queue fills warps from the first lane on; only a block's last one is not full")};
  }
  if (order == Order::kRandom) {
    return {lanes(kFirstPath, kWarpSize * share / (1 - std::pow(1 - share, kWarpSize)), 0.1 + scatter,
                  "32 * share lanes, of those warps that have any")};
  }
  return {lanes(kFirstPath, kWarpSize, order == Order::kSorted ? 0.02 + scatter : lastWarp(request),
                order == Order::kSorted ? "those with work lie together; one warp holds the end of them"
                                        : "stripes are as wide as warps")};
}

}  // namespace

std::vector<Prediction> theory(const RunRequest& request) {
  const std::string& variant = request.variant;
  const double exception = lastWarp(request);
  if (variant == "data_dependent" || variant == "work_queue") return ofData(request);
  if (variant == "branchless" || (variant == "even_odd" && request.parameters.at("work") == 0)) {
    return {lanes(kBothPaths, kWarpSize, exception, "all lanes run the same instructions")};
  }
  if (variant == "even_odd" || variant == "split_ifs") {
    return {lanes(kFirstPath, kWarpSize / 2.0, exception, "every other lane"),
            pathsAWarp({kFirstPath, kSecondPath}, 2, exception, "one a way")};
  }
  if (variant == "nested") {
    return {pathsAWarp({kPath}, static_cast<double>(request.parameters.at("ways")), exception, "one a way")};
  }
  if (variant == "loop_trips") {
    return {pathsAWarp({kTrip}, static_cast<double>(request.parameters.at("trips")), exception,
                       "as many trips as the lane that makes most")};
  }
  if (variant == "thread_gt_2") {
    const double block_warps = static_cast<double>(request.parameters.at("block")) / kWarpSize;
    return {pathsAWarp({kFirstPath, kSecondPath}, 1 + 1 / block_warps,
                       request.parameters.at("size") % request.parameters.at("block") == 0 ? 0 : 1,
                       "the first warp of each block, no other")};
  }
  return {lanes(kFirstPath, kWarpSize, exception, "all lanes of a warp agree")};
}

}  // namespace warpscope::divergence
