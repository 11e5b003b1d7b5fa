#include "kernels/metrics/achieved_cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernels/core/units.h"
#include "kernels/metrics/achieved.h"

namespace warpscope {
namespace {

constexpr double kNotablyBelow = 0.9;    // of theory: what is closer to it needs no cause
constexpr double kFewWaves = 8;          // more waves than these hide their last one
constexpr double kShortTail = 0.75;      // of a wave
constexpr double kNotableWaiting = 0.1;  // of the time that a block's places are taken

std::string countText(uint64_t value) {
  return formatCount(static_cast<int64_t>(value));
}

// The share of the recorded blocks' warp slots that are empty since other warps of the block still run.
double emptyWhileTheBlockRuns(const Trace& trace) {
  struct Block {
    int64_t begin = INT64_MAX, end = 0, warps = 0, resident = 0;
  };
  std::map<BlockId, Block> blocks;
  for (const TraceWarp& warp : trace.warps) {
    Block& block = blocks[warp.block];
    block.begin = std::min(block.begin, warp.begin_cycles);
    block.end = std::max(block.end, warp.end_cycles);
    block.resident += warp.end_cycles - warp.begin_cycles;
    ++block.warps;
  }
  int64_t all = 0, resident = 0;
  for (const auto& [id, block] : blocks) {
    all += (block.end - block.begin) * block.warps;
    resident += block.resident;
  }
  return all == 0 ? 0 : 1 - static_cast<double>(resident) / static_cast<double>(all);
}

}  // namespace

std::string achievedCause(const Run& run) {
  const auto achieved = achievedOf(run);
  const uint64_t blocks = run.grid.count(), sms = usedSms(run);
  const uint64_t at_once = run.occupancy.blocks_per_sm * sms;
  if (!achieved || at_once == 0 || achieved->high >= kNotablyBelow * run.occupancy.theoretical) return "";
  if (blocks == 1) return fmt::format("1 block on {} SMs", countText(sms));
  if (blocks <= sms) return fmt::format("{} blocks on {} SMs", countText(blocks), countText(sms));
  if (blocks < at_once) {
    return fmt::format("{} blocks on {} SMs, each of which has room for {}", countText(blocks),
                       countText(sms), run.occupancy.blocks_per_sm);
  }
  const uint64_t tail = blocks % at_once;
  const bool short_tail = static_cast<double>(tail) < kShortTail * static_cast<double>(at_once);
  if (tail > 0 && short_tail && static_cast<double>(blocks) < kFewWaves * static_cast<double>(at_once)) {
    return fmt::format("the last of {} waves has {} of {} blocks", blocks / at_once + 1, countText(tail),
                       countText(at_once));
  }
  const double empty = emptyWhileTheBlockRuns(run.trace);
  if (empty > kNotableWaiting) {
    return fmt::format("{} of the warp slots are empty until the last warp of their block ends",
                       formatPercent(empty));
  }
  return "";
}

}  // namespace warpscope
