// The occupancy formula: cases worked out by hand, and a sweep against the CUDA toolkit's own header where it
// is.
#include "kernels/device/occupancy.h"

#include <gtest/gtest.h>

#ifdef WARPSCOPE_HAS_CUDA_OCCUPANCY
#include <cuda_occupancy.h>
#endif

#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

DeviceLimits h100() {
  return testing::syntheticDevice().limits;
}

TEST(Occupancy, OfAnH100ByEachResource) {
  const auto warps = theoreticalOccupancy(h100(), {.registers_per_thread = 32}, 256);
  EXPECT_EQ(warps.blocks_per_sm, 8U);
  EXPECT_EQ(warps.warps_per_sm, 64U);
  EXPECT_DOUBLE_EQ(warps.theoretical, 1);
  EXPECT_EQ(warps.limiter, OccupancyLimiter::kWarps);

  const auto slots = theoreticalOccupancy(h100(), {.registers_per_thread = 16}, 32);
  EXPECT_EQ(slots.blocks_per_sm, 32U);
  EXPECT_DOUBLE_EQ(slots.theoretical, 0.5);
  EXPECT_EQ(slots.limiter, OccupancyLimiter::kBlocks);

  const auto registers = theoreticalOccupancy(h100(), {.registers_per_thread = 128}, 256);
  EXPECT_EQ(registers.blocks_per_sm, 2U);
  EXPECT_EQ(registers.limiter, OccupancyLimiter::kRegisters);

  const auto shared =
      theoreticalOccupancy(h100(), {.registers_per_thread = 32, .static_shared_bytes = 32 * 1024}, 128);
  // 33 KiB with the reserved one, of 228 KiB.
  EXPECT_EQ(shared.blocks_per_sm, 6U);
  EXPECT_EQ(shared.limiter, OccupancyLimiter::kSharedMemory);
  EXPECT_EQ(shared.blocks_by_warps, 16U);
  EXPECT_EQ(shared.blocks_by_registers, 16U);
}

TEST(Occupancy, OfImpossibleBlocksIsNone) {
  const KernelResources light{.registers_per_thread = 16};
  for (const auto& [resources, threads] : std::vector<std::pair<KernelResources, uint32_t>>{
           {light, 0},
           {light, 1025},
           {{.registers_per_thread = 255}, 1024},
           {{.registers_per_thread = 300}, 32},
           {{.registers_per_thread = 16, .static_shared_bytes = 50'000}, 32},
           {{.registers_per_thread = 16, .dynamic_shared_bytes = 233'000}, 32}}) {
    const auto occupancy = theoreticalOccupancy(h100(), resources, threads);
    EXPECT_EQ(occupancy.blocks_per_sm, 0U);
    EXPECT_EQ(occupancy.limiter, OccupancyLimiter::kImpossible);
    EXPECT_EQ(occupancy.theoretical, 0);
  }
}

TEST(Occupancy, OfADeviceThatTellsNothingDoesNotDivide) {
  EXPECT_EQ(theoreticalOccupancy({}, {.registers_per_thread = 16}, 32).blocks_per_sm, 0U);
}

// Per-SM limits by compute capability: CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability".
struct Specification {
  ComputeCapability capability;
  uint32_t threads_per_sm, blocks_per_sm, shared_per_sm, shared_opt_in, reserved;
};

DeviceLimits limitsOf(const Specification& spec) {
  DeviceLimits limits = h100();
  limits.compute_capability = spec.capability;
  limits.max_threads_per_sm = spec.threads_per_sm;
  limits.max_blocks_per_sm = spec.blocks_per_sm;
  limits.shared_bytes_per_sm = spec.shared_per_sm * 1024;
  limits.shared_bytes_per_block_opt_in = spec.shared_opt_in * 1024;
  limits.shared_bytes_reserved_per_block = spec.reserved;
  return limits;
}

#ifdef WARPSCOPE_HAS_CUDA_OCCUPANCY
uint32_t toolkitBlocks(const DeviceLimits& limits, const KernelResources& resources, uint32_t threads) {
  cudaOccDeviceProp properties;
  properties.computeMajor = limits.compute_capability.major;
  properties.computeMinor = limits.compute_capability.minor;
  properties.maxThreadsPerBlock = static_cast<int>(limits.max_threads_per_block);
  properties.maxThreadsPerMultiprocessor = static_cast<int>(limits.max_threads_per_sm);
  properties.regsPerBlock = static_cast<int>(limits.registers_per_block);
  properties.regsPerMultiprocessor = static_cast<int>(limits.registers_per_sm);
  properties.warpSize = kWarpSize;
  properties.sharedMemPerBlock = limits.shared_bytes_per_block;
  properties.sharedMemPerMultiprocessor = limits.shared_bytes_per_sm;
  properties.numSms = static_cast<int>(limits.sm_count);
  properties.sharedMemPerBlockOptin = limits.shared_bytes_per_block_opt_in;
  properties.reservedSharedMemPerBlock = limits.shared_bytes_reserved_per_block;
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = static_cast<int>(limits.max_threads_per_block);
  attributes.numRegs = static_cast<int>(resources.registers_per_thread);
  attributes.sharedSizeBytes = resources.static_shared_bytes;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = resources.dynamic_shared_bytes;
  attributes.numBlockBarriers = static_cast<int>(resources.barriers_per_block);
  const cudaOccDeviceState state;
  cudaOccResult result{};
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &attributes, &state, static_cast<int>(threads), resources.dynamic_shared_bytes);
  EXPECT_EQ(error, CUDA_OCC_SUCCESS);
  return static_cast<uint32_t>(result.activeBlocksPerMultiprocessor);
}
#endif

TEST(Occupancy, EqualsTheToolkitsOverAFullSweep) {
#ifndef WARPSCOPE_HAS_CUDA_OCCUPANCY
  GTEST_SKIP() << "the CUDA toolkit's cuda_occupancy.h is not here";
#else
  const std::vector<Specification> specifications{
      {{7, 5}, 1024, 16, 64, 64, 0},      {{8, 0}, 2048, 32, 164, 163, 1024},
      {{8, 6}, 1536, 16, 100, 99, 1024},  {{8, 9}, 1536, 24, 100, 99, 1024},
      {{9, 0}, 2048, 32, 228, 227, 1024}, {{10, 0}, 2048, 32, 228, 227, 1024},
      {{12, 0}, 1536, 24, 100, 99, 1024},
  };
  const std::vector<std::pair<uint32_t, uint32_t>> shared_bytes{
      {0, 0},         {1, 0},      {1024, 0},        {4224, 0},      {33 * 1024, 0},
      {48 * 1024, 0}, {0, 20'000}, {512, 63 * 1024}, {0, 99 * 1024}, {0, 227 * 1024}};
  size_t compared = 0, different = 0;
  for (const Specification& spec : specifications) {
    const DeviceLimits limits = limitsOf(spec);
    for (const auto& [static_bytes, dynamic_bytes] : shared_bytes) {
      for (uint32_t threads = 32; threads <= 1024; threads += 32) {
        for (uint32_t registers = 16; registers <= 255; ++registers) {
          const uint32_t barriers = registers % 17;  // all of none to 16 come by
          const KernelResources resources{registers, static_bytes, dynamic_bytes, 0, barriers};
          const uint32_t ours = theoreticalOccupancy(limits, resources, threads).blocks_per_sm;
          const uint32_t theirs = toolkitBlocks(limits, resources, threads);
          ++compared;
          if (ours != theirs && different++ < 5) {
            ADD_FAILURE() << "cc " << spec.capability.major << "." << spec.capability.minor << " block "
                          << threads << " registers " << registers << " shared " << static_bytes << "+"
                          << dynamic_bytes << " barriers " << barriers << ": " << ours
                          << " blocks, the toolkit says " << theirs;
          }
        }
      }
    }
  }
  EXPECT_EQ(different, 0U);
  std::printf("%zu launches compared with cuda_occupancy.h\n", compared);
#endif
}

}  // namespace
}  // namespace warpscope
