// The priorities family: what theory predicts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

// The first request waits for a block of the background to end from when its stream could begin it, which
// takes as long after the host's call as it took the background on an idle GPU. In waves of the background's
// blocks, begun ones counted whole.
Measure wavesWaited(uint32_t waves) {
  return [waves](const Run& run) -> std::optional<double> {
    const auto launches = launchesOf(run);
    if (launches.size() < 2) return std::nullopt;
    const StreamOperation &background = *launches[0], &request = *launches[1];
    const double could_begin_ns = request.enqueued_ns + (background.begin_ns - background.enqueued_ns);
    const double wave_ns = (background.end_ns - background.begin_ns) / waves;
    return std::max(std::ceil((request.begin_ns - could_begin_ns) / wave_ns), 1.0);
  };
}

struct Over {
  double percent = 0;
  std::string reason;
};
// False if blocks are so short that it depends on when the host enqueues the first request.
bool isLong(const RunRequest& request, const Background& background) {
  constexpr double kLongEnough = 1 << 28;  // rounds: 7 us on an H100
  const double rounds =
      static_cast<double>(request.parameters.at("size")) * static_cast<double>(request.parameters.at("work"));
  return rounds / background.waves() >= kLongEnough / 2 && rounds >= kLongEnough;
}

std::optional<Over> overAtRequest(const RunRequest& request, const Background& background) {
  if (request.variant == "one_stream")
    return Over{100, "on one stream, a launch begins when the one before it has ended"};
  if (request.variant != "same_priority" || !isLong(request, background)) return std::nullopt;
  const uint32_t waves = background.waves();
  const bool full = background.blocks % background.slots == 0;
  return Over{full ? 100.0 : 100.0 * (waves - 1) / waves,
              fmt::format("all blocks of the background come first: {} waves", waves)};
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
                           .tolerance = request.variant == "one_stream" ? 0 : 0.25,
                           .measure = overAtFirstRequest});
  }
  constexpr uint32_t kManyWaves = 8;  // each of more is as short as the host's calls
  const bool outlasts_calls = isLong(request, of) && of.waves() >= 2 && of.waves() <= kManyWaves;
  if (request.variant == "high_priority" && outlasts_calls) {
    predictions.push_back({.label = "Waves that the first request waits for",
                           .unit = "waves",
                           .reason = "it gets the place of the first block that ends, which is within a wave",
                           .predicted = 1,
                           .measure = wavesWaited(of.waves())});
  }
  return predictions;
}

}  // namespace warpscope::priorities
