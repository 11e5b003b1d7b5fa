#include "kernels/occupancy/suggestions.h"

#include <algorithm>

#include "kernels/core/ids.h"
#include "kernels/core/units.h"
#include "kernels/occupancy/capabilities.h"
#include "kernels/occupancy/curves.h"
#include "kernels/occupancy/occupancy.h"

namespace warpscope {
namespace {

using Kind = Suggestion::Kind;

Occupancy occupancyAt(const OccupancyQuestion& question, OccupancyAxis axis, uint32_t value) {
  return theoreticalOccupancy(withAxisValue(question, axis, value));
}

// The largest value below the current one with which one more block fits.
std::optional<uint32_t> mostForOneMore(const OccupancyQuestion& question, OccupancyAxis axis, uint32_t now) {
  const uint32_t present = axisValue(question, axis);
  const AxisRange range = axisRange(question.limits, axis);
  // Go down in allocation units, from the next one below.
  uint32_t value = present == 0 ? 0 : (present - 1) / range.step * range.step;
  for (; value >= range.first && value < present; value -= range.step) {
    if (occupancyAt(question, axis, value).blocks_per_sm > now) return value;
    if (value < range.step) break;
  }
  return std::nullopt;
}

// The largest value with which as many blocks fit as now.
uint32_t mostAtNoCost(const OccupancyQuestion& question, OccupancyAxis axis, uint32_t now) {
  const AxisRange range = axisRange(question.limits, axis);
  uint32_t most = axisValue(question, axis);
  for (uint32_t value = (most / range.step + 1) * range.step; value <= range.last; value += range.step) {
    if (occupancyAt(question, axis, value).blocks_per_sm < now) break;
    most = value;
  }
  return most;
}

Suggestion impossible(const OccupancyQuestion& question, const std::string& why) {
  Suggestion suggestion{
      .kind = Kind::kImpossible, .text = "Such a block cannot run on this device.", .reason = why};
  const PotentialBlockSize best = potentialBlockSize(question);
  if (best.block_threads > 0) {
    suggestion.text =
        fmt::format("Such a block cannot run on this device; one of {} threads can.", best.block_threads);
    suggestion.block_threads = best.block_threads;
    suggestion.occupancy = best.occupancy;
  }
  return suggestion;
}

std::optional<Suggestion> wholeWarps(const OccupancyQuestion& question) {
  const uint32_t lanes = question.block_threads % kWarpSize;
  if (lanes == 0) return std::nullopt;
  const uint32_t whole = question.block_threads - lanes + kWarpSize;
  Suggestion suggestion{
      .kind = Kind::kWholeWarps,
      .text = fmt::format("{} lanes of each block's last warp never exist: {} threads would use them.",
                          kWarpSize - lanes, whole),
      .reason = "an SM's resources are given out in whole warps"};
  suggestion.block_threads = whole;
  suggestion.occupancy = occupancyAt(question, OccupancyAxis::kBlock, whole).theoretical;
  return suggestion;
}

std::string reasonForBlocks(const Occupancy& now) {
  switch (now.limiter) {
    case OccupancyLimiter::kBlocks:
      return fmt::format("an SM has {} block slots: larger blocks bring more warps through them",
                         now.blocks_by_slots);
    case OccupancyLimiter::kWarps:
      return fmt::format("{} warps are cut into blocks of that size with fewer left over",
                         now.max_warps_per_sm);
    case OccupancyLimiter::kRegisters:
      return "the registers of an SM are cut into blocks of that size with fewer left over";
    case OccupancyLimiter::kSharedMemory:
      return "a block's shared memory stays the same, and a larger block shares it among more warps";
    case OccupancyLimiter::kBarriers:
      return "a block's barriers stay the same, and a larger block shares them among more warps";
    case OccupancyLimiter::kImpossible:
      break;
  }
  return "";
}

std::optional<Suggestion> blockSize(const OccupancyQuestion& question, const Occupancy& now) {
  const PotentialBlockSize best = potentialBlockSize(question);
  if (best.occupancy <= now.theoretical) return std::nullopt;
  // Among equally good ones take the nearest: a block size has other reasons, too.
  uint32_t nearest = best.block_threads;
  const auto distance = [&](uint32_t threads) {
    return threads > question.block_threads ? threads - question.block_threads
                                            : question.block_threads - threads;
  };
  for (const OccupancyPoint& point : occupancyCurve(question, OccupancyAxis::kBlock)) {
    if (point.occupancy.theoretical >= best.occupancy && distance(point.value) < distance(nearest))
      nearest = point.value;
  }
  Suggestion suggestion{.kind = Kind::kBlockSize,
                        .text = fmt::format("Blocks of {} threads: occupancy {} instead of {}.", nearest,
                                            formatPercent(best.occupancy), formatPercent(now.theoretical)),
                        .reason = reasonForBlocks(now)};
  suggestion.block_threads = nearest;
  suggestion.occupancy = best.occupancy;
  return suggestion;
}

std::optional<Suggestion> fewerRegisters(const OccupancyQuestion& question, const Occupancy& now) {
  const auto most = mostForOneMore(question, OccupancyAxis::kRegisters, now.blocks_per_sm);
  if (!most || now.limiter != OccupancyLimiter::kRegisters) return std::nullopt;
  const Occupancy then = occupancyAt(question, OccupancyAxis::kRegisters, *most);
  Suggestion suggestion{
      .kind = Kind::kRegisters,
      .text = fmt::format("At most {} registers per thread (now {}): occupancy {}.", *most,
                          question.resources.registers_per_thread, formatPercent(then.theoretical)),
      .reason = fmt::format("__launch_bounds__({}, {}) tells the compiler; what no longer fits goes to local "
                            "memory, which may cost more than it gains",
                            question.block_threads, then.blocks_per_sm)};
  suggestion.registers = most;
  suggestion.occupancy = then.theoretical;
  return suggestion;
}

std::optional<Suggestion> lessShared(const OccupancyQuestion& question, const Occupancy& now) {
  if (now.limiter != OccupancyLimiter::kSharedMemory) return std::nullopt;
  OccupancyQuestion largest = question;
  largest.shared_configuration_bytes.reset();
  const Occupancy with_more = theoreticalOccupancy(largest);
  if (with_more.blocks_per_sm > now.blocks_per_sm) {
    Suggestion suggestion{
        .kind = Kind::kCarveOut,
        .text = fmt::format("All {} for shared memory: occupancy {}.",
                            formatBytes(question.limits.shared_bytes_per_sm),
                            formatPercent(with_more.theoretical)),
        .reason = "shared memory and L1 are one memory; the carve-out chosen leaves it too little"};
    suggestion.occupancy = with_more.theoretical;
    return suggestion;
  }
  const auto most = mostForOneMore(question, OccupancyAxis::kShared, now.blocks_per_sm);
  if (!most) return std::nullopt;
  const Occupancy then = occupancyAt(question, OccupancyAxis::kShared, *most);
  Suggestion suggestion{
      .kind = Kind::kShared,
      .text = fmt::format("At most {} B of shared memory per block (now {} B): occupancy {}.",
                          formatCount(*most), formatCount(axisValue(question, OccupancyAxis::kShared)),
                          formatPercent(then.theoretical)),
      .reason = fmt::format("then {} blocks fit into the {} of an SM, of which each block also takes {} for "
                            "the driver",
                            then.blocks_per_sm, formatBytes(question.limits.shared_bytes_per_sm),
                            formatBytes(question.limits.shared_bytes_reserved_per_block))};
  suggestion.shared_bytes = most;
  suggestion.occupancy = then.theoretical;
  return suggestion;
}

std::optional<Suggestion> fewerBarriers(const OccupancyQuestion& question, const Occupancy& now) {
  if (now.limiter != OccupancyLimiter::kBarriers) return std::nullopt;
  OccupancyQuestion fewer = question;
  while (fewer.resources.barriers_per_block > 1) {
    --fewer.resources.barriers_per_block;
    const Occupancy then = theoreticalOccupancy(fewer);
    if (then.blocks_per_sm <= now.blocks_per_sm) continue;
    return Suggestion{
        .kind = Kind::kBarriers,
        .text = fmt::format("At most {} numbered barriers per block (now {}): occupancy {}.",
                            fewer.resources.barriers_per_block, question.resources.barriers_per_block,
                            formatPercent(then.theoretical)),
        .reason = "the numbered barriers of an SM are shared out among its blocks",
        .occupancy = then.theoretical};
  }
  return std::nullopt;
}

std::optional<Suggestion> grid(const OccupancyQuestion& question, const Occupancy& now,
                               std::optional<uint64_t> blocks) {
  constexpr double kSmallTail = 0.5, kManyWaves = 8;
  const auto waves = blocks ? wavesOf(*blocks, now, question.limits.sm_count) : std::nullopt;
  if (!waves) return std::nullopt;
  const auto count = [](uint64_t number) { return formatCount(static_cast<int64_t>(number)); };
  if (waves->waves < 1) {
    return Suggestion{.kind = Kind::kSmallGrid,
                      .text = fmt::format("A grid of {} blocks does not fill the GPU: {} fit at once.",
                                          count(waves->blocks), count(waves->blocks_per_wave)),
                      .reason = "more blocks, or smaller ones, would use the SMs that stay empty"};
  }
  if (waves->tail_blocks == 0 || waves->tail_share > kSmallTail || waves->waves > kManyWaves) {
    return std::nullopt;
  }
  return Suggestion{
      .kind = Kind::kTail,
      .text = fmt::format("The last of {} waves has {} of {} blocks.", waves->full_waves + 1,
                          count(waves->tail_blocks), count(waves->blocks_per_wave)),
      .reason = "while it runs most of the GPU is idle; a grid of whole waves, or of many, has no such tail"};
}

// The rest of an SM is too small for one more block in any case, so using that much more costs nothing.
std::optional<Suggestion> room(const OccupancyQuestion& question, OccupancyAxis axis, const Occupancy& now) {
  const uint32_t most = mostAtNoCost(question, axis, now.blocks_per_sm);
  if (most == axisValue(question, axis)) return std::nullopt;
  const std::string reason = "what is left of an SM is not enough for one more block in any case";
  if (axis == OccupancyAxis::kRegisters) {
    return Suggestion{.kind = Kind::kRoom,
                      .text = fmt::format("Up to {} registers per thread cost no occupancy.", most),
                      .reason = reason};
  }
  return Suggestion{
      .kind = Kind::kRoom,
      .text = fmt::format("Up to {} B of shared memory per block cost no occupancy.", formatCount(most)),
      .reason = reason};
}

}  // namespace

PotentialBlockSize potentialBlockSize(const OccupancyQuestion& question) {
  PotentialBlockSize best;
  uint32_t most_threads = 0;
  auto curve = occupancyCurve(question, OccupancyAxis::kBlock);
  for (auto point = curve.rbegin(); point != curve.rend(); ++point) {
    const uint32_t threads = point->value * point->occupancy.blocks_per_sm;
    if (threads <= most_threads) continue;
    most_threads = threads;
    best = {point->value, point->occupancy.blocks_per_sm,
            uint64_t{point->occupancy.blocks_per_sm} * question.limits.sm_count,
            point->occupancy.theoretical};
  }
  return best;
}

std::vector<Suggestion> suggestions(const OccupancyQuestion& question, std::optional<uint64_t> grid_blocks) {
  if (const auto why = whyImpossible(question)) return {impossible(question, *why)};
  const Occupancy now = theoreticalOccupancy(question);
  std::vector<Suggestion> found;
  const auto add = [&](std::optional<Suggestion> suggestion) {
    if (suggestion) found.push_back(std::move(*suggestion));
  };
  if (now.theoretical >= 1) {
    found.push_back({.kind = Kind::kFull,
                     .text = "All warps of an SM are resident: there is no more occupancy to be had.",
                     .reason = "if it is still slow, something else than the number of warps is the reason"});
  }
  add(blockSize(question, now));
  add(fewerRegisters(question, now));
  add(lessShared(question, now));
  add(fewerBarriers(question, now));
  add(wholeWarps(question));
  add(grid(question, now, grid_blocks));
  add(room(question, OccupancyAxis::kRegisters, now));
  add(room(question, OccupancyAxis::kShared, now));
  return found;
}

}  // namespace warpscope
