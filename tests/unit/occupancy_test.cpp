// The occupancy formula: cases worked out by hand, NVIDIA's calculator for capabilities that its header no
// longer covers, and a full comparison with the CUDA toolkit's own header if that is present.
#include "kernels/occupancy/occupancy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#ifdef WARPSCOPE_HAS_CUDA_OCCUPANCY
#include <cuda_occupancy.h>
#endif

#include "kernels/occupancy/capabilities.h"
#include "kernels/occupancy/curves.h"
#include "kernels/occupancy/suggestions.h"
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
  // 33 KiB including the reserved one, of 228 KiB.
  EXPECT_EQ(shared.blocks_per_sm, 6U);
  EXPECT_EQ(shared.limiter, OccupancyLimiter::kSharedMemory);
  EXPECT_EQ(shared.blocks_by_warps, 16U);
  EXPECT_EQ(shared.blocks_by_registers, 16U);
}

TEST(Occupancy, OfImpossibleBlocksIsNoneAndSaysWhy) {
  const KernelResources light{.registers_per_thread = 16};
  struct Case {
    KernelResources resources;
    uint32_t threads;
    const char* why;
  };
  for (const auto& [resources, threads, why] :
       std::vector<Case>{{light, 0, "1 thread"},
                         {light, 1025, "1024"},
                         {{.registers_per_thread = 255}, 1024, "65,536"},
                         {{.registers_per_thread = 300}, 32, "255"},
                         {{.registers_per_thread = 16, .static_shared_bytes = 50'000}, 32, "48 KiB"},
                         {{.registers_per_thread = 16, .dynamic_shared_bytes = 233'000}, 32, "227 KiB"}}) {
    const OccupancyQuestion question{h100(), resources, threads};
    const auto occupancy = theoreticalOccupancy(question);
    EXPECT_EQ(occupancy.blocks_per_sm, 0U);
    EXPECT_EQ(occupancy.limiter, OccupancyLimiter::kImpossible);
    EXPECT_EQ(occupancy.theoretical, 0);
    ASSERT_TRUE(whyImpossible(question));
    EXPECT_NE(whyImpossible(question)->find(why), std::string::npos) << *whyImpossible(question);
    EXPECT_TRUE(resourceBudgets(question).empty());
  }
  EXPECT_FALSE(whyImpossible({h100(), light, 256}));
}

TEST(Occupancy, OfADeviceThatTellsNothingDoesNotDivide) {
  EXPECT_EQ(theoreticalOccupancy({}, {.registers_per_thread = 16}, 32).blocks_per_sm, 0U);
}

TEST(Capabilities, AreThoseFromFermiOnInOrder) {
  const auto all = knownCapabilities();
  ASSERT_GE(all.size(), 25U);
  EXPECT_EQ(all.front().capability, (ComputeCapability{2, 0}));
  EXPECT_EQ(all.back().capability, (ComputeCapability{12, 1}));
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_TRUE(i == 0 || all[i - 1].capability < all[i].capability);
    EXPECT_EQ(all[i].limits.compute_capability, all[i].capability);
    EXPECT_TRUE(std::ranges::is_sorted(all[i].shared_configurations_bytes));
    EXPECT_EQ(all[i].shared_configurations_bytes.back(), all[i].limits.shared_bytes_per_sm);
    EXPECT_EQ(&factsOf(all[i].capability), &all[i]);
  }
  EXPECT_EQ(factsOf({8, 8}).capability, (ComputeCapability{8, 7}));
  EXPECT_EQ(factsOf({13, 0}).capability, (ComputeCapability{12, 1}));
  EXPECT_EQ(factsOf({1, 3}).capability, (ComputeCapability{2, 0}));
}

TEST(Capabilities, AreParsedAsPeopleWriteThem) {
  for (const char* text : {"9.0", "90", "sm_90"}) {
    ASSERT_TRUE(parseCapability(text)) << text;
    EXPECT_EQ(*parseCapability(text), (ComputeCapability{9, 0}));
  }
  EXPECT_EQ(*parseCapability("120"), (ComputeCapability{12, 0}));
  for (const char* text : {"", "9", "9.", ".0", "9.1", "1.3", "nine", "9.0a", "-9.0", "99999999999.0"}) {
    const auto parsed = parseCapability(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().message.find("12.0"), std::string::npos);
  }
}

// The limits that were measured or documented for bundled devices are those of their capability.
TEST(Capabilities, AgreeWithAnH100sOwnLimits) {
  DeviceLimits mine = factsOf({9, 0}).limits;
  const DeviceLimits reported = h100();
  EXPECT_EQ(mine.max_threads_per_sm, reported.max_threads_per_sm);
  EXPECT_EQ(mine.max_blocks_per_sm, reported.max_blocks_per_sm);
  EXPECT_EQ(mine.registers_per_sm, reported.registers_per_sm);
  EXPECT_EQ(mine.registers_per_block, reported.registers_per_block);
  EXPECT_EQ(mine.shared_bytes_per_sm, reported.shared_bytes_per_sm);
  EXPECT_EQ(mine.shared_bytes_per_block_opt_in, reported.shared_bytes_per_block_opt_in);
  EXPECT_EQ(mine.shared_bytes_reserved_per_block, reported.shared_bytes_reserved_per_block);
}

struct PublishedCase {
  ComputeCapability capability;
  uint32_t threads, registers, shared_bytes, blocks;
};

uint32_t blocksOf(const PublishedCase& published) {
  return theoreticalOccupancy(
             factsOf(published.capability).limits,
             {.registers_per_thread = published.registers, .dynamic_shared_bytes = published.shared_bytes},
             published.threads)
      .blocks_per_sm;
}

// Blocks per SM as computed by CUDA_Occupancy_Calculator.xls (its formula with its table "GPU Data", as
// ported by the public calculators xmartlabs/cuda-calculator and fabiodrg/cuda-calculator), for capabilities
// that cuda_occupancy.h of CUDA 13 no longer has, and for 3.0.
TEST(Occupancy, EqualsTheCalculatorsForOldCapabilities) {
  const std::vector<PublishedCase> cases{
      {{2, 0}, 32, 51, 2048, 8},   {{2, 0}, 64, 6, 6144, 8},    {{2, 0}, 64, 40, 1000, 8},
      {{2, 0}, 96, 12, 512, 8},    {{2, 0}, 96, 53, 12000, 4},  {{2, 0}, 96, 56, 1000, 6},
      {{2, 0}, 96, 61, 2048, 5},   {{2, 0}, 128, 1, 16384, 3},  {{2, 0}, 128, 33, 6144, 7},
      {{2, 0}, 128, 33, 8192, 6},  {{2, 0}, 128, 48, 4096, 5},  {{2, 0}, 128, 61, 4096, 4},
      {{2, 0}, 160, 2, 0, 8},      {{2, 0}, 160, 19, 6144, 8},  {{2, 0}, 192, 10, 8192, 6},
      {{2, 0}, 192, 11, 512, 8},   {{2, 0}, 224, 5, 1000, 6},   {{2, 0}, 256, 1, 8192, 6},
      {{2, 0}, 256, 13, 2048, 6},  {{2, 0}, 256, 26, 6144, 4},  {{2, 0}, 256, 31, 1000, 4},
      {{2, 0}, 256, 41, 24576, 2}, {{2, 0}, 256, 63, 0, 2},     {{2, 0}, 288, 14, 2048, 5},
      {{2, 0}, 288, 19, 0, 5},     {{2, 0}, 288, 34, 4096, 3},  {{2, 0}, 320, 34, 8192, 3},
      {{2, 0}, 384, 10, 8192, 4},  {{2, 0}, 384, 17, 12000, 4}, {{2, 0}, 448, 7, 12000, 3},
      {{2, 0}, 448, 50, 1000, 1},  {{2, 0}, 512, 4, 1000, 3},   {{2, 0}, 512, 48, 1000, 1},
      {{2, 0}, 512, 51, 49152, 1}, {{2, 0}, 576, 5, 1000, 2},   {{2, 0}, 576, 8, 6144, 2},
      {{2, 0}, 576, 35, 4096, 1},  {{2, 0}, 640, 58, 24576, 0}, {{2, 0}, 768, 41, 6144, 1},
      {{2, 0}, 768, 43, 4096, 0},  {{2, 0}, 768, 57, 512, 0},   {{2, 0}, 768, 59, 24576, 0},
      {{2, 0}, 768, 63, 8192, 0},  {{2, 0}, 1024, 2, 1000, 1},  {{2, 0}, 1024, 20, 24576, 1},
      {{2, 0}, 1024, 32, 4096, 1}, {{2, 0}, 1024, 33, 0, 0},    {{2, 0}, 1024, 48, 512, 0},
      {{2, 1}, 96, 54, 24576, 2},  {{2, 1}, 128, 58, 512, 4},   {{2, 1}, 160, 17, 512, 8},
      {{2, 1}, 160, 26, 24576, 2}, {{2, 1}, 192, 40, 0, 4},     {{2, 1}, 224, 31, 16384, 3},
      {{2, 1}, 224, 54, 8192, 2},  {{2, 1}, 256, 40, 1000, 3},  {{2, 1}, 384, 6, 49152, 1},
      {{2, 1}, 448, 6, 1000, 3},   {{2, 1}, 448, 31, 0, 2},     {{2, 1}, 512, 62, 1000, 1},
      {{2, 1}, 640, 19, 16384, 2}, {{2, 1}, 640, 19, 49152, 1}, {{2, 1}, 640, 43, 16384, 1},
      {{2, 1}, 640, 52, 49152, 0}, {{2, 1}, 768, 54, 49152, 0}, {{2, 1}, 1024, 62, 0, 0},
      {{3, 0}, 64, 14, 2048, 16},  {{3, 0}, 64, 53, 16384, 3},  {{3, 0}, 64, 62, 24576, 2},
      {{3, 0}, 96, 4, 49152, 1},   {{3, 0}, 96, 11, 8192, 6},   {{3, 0}, 96, 16, 0, 16},
      {{3, 0}, 128, 57, 12000, 4}, {{3, 0}, 160, 4, 49152, 1},  {{3, 0}, 160, 41, 2048, 8},
      {{3, 0}, 192, 8, 4096, 10},  {{3, 0}, 192, 39, 0, 8},     {{3, 0}, 224, 53, 1000, 5},
      {{3, 0}, 256, 48, 0, 5},     {{3, 0}, 288, 13, 49152, 1}, {{3, 0}, 288, 46, 6144, 4},
      {{3, 0}, 288, 57, 512, 3},   {{3, 0}, 384, 5, 24576, 2},  {{3, 0}, 384, 6, 49152, 1},
      {{3, 0}, 384, 27, 1000, 5},  {{3, 0}, 384, 34, 16384, 3}, {{3, 0}, 448, 2, 8192, 4},
      {{3, 0}, 512, 26, 6144, 4},  {{3, 0}, 576, 50, 4096, 2},  {{3, 0}, 640, 24, 2048, 3},
      {{3, 0}, 640, 26, 49152, 1}, {{3, 0}, 640, 46, 0, 2},     {{3, 0}, 768, 11, 24576, 2},
      {{3, 0}, 768, 20, 0, 2},     {{3, 0}, 1024, 9, 12000, 2}, {{3, 0}, 1024, 61, 1000, 1}};
  for (const PublishedCase& published : cases) {
    EXPECT_EQ(blocksOf(published), published.blocks)
        << published.capability.major << "." << published.capability.minor << " block " << published.threads
        << " registers " << published.registers << " shared " << published.shared_bytes;
  }
  std::printf("%zu launches compared with NVIDIA's spreadsheet\n", cases.size());
}

// CUDA C++ Best Practices Guide 13.0, "Calculating Occupancy": on 7.0, 37 registers per thread give 75 % with
// blocks of 128 threads (12 of them), and 63 % with blocks of 320 (four of them).
TEST(Occupancy, EqualsTheBestPracticesGuide) {
  EXPECT_EQ(blocksOf({{7, 0}, 128, 37, 0, 0}), 12U);
  EXPECT_EQ(blocksOf({{7, 0}, 320, 37, 0, 0}), 4U);
}

// Fermi's uneven units (cuda_occupancy.h of CUDA 7.0): 21 registers are 672 per warp, allocated as 768: 42
// warps.
TEST(Occupancy, OfFermisUnevenRegisterUnits) {
  EXPECT_EQ(registersOfWarp(factsOf({2, 0}).rules, 20), 640U);
  EXPECT_EQ(registersOfWarp(factsOf({2, 0}).rules, 21), 768U);
  EXPECT_EQ(registersOfWarp(factsOf({2, 0}).rules, 23), 768U);
  EXPECT_EQ(registersOfWarp(factsOf({2, 0}).rules, 37), 1280U);
  EXPECT_EQ(registersOfWarp(factsOf({2, 0}).rules, 39), 1280U);
  EXPECT_EQ(registersOfWarp(factsOf({3, 0}).rules, 37), 1280U);
  // The 21st register costs a block, although 704 registers would have left room for it.
  EXPECT_EQ(blocksOf({{2, 0}, 256, 20, 0, 0}), 6U);
  EXPECT_EQ(blocksOf({{2, 0}, 256, 21, 0, 0}), 5U);
  EXPECT_EQ(blocksOf({{2, 0}, 64, 46, 0, 0}), 8U);
}

// The limit that web calculators forget: registers per block.
TEST(Occupancy, OfBlocksWithTooManyRegisters) {
  EXPECT_EQ(blocksOf({{5, 3}, 1024, 40, 0, 0}), 0U);
  EXPECT_EQ(blocksOf({{5, 3}, 512, 64, 0, 0}), 2U);
  EXPECT_EQ(blocksOf({{5, 2}, 1024, 40, 0, 0}), 1U);
  EXPECT_EQ(blocksOf({{3, 7}, 512, 128, 0, 0}), 2U);
  // GP100 has two sub-partitions, but refuses what four could not hold.
  EXPECT_EQ(blocksOf({{6, 0}, 288, 224, 0, 0}), 0U);
}

#ifdef WARPSCOPE_HAS_CUDA_OCCUPANCY
cudaOccDeviceProp propertiesOf(const DeviceLimits& limits) {
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
  properties.numSms = 132;
  properties.sharedMemPerBlockOptin = limits.shared_bytes_per_block_opt_in;
  properties.reservedSharedMemPerBlock = limits.shared_bytes_reserved_per_block;
  return properties;
}

cudaOccFuncAttributes attributesOf(const DeviceLimits& limits, const KernelResources& resources) {
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = static_cast<int>(limits.max_threads_per_block);
  attributes.numRegs = static_cast<int>(resources.registers_per_thread);
  attributes.sharedSizeBytes = resources.static_shared_bytes;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = resources.dynamic_shared_bytes;
  attributes.numBlockBarriers = static_cast<int>(resources.barriers_per_block);
  return attributes;
}

// `percent` is the carve-out; absent: the default.
uint32_t toolkitBlocks(const OccupancyQuestion& question, std::optional<uint32_t> percent) {
  const cudaOccDeviceProp properties = propertiesOf(question.limits);
  cudaOccFuncAttributes attributes = attributesOf(question.limits, question.resources);
  if (question.cached_loads) attributes.partitionedGCConfig = PARTITIONED_GC_ON;
  cudaOccDeviceState state;
  if (percent) state.carveoutConfig = static_cast<int>(*percent);
  cudaOccResult result{};
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &attributes, &state, static_cast<int>(question.block_threads),
      question.resources.dynamic_shared_bytes);
  EXPECT_EQ(error, CUDA_OCC_SUCCESS);
  return static_cast<uint32_t>(result.activeBlocksPerMultiprocessor);
}
#endif

// Every capability in the header; every register count; blocks of whole and partial warps; static and dynamic
// shared memory around each limit; carve-outs from 7.0 on; barriers.
TEST(Occupancy, EqualsTheToolkitsOverAFullSweep) {
#ifndef WARPSCOPE_HAS_CUDA_OCCUPANCY
  GTEST_SKIP() << "the CUDA toolkit's cuda_occupancy.h is not here";
#else
  const std::vector<std::pair<uint32_t, uint32_t> > shared_bytes{
      {0, 0},         {1, 0},      {1024, 0},        {4224, 0},      {33 * 1024, 0},
      {48 * 1024, 0}, {0, 20'000}, {512, 63 * 1024}, {0, 99 * 1024}, {0, 227 * 1024}};
  constexpr std::array<std::optional<uint32_t>, 5> kCarveOuts{std::nullopt, 0, 25, 50, 100};
  size_t compared = 0, different = 0, capabilities = 0, not_covered = 0;
  for (const CapabilityFacts& facts : knownCapabilities()) {
    if (facts.capability.major < 3) {  // see EqualsTheCalculatorsForOldCapabilities
      ++not_covered;
      continue;
    }
    ++capabilities;
    for (const auto& [static_bytes, dynamic_bytes] : shared_bytes) {
      for (uint32_t threads = 16; threads <= 1024; threads += 16) {
        for (uint32_t registers = 0; registers <= facts.rules.max_registers_per_thread; ++registers) {
          const uint32_t barriers = registers % 17;  // all numbers from 0 to 16 occur
          const auto& carve_out =
              kCarveOuts[facts.capability.major >= 7 ? (registers + threads / 16) % 5 : 0];
          OccupancyQuestion question{
              facts.limits, {registers, static_bytes, dynamic_bytes, 0, barriers}, threads};
          if (carve_out) question.shared_configuration_bytes = sharedConfiguration(facts.limits, *carve_out);
          const uint32_t ours = theoreticalOccupancy(question).blocks_per_sm;
          const uint32_t theirs = toolkitBlocks(question, carve_out);
          ++compared;
          if (ours != theirs && different++ < 5) {
            ADD_FAILURE() << "cc " << facts.capability.major << "." << facts.capability.minor << " block "
                          << threads << " registers " << registers << " shared " << static_bytes << "+"
                          << dynamic_bytes << " barriers " << barriers << " carve-out "
                          << carve_out.value_or(999) << ": " << ours << " blocks, the toolkit says "
                          << theirs;
          }
        }
      }
    }
  }
  EXPECT_EQ(different, 0U);
  EXPECT_EQ(not_covered, 2U);
  std::printf(
      "%zu launches on %zu capabilities compared with cuda_occupancy.h; %zu capabilities are not in it\n",
      compared, capabilities, not_covered);
#endif
}

// On all capabilities: if there is one L1 for the whole SM, it makes no difference.
TEST(Occupancy, EqualsTheToolkitsWithCachedGlobalLoads) {
#ifndef WARPSCOPE_HAS_CUDA_OCCUPANCY
  GTEST_SKIP() << "the CUDA toolkit's cuda_occupancy.h is not here";
#else
  size_t compared = 0, different = 0, changed = 0;
  for (const CapabilityFacts& facts : knownCapabilities()) {
    if (facts.capability.major < 3) continue;
    for (const uint32_t shared_bytes : {0U, 1024U, 20'000U}) {
      for (uint32_t threads = 16; threads <= 1024; threads += 16) {
        for (uint32_t registers = 0; registers <= facts.rules.max_registers_per_thread; ++registers) {
          OccupancyQuestion question{facts.limits, {registers, shared_bytes, 0, 0, 1}, threads};
          const uint32_t uncached = theoreticalOccupancy(question).blocks_per_sm;
          question.cached_loads = true;
          const uint32_t ours = theoreticalOccupancy(question).blocks_per_sm;
          ++compared;
          changed += ours != uncached ? 1U : 0U;
          if (const uint32_t theirs = toolkitBlocks(question, std::nullopt);
              ours != theirs && different++ < 5) {
            ADD_FAILURE() << "cc " << facts.capability.major << "." << facts.capability.minor << " block "
                          << threads << " registers " << registers << " shared " << shared_bytes << ": "
                          << ours << " blocks, the toolkit says " << theirs;
          }
        }
      }
    }
  }
  EXPECT_EQ(different, 0U);
  EXPECT_GT(changed, 1000U);
  std::printf("%zu launches with cached global loads compared with cuda_occupancy.h; %zu hold fewer blocks\n",
              compared, changed);
#endif
}

// If a half has too few registers for a block, the hardware does not cache.
TEST(Occupancy, OfBlocksInHalvesOfAnSm) {
  OccupancyQuestion question{factsOf({5, 2}).limits, {32, 0, 0, 0, 1}, 352};  // 11 warps
  EXPECT_EQ(theoreticalOccupancy(question).blocks_per_sm, 5U);                // 55 of 64
  question.cached_loads = true;
  EXPECT_EQ(theoreticalOccupancy(question).blocks_per_sm, 4U);  // two of 11 in each 32
  EXPECT_EQ(theoreticalOccupancy(question).blocks_by_registers, 4U);
  question.resources.registers_per_thread = 64;
  question.block_threads = 1024;  // the registers of 16 warps fit in a half, those of 32 in the whole SM
  EXPECT_EQ(theoreticalOccupancy(question).blocks_per_sm, 1U);
  question.limits = factsOf({9, 0}).limits;
  question.block_threads = 352;
  question.resources.registers_per_thread = 32;
  EXPECT_EQ(theoreticalOccupancy(question).blocks_per_sm, 5U);
}

TEST(Occupancy, SuggestsTheToolkitsBlockSize) {
#ifndef WARPSCOPE_HAS_CUDA_OCCUPANCY
  GTEST_SKIP() << "the CUDA toolkit's cuda_occupancy.h is not here";
#else
  size_t compared = 0;
  for (const CapabilityFacts& facts : knownCapabilities()) {
    if (facts.capability.major < 3) continue;
    for (const uint32_t dynamic_bytes : {0U, 1000U, 20'000U, 48U * 1024}) {
      for (uint32_t registers = 1; registers <= facts.rules.max_registers_per_thread; ++registers) {
        DeviceLimits limits = facts.limits;
        limits.sm_count = 132;
        const KernelResources resources{registers, 0, dynamic_bytes, 0, 1};
        const PotentialBlockSize ours = potentialBlockSize({limits, resources, 0});
        const cudaOccDeviceProp properties = propertiesOf(limits);
        const cudaOccFuncAttributes attributes = attributesOf(limits, resources);
        const cudaOccDeviceState state;
        int grid = 0, block = 0;
        ASSERT_EQ(cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &properties, &attributes, &state,
                                                        nullptr, dynamic_bytes),
                  CUDA_OCC_SUCCESS);
        EXPECT_EQ(ours.block_threads, static_cast<uint32_t>(block)) << registers;
        EXPECT_EQ(ours.least_grid, static_cast<uint64_t>(grid)) << registers;
        ++compared;
      }
    }
  }
  std::printf("%zu block sizes compared with cudaOccMaxPotentialOccupancyBlockSize\n", compared);
#endif
}

}  // namespace
}  // namespace warpscope
