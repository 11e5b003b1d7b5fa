// Theoretical occupancy: how many blocks of a kernel fit on one SM, which resource prevents one more, how
// much of each is used, and how much one more block would need. Rules: CUDA C++ Programming Guide, "Hardware
// Multithreading" and "Compute Capabilities"; the toolkit's cuda_occupancy.h. capabilities.h has the figures.
// Pure functions of plain values; nothing here fails.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/run/run.h"

namespace warpscope {

// The question to an SM: everything that the answer depends on.
struct OccupancyQuestion {
  DeviceLimits limits;
  KernelResources resources;
  uint32_t block_threads = 0;
  // The size that shared memory should have on an SM (carve-out), one of the possible ones; absent: the
  // largest. If a block needs more, the hardware takes the smallest size that holds one block.
  std::optional<uint32_t> shared_configuration_bytes{};
  // nvcc -Xptxas -dlcm=ca: global loads are cached in L1 and L2, not only in L2. Matters for 5.2, 5.3, 6.1
  // and 6.2, where each half of an SM has its own L1.
  bool cached_loads = false;
};

// An impossible block (more threads, registers or shared memory than a block may have) gives 0 blocks and
// kImpossible. A resource that the kernel does not use allows as many blocks as the SM has block slots.
Occupancy theoreticalOccupancy(const OccupancyQuestion& question);
Occupancy theoreticalOccupancy(const DeviceLimits& limits, const KernelResources& resources,
                               uint32_t block_threads);

// The smallest configuration of shared memory that is at least `percent` (0 to 100) of the largest, as
// cudaFuncAttributePreferredSharedMemoryCarveout chooses it.
uint32_t sharedConfiguration(const DeviceLimits& limits, uint32_t percent);

// One resource of an SM, in its own unit: warps, block slots, registers, bytes, barriers.
struct ResourceBudget {
  OccupancyLimiter resource = OccupancyLimiter::kWarps;
  uint64_t capacity = 0;   // per SM
  uint64_t asked = 0;      // per block
  uint64_t per_block = 0;  // allocated to a block: `asked`, rounded up as the hardware does
  uint64_t used = 0;       // by the resident blocks
  uint64_t left = 0;
  uint32_t blocks = 0;  // the number that this resource alone would allow
  // The amount beyond `left` that one more block would need; 0: this resource has room for it.
  uint64_t missing = 0;
  // Enough is left in sum, but no sub-partition has room for one of the block's warps.
  bool fragmented = false;
};
// Warps, block slots, registers, shared memory, and barriers where they are limited. Empty for an impossible
// block.
std::vector<ResourceBudget> resourceBudgets(const OccupancyQuestion& question);

// The reason why a block cannot run at all, naming the limit; nullopt if it can.
std::optional<std::string> whyImpossible(const OccupancyQuestion& question);

// A grid on a whole GPU: blocks run in waves of as many as fit at once, and the last wave is seldom full.
struct Waves {
  uint64_t blocks = 0;           // in the grid
  uint64_t blocks_per_wave = 0;  // on all SMs
  double waves = 0;              // blocks / blocks_per_wave
  uint64_t full_waves = 0;
  uint64_t tail_blocks = 0;  // in the last wave, if it is not full
  double tail_share = 0;     // the tail's share of a wave; 0: there is no tail
  // The part of the theoretical occupancy that remains on average if all waves take equally long.
  double mean_fill = 0;
};
// Returns nullopt if the number of SMs is not known, or no block fits.
std::optional<Waves> wavesOf(uint64_t grid_blocks, const Occupancy& occupancy, uint32_t sm_count);

}  // namespace warpscope
