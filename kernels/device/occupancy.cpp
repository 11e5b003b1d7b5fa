// Granularities: registers are allocated per warp in units of 256, shared memory per block in units of 128
// bytes from compute capability 8.0, 256 bytes before; an SM has four sub-partitions (two on 6.0), each with
// its own share of the registers, and a warp's registers lie in one of them. Sources: CUDA C++ Programming
// Guide, "Compute Capabilities"; Nsight Compute's occupancy calculator (its "Physical Limits" table).
// tests/unit/occupancy_test.cpp compares with the toolkit's own cuda_occupancy.h where that is installed.
#include "kernels/device/occupancy.h"

#include <algorithm>

#include "kernels/core/ids.h"

namespace warpscope {
namespace {

constexpr uint32_t kMaxRegistersPerThread = 255;
constexpr uint32_t kRegistersPerWarpUnit = 256;

uint32_t roundUp(uint32_t value, uint32_t unit) {
  return (value + unit - 1) / unit * unit;
}

uint32_t sharedUnitBytes(ComputeCapability capability) {
  return capability.major >= 8 ? 128 : 256;
}

uint32_t subPartitions(ComputeCapability capability) {
  return capability == ComputeCapability{6, 0} ? 2 : 4;
}

uint32_t blocksByRegisters(const DeviceLimits& limits, uint32_t registers, uint32_t warps) {
  if (registers > kMaxRegistersPerThread) return 0;
  if (registers == 0) return limits.max_blocks_per_sm;
  const uint32_t partitions = subPartitions(limits.compute_capability);
  const uint32_t per_warp = roundUp(registers * kWarpSize, kRegistersPerWarpUnit);
  // A launch is checked as if the block's warps were spread over all sub-partitions evenly.
  if (uint64_t{per_warp} * roundUp(warps, partitions) > limits.registers_per_block) return 0;
  const uint32_t warps_per_partition = limits.registers_per_sm / partitions / per_warp;
  return warps_per_partition * partitions / warps;
}

uint32_t blocksByShared(const DeviceLimits& limits, const KernelResources& resources) {
  const uint64_t asked = uint64_t{resources.static_shared_bytes} + resources.dynamic_shared_bytes;
  // Static shared memory cannot opt in to more than the default limit.
  if (resources.static_shared_bytes > limits.shared_bytes_per_block) return 0;
  if (asked > std::max(limits.shared_bytes_per_block, limits.shared_bytes_per_block_opt_in)) return 0;
  const uint64_t unit = sharedUnitBytes(limits.compute_capability);
  const uint64_t allocated = (asked + limits.shared_bytes_reserved_per_block + unit - 1) / unit * unit;
  if (allocated == 0) return limits.max_blocks_per_sm;
  return static_cast<uint32_t>(limits.shared_bytes_per_sm / allocated);
}

// From Hopper on also the numbered barriers are shared out among an SM's blocks: two for each block slot, or
// one on the smaller chips (cuda_occupancy.h of CUDA 13.0, cudaOccMaxBlocksPerSMBlockBarrierLimit).
std::optional<uint32_t> blocksByBarriers(const DeviceLimits& limits, const KernelResources& resources) {
  const ComputeCapability capability = limits.compute_capability;
  if (capability.major < 9 || resources.barriers_per_block == 0) return std::nullopt;
  const bool one_a_slot = capability == ComputeCapability{10, 1} || capability == ComputeCapability{11, 0} ||
                          capability.major == 12;
  // Any block may take 16: no SM has fewer, however few its block slots.
  return std::max(limits.max_blocks_per_sm * (one_a_slot ? 1 : 2), 16U) / resources.barriers_per_block;
}

// Of several that allow equally few blocks the first is named: those that are limits of the SM alone come
// before what the kernel uses.
OccupancyLimiter limiterOf(const Occupancy& occupancy) {
  const uint32_t blocks = occupancy.blocks_per_sm;
  if (blocks == 0) return OccupancyLimiter::kImpossible;
  if (occupancy.blocks_by_warps == blocks) return OccupancyLimiter::kWarps;
  if (occupancy.blocks_by_slots == blocks) return OccupancyLimiter::kBlocks;
  if (occupancy.blocks_by_registers == blocks) return OccupancyLimiter::kRegisters;
  if (occupancy.blocks_by_shared == blocks) return OccupancyLimiter::kSharedMemory;
  return OccupancyLimiter::kBarriers;
}

}  // namespace

Occupancy theoreticalOccupancy(const DeviceLimits& limits, const KernelResources& resources,
                               uint32_t block_threads) {
  Occupancy occupancy;
  occupancy.max_warps_per_sm = limits.max_threads_per_sm / kWarpSize;
  occupancy.limiter = OccupancyLimiter::kImpossible;
  if (block_threads == 0 || block_threads > limits.max_threads_per_block) return occupancy;
  const uint32_t warps = (block_threads + kWarpSize - 1) / kWarpSize;
  occupancy.blocks_by_warps = occupancy.max_warps_per_sm / warps;
  occupancy.blocks_by_slots = limits.max_blocks_per_sm;
  occupancy.blocks_by_registers = blocksByRegisters(limits, resources.registers_per_thread, warps);
  occupancy.blocks_by_shared = blocksByShared(limits, resources);
  occupancy.blocks_by_barriers = blocksByBarriers(limits, resources);
  occupancy.blocks_per_sm =
      std::min({occupancy.blocks_by_warps, occupancy.blocks_by_slots, occupancy.blocks_by_registers,
                occupancy.blocks_by_shared, occupancy.blocks_by_barriers.value_or(limits.max_blocks_per_sm)});
  occupancy.warps_per_sm = occupancy.blocks_per_sm * warps;
  if (occupancy.max_warps_per_sm > 0) {
    occupancy.theoretical = static_cast<double>(occupancy.warps_per_sm) / occupancy.max_warps_per_sm;
  }
  occupancy.limiter = limiterOf(occupancy);
  return occupancy;
}

}  // namespace warpscope
