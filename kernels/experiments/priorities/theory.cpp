// The priorities family: what theory predicts.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kernels/core/ids.h"
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/priorities/background.h"

namespace warpscope::priorities {
namespace {

// The run's launches, of which the first is the background.
std::vector<const StreamOperation*> launchesOf(const Run& run) {
  std::vector<const StreamOperation*> launches;
  if (!run.streams) return launches;
  for (const StreamOperation& operation : run.streams->operations) {
    if (operation.kind == OperationKind::kLaunch) launches.push_back(&operation);
  }
  return launches;
}

std::optional<double> backgroundBlocks(const Run& run) {
  const auto launches = launchesOf(run);
  return launches.empty() ? std::nullopt : std::optional(static_cast<double>(launches[0]->blocks));
}

// Requests follow each other on their stream.
std::optional<double> mostAtOnce(const Run& run) {
  const auto launches = launchesOf(run);
  if (launches.empty()) return std::nullopt;
  const bool overlap = std::ranges::any_of(launches.begin() + 1, launches.end(), [&](const auto* request) {
    return request->begin_ns < launches[0]->end_ns;
  });
  return overlap ? 2 : 1;
}

// In percent of the background's time.
std::optional<double> overAtFirstRequest(const Run& run) {
  const auto launches = launchesOf(run);
  if (launches.size() < 2) return std::nullopt;
  const double begin = launches[0]->begin_ns, end = launches[0]->end_ns;
  return 100 * std::clamp((launches[1]->begin_ns - begin) / (end - begin), 0.0, 1.0);
}

struct Over {
  double percent = 0;
  std::string reason;
  double tolerance = 0;  // relative
};
// Nothing if blocks are so short that it depends on when the host enqueues the first request.
std::optional<Over> overAtRequest(const RunRequest& request, const Background& background) {
  constexpr double kLongEnough = 1 << 28;  // rounds: about 20 us on an H100
  const uint32_t waves = background.waves();
  const double rounds =
      static_cast<double>(request.parameters.at("size")) * static_cast<double>(request.parameters.at("work"));
  if (request.variant == "one_stream")
    return Over{100, "on one stream, a launch begins when the one before it has ended"};
  if (rounds / waves < kLongEnough / 2 || rounds < kLongEnough) return std::nullopt;
  if (request.variant == "room_left") return std::nullopt;
  if (request.variant == "high_priority") {
    constexpr uint32_t kManyWaves = 8;  // the first one is then as short as the host's calls
    if (waves < 2 || waves > kManyWaves) return std::nullopt;
    // The blocks of the first wave all wait for memory together, so that it takes longer than those after it.
    return Over{100.0 / waves,
                fmt::format("the first blocks end after 1 of {} waves, and the request is next", waves), 0.4};
  }
  const bool full = background.blocks % background.slots == 0;
  return Over{full ? 100.0 : 100.0 * (waves - 1) / waves,
              fmt::format("all blocks of the background come first: {} waves", waves), 0.25};
}

}  // namespace

Background background(const RunRequest& request, const DeviceLimits& limits) {
  const auto block = static_cast<uint32_t>(request.parameters.at("block"));
  const auto size = static_cast<uint32_t>(request.parameters.at("size"));
  const uint32_t rounded = (block + kWarpSize - 1) / kWarpSize * kWarpSize;
  const uint32_t of_sm =
      std::clamp(limits.max_threads_per_sm / rounded, 1U, std::max(limits.max_blocks_per_sm, 1U));
  const uint32_t slots = of_sm * std::max(limits.sm_count, 1U);
  const uint32_t needed = (size + block - 1) / block;
  if (request.variant == "room_left") return {std::min(needed, std::max(slots - (slots + 7) / 8, 1U)), slots};
  return {needed, slots};
}

std::vector<Prediction> theory(const RunRequest& request, const DeviceLimits& limits) {
  const Background of = background(request, limits);
  std::vector<Prediction> predictions = {
      {.label = "Blocks of the background",
       .unit = "blocks",
       .reason = request.variant == "room_left"
                     ? fmt::format("seven eighths of the {} that fit on all SMs at once", of.slots)
                     : "a thread for each element",
       .predicted = static_cast<double>(of.blocks),
       .measure = backgroundBlocks}};
  if (request.variant == "one_stream") {
    predictions.push_back({.label = "Launches at once",
                           .unit = "launches",
                           .reason = "on one stream, a launch begins when the one before it has ended",
                           .predicted = 1,
                           .measure = mostAtOnce});
  }
  if (const auto over = overAtRequest(request, of)) {
    predictions.push_back({.label = "Over when the first request begins",
                           .unit = "%",
                           .reason = over->reason,
                           .predicted = over->percent,
                           .tolerance = over->tolerance,
                           .measure = overAtFirstRequest});
  }
  return predictions;
}

}  // namespace warpscope::priorities
