#include "viz/lab/lab_input.h"

#include "kernels/core/units.h"
#include "viz/text/translate.h"

namespace warpscope {

std::string limiterLabel(OccupancyLimiter limiter) {
  switch (limiter) {
    case OccupancyLimiter::kWarps:
      return tr("warps");
    case OccupancyLimiter::kBlocks:
      return tr("block slots");
    case OccupancyLimiter::kRegisters:
      return tr("registers");
    case OccupancyLimiter::kSharedMemory:
      return tr("shared memory");
    case OccupancyLimiter::kBarriers:
      return tr("barriers");
    case OccupancyLimiter::kImpossible:
      return tr("impossible");
  }
  return "";
}

std::string limiterSentence(const Occupancy& occupancy) {
  switch (occupancy.limiter) {
    case OccupancyLimiter::kWarps:
      return tr("Warps are the limit.");
    case OccupancyLimiter::kBlocks:
      return tr("Block slots are the limit: blocks are too small.");
    case OccupancyLimiter::kRegisters:
      return tr("Registers are the limit.");
    case OccupancyLimiter::kSharedMemory:
      return tr("Shared memory is the limit.");
    case OccupancyLimiter::kBarriers:
      return tr("Numbered barriers are the limit.");
    case OccupancyLimiter::kImpossible:
      return tr("Such a block cannot run on this device.");
  }
  return "";
}

std::string briefly(const Occupancy& occupancy) {
  const uint32_t blocks = occupancy.blocks_per_sm, warps = occupancy.warps_per_sm,
                 most = occupancy.max_warps_per_sm;
  return blocks == 1 ? trf("{} of {} warps, {} block", warps, most, blocks)
                     : trf("{} of {} warps, {} blocks", warps, most, blocks);
}

std::string formatAmount(OccupancyLimiter resource, uint64_t amount) {
  return resource == OccupancyLimiter::kSharedMemory ? formatBytes(amount)
                                                     : formatCount(static_cast<int64_t>(amount));
}

ImU32 blockColour(const Theme& theme, uint32_t block) {
  return theme.series(block);
}

ImU32 onBlockColour(const Theme& theme, uint32_t block) {
  return theme.onSeries(block);
}

}  // namespace warpscope
