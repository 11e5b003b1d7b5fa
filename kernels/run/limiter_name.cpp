#include "kernels/run/limiter_name.h"

namespace warpscope {

const char* limiterName(OccupancyLimiter limiter) {
  switch (limiter) {
    case OccupancyLimiter::kWarps:
      return "warps";
    case OccupancyLimiter::kBlocks:
      return "blocks";
    case OccupancyLimiter::kRegisters:
      return "registers";
    case OccupancyLimiter::kSharedMemory:
      return "shared memory";
    case OccupancyLimiter::kBarriers:
      return "barriers";
    case OccupancyLimiter::kImpossible:
      return "impossible";
  }
  return "unknown";
}

}  // namespace warpscope
