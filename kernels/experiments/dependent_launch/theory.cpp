// The dependent_launch family: what theory predicts.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kernels/core/ids.h"
#include "kernels/experiments/dependent_launch/regions.h"
#include "kernels/experiments/dependent_launch/support.h"
#include "kernels/experiments/family_parts.h"

namespace warpscope::dependent_launch {
namespace {

std::optional<double> blocksOfLaunch(const Run& run) {
  if (!run.streams || run.streams->operations.empty()) return std::nullopt;
  return static_cast<double>(run.streams->operations[0].blocks);
}

std::optional<double> overlapping(const Run& run) {
  if (!run.streams) return std::nullopt;
  const std::vector<StreamOperation>& launches = run.streams->operations;
  double count = 0;
  for (size_t i = 1; i < launches.size(); ++i) count += launches[i].begin_ns < launches[i - 1].end_ns ? 1 : 0;
  return count;
}

// The warp's time before its wait: all, and as far as the launch before it still ran.
struct Preamble {
  double cycles = 0, hidden_cycles = 0;
};
std::optional<Preamble> preambleOf(const Run& run, const TraceWarp& warp) {
  const auto operation = run.streams->operationOf(warp.block);
  if (!operation || *operation == 0) return std::nullopt;
  const auto events = run.trace.eventsOf(warp);
  const auto wait =
      std::ranges::find_if(events, [](const TraceEvent& event) { return event.region.value == kWait; });
  if (wait == events.end()) return std::nullopt;
  const double before_end = run.streams->operations[*operation - 1].end_ns * run.trace.clocks.cycles_per_ns;
  const auto begin = static_cast<double>(warp.begin_cycles), end = static_cast<double>(wait->clock_cycles);
  return Preamble{end - begin, std::clamp(before_end - begin, 0.0, end - begin)};
}

// In percent, of all launches but the first.
std::optional<double> hiddenPreamble(const Run& run) {
  if (!run.streams) return std::nullopt;
  Preamble sum;
  for (const TraceWarp& warp : run.trace.warps) {
    const auto of = preambleOf(run, warp);
    if (!of) continue;
    sum.cycles += of->cycles;
    sum.hidden_cycles += of->hidden_cycles;
  }
  return sum.cycles > 0 ? std::optional(100 * sum.hidden_cycles / sum.cycles) : std::nullopt;
}

// Whether each launch is so long, however few blocks it has, that the next one has been enqueued long before
// its turn: a round takes about a nanosecond, or more.
bool isLong(const RunRequest& request) {
  constexpr int64_t kLongEnough = 8192;
  return request.parameters.at("work") >= kLongEnough;
}

// Whether two launches leave each other both room and issue slots: 16 warps an SM, four a sub-partition, are
// as many as each can issue for while the others wait for their last multiplication (4 cycles, as on any GPU
// since Volta: Jia et al., arXiv 1804.06826).
bool twoLeaveSlots(const RunRequest& request, const DeviceLimits& limits) {
  constexpr uint64_t kWarpsOfSm = 16;
  const auto block = static_cast<uint32_t>(request.parameters.at("block"));
  const auto size = static_cast<uint32_t>(request.parameters.at("size"));
  const uint64_t warps_of_block = (block + kWarpSize - 1) / kWarpSize;
  const uint64_t of_sm = std::min<uint64_t>(kWarpsOfSm / warps_of_block, limits.max_blocks_per_sm);
  const uint64_t blocks = (size + block - 1) / block;
  return 2 * blocks <= of_sm * limits.sm_count;
}

}  // namespace

std::string insteadOfDependentLaunches(const DeviceLimits& limits) {
  return fmt::format(
      "programmatic dependent launches need compute capability 9.0, this device has {}.{}: the launches are "
      "in plain order instead",
      limits.compute_capability.major, limits.compute_capability.minor);
}

std::vector<Prediction> theory(const RunRequest& request, const DeviceLimits& limits) {
  const int64_t block = request.parameters.at("block"), size = request.parameters.at("size");
  const int64_t launches = request.parameters.at("launches");
  const int64_t blocks = (size + block - 1) / block;
  const int64_t preamble = request.parameters.at("preamble"), work = request.parameters.at("work");
  std::vector<Prediction> predictions = {{.label = "Blocks of a launch",
                                          .unit = "blocks",
                                          .reason = "a thread for each element",
                                          .predicted = static_cast<double>(blocks),
                                          .measure = blocksOfLaunch}};
  const auto overlaps = [&](double count, std::string reason) {
    predictions.push_back({.label = "Launches that begin before the one before them ends",
                           .unit = "launches",
                           .reason = std::move(reason),
                           .predicted = count,
                           .measure = overlapping});
  };
  const auto hidden = [&](std::string reason, double percent) {
    predictions.push_back({.label = "Preamble behind the launch before",
                           .unit = "%",
                           .reason = std::move(reason),
                           .predicted = percent,
                           .tolerance = percent > 0 ? 0.1 : 0,
                           .measure = hiddenPreamble});
  };
  if (request.variant == "plain_order" || !hasDependentLaunches(limits)) {
    overlaps(0, "on one stream, a launch begins when the one before it has ended");
    hidden("on one stream, a launch begins when the one before it has ended", 0);
  } else if (request.variant == "no_trigger") {
    overlaps(0, "the end of a launch that triggers nothing is its trigger");
    hidden("the end of a launch that triggers nothing is its trigger", 0);
  } else if (request.variant == "trigger_early" && isLong(request)) {
    overlaps(static_cast<double>(launches - 1), "each is triggered as soon as all blocks have begun");
    if (launches == 2 && preamble <= work && twoLeaveSlots(request, limits)) {
      hidden(
          "both launches fit at once without slowing each other down, and max(0, preamble - what is left of "
          "the launch before) is 0",
          100);
    }
  }
  return predictions;
}

}  // namespace warpscope::dependent_launch
