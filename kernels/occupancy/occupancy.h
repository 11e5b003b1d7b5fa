// Theoretical occupancy: how many blocks of a kernel fit on one SM, which resource stops the next one, what
// of each is used, and what one more block would need. Rules: CUDA C++ Programming Guide, "Hardware
// Multithreading" and "Compute Capabilities"; the toolkit's cuda_occupancy.h. capabilities.h has the figures.
#pragma once

#include <optional>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/run/limiter_name.h"
#include "kernels/run/run.h"

namespace warpscope {

// What is asked of an SM: all that the answer depends on.
struct OccupancyQuestion {
  DeviceLimits limits;
  KernelResources resources;
  uint32_t block_threads = 0;
  // How large shared memory is to be made on an SM, of what can be chosen (carve-out); absent: as large as it
  // can be. Where a block needs more, the hardware takes the least that holds one.
  std::optional<uint32_t> shared_configuration_bytes{};
  // nvcc -Xptxas -dlcm=ca: global loads are cached in L1 and L2, not in L2 only. Matters on 5.2, 5.3, 6.1 and
  // 6.2, where each half of an SM has an L1 of its own.
  bool cached_loads = false;
};

// An impossible block (more threads, registers or shared memory than a block may have) gives 0 blocks and
// kImpossible. A resource that the kernel does not use allows as many blocks as the SM has slots for.
Occupancy theoreticalOccupancy(const OccupancyQuestion& question);
Occupancy theoreticalOccupancy(const DeviceLimits& limits, const KernelResources& resources,
                               uint32_t block_threads);

// The least configuration of shared memory of at least `percent` of the most there is, as
// cudaFuncAttributePreferredSharedMemoryCarveout chooses it; 0 to 100.
uint32_t sharedConfiguration(const DeviceLimits& limits, uint32_t percent);

// One resource of an SM, in its own unit: warps, block slots, registers, bytes, barriers.
struct ResourceBudget {
  OccupancyLimiter resource = OccupancyLimiter::kWarps;
  uint64_t capacity = 0;   // of an SM
  uint64_t asked = 0;      // by a block
  uint64_t per_block = 0;  // given to a block: `asked`, rounded up as the hardware does
  uint64_t used = 0;       // by the blocks that are resident
  uint64_t left = 0;
  uint32_t blocks = 0;  // that this resource alone would allow
  // More than is left that one more block would take; 0: this resource has room for it.
  uint64_t missing = 0;
  // Enough is left in sum, but no sub-partition has room for one of the block's warps.
  bool fragmented = false;
};
// Warps, block slots, registers, shared memory, and barriers where they are limited. Empty: an impossible
// block.
std::vector<ResourceBudget> resourceBudgets(const OccupancyQuestion& question);

// Why a block cannot run at all, in words that name the limit; nullopt: it can.
std::optional<std::string> whyImpossible(const OccupancyQuestion& question);

}  // namespace warpscope
