// Compares the simulated GPU's counters with the exact theory of each access pattern: the wavefronts of a
// read from shared memory, and the sectors that a load from global memory touches.
#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "kernels/experiments/random_index.h"
#include "tests/device/device_fixture.h"

namespace warpscope::test {
namespace {

using Banks = DeviceTest;

constexpr uint32_t kThreads = 1 << 10;
constexpr uint32_t kReads = 12;
constexpr double kWarpReads = kThreads / 32.0 * kReads;

struct SharedCosts {
  double wavefronts = 0, conflicts = 0;  // per read of a warp
  friend bool operator==(const SharedCosts&, const SharedCosts&) = default;
};
void PrintTo(const SharedCosts& costs, std::ostream* out) {
  *out << costs.wavefronts << " wavefronts, " << costs.conflicts << " conflicts";
}

SharedCosts sharedCosts(const char* variant, ParameterValues parameters) {
  parameters.insert({{"size", kThreads}, {"reads", kReads}, {"block", 128}});
  const Run run = runRecorded("banks", variant, std::move(parameters));
  EXPECT_EQ(counter(run, "smsp__inst_executed_op_shared_ld.sum"), kWarpReads);
  EXPECT_EQ(counter(run, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"), 0)
      << "filling conflicts";
  return {counter(run, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum") / kWarpReads,
          counter(run, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum") / kWarpReads};
}

// Lanes are served in groups whose elements fill the 32 banks: `turns` groups per warp, in each of which
// gcd(stride, lanes) lanes share a bank.
SharedCosts expectedCosts(uint32_t stride, uint32_t turns) {
  const uint32_t degree = std::gcd(stride, 32 / turns);
  return {static_cast<double>(turns * degree), static_cast<double>(turns * (degree - 1))};
}

TEST_F(Banks, WordsAStrideApartConflictByTheirGreatestCommonDivisorWith32) {
  for (uint32_t stride = 1; stride <= 33; ++stride) {
    EXPECT_EQ(sharedCosts("stride", {{"stride", stride}}), expectedCosts(stride, 1)) << "stride " << stride;
  }
}

TEST_F(Banks, WiderElementsGoInHalvesAndQuartersOfAWarp) {
  for (const uint32_t stride : {1U, 2U, 3U, 4U, 6U, 8U, 16U, 24U, 32U, 33U}) {
    SCOPED_TRACE(stride);
    EXPECT_EQ(sharedCosts("stride_vec2", {{"stride", stride}}), expectedCosts(stride, 2));
    EXPECT_EQ(sharedCosts("stride_vec4", {{"stride", stride}}), expectedCosts(stride, 4));
  }
}

TEST_F(Banks, ABroadcastTakesOneTurn) {
  EXPECT_EQ(sharedCosts("broadcast", {}), (SharedCosts{1, 0}));
}

TEST_F(Banks, RandomWordsWaitForTheFullestBank) {
  double wavefronts = 0;
  for (uint32_t warp = 0; warp < kThreads / 32; ++warp) {
    for (uint32_t read = 0; read < kReads; ++read) {
      std::array<std::set<uint32_t>, 32> words;
      for (uint32_t lane = 0; lane < 32; ++lane) {
        const uint32_t word = randomIndex(warp % 4 * 32 + lane + 1024 * read, 1024);
        words[word % 32].insert(word);
      }
      size_t fullest = 0;
      for (const auto& bank : words) fullest = std::max(fullest, bank.size());
      wavefronts += static_cast<double>(fullest);
    }
  }
  const SharedCosts costs = sharedCosts("random", {});
  EXPECT_EQ(costs.wavefronts, wavefronts / kWarpReads);
  EXPECT_EQ(costs.conflicts, wavefronts / kWarpReads - 1);
  EXPECT_GT(costs.wavefronts, 3);
  EXPECT_LT(costs.wavefronts, 4);
}

TEST_F(Banks, ConflictsCostTimeAndBroadcastsDoNot) {
  const auto cycles = [](const char* variant, ParameterValues parameters) {
    parameters.insert({{"size", 1 << 14}, {"reads", 64}});
    return counter(runRecorded("banks", variant, std::move(parameters)), "sm__cycles_elapsed.max");
  };
  const double free = cycles("stride", {{"stride", 1}});
  EXPECT_EQ(cycles("stride", {{"stride", 33}}), free);
  EXPECT_GT(cycles("stride", {{"stride", 32}}), 2 * free);
  EXPECT_NEAR(cycles("broadcast", {}), free, 0.01 * free);  // its address arithmetic differs a little
  // The cost of each further read, since the kernels differ in what precedes the reads.
  const auto more = [&](const char* variant, const ParameterValues& pattern) {
    ParameterValues few = pattern;
    few["reads"] = 32;
    return cycles(variant, pattern) - cycles(variant, few);
  };
  // In both, all lanes access one bank: 32 words there, or a single one.
  EXPECT_LT(4 * more("broadcast", {}), more("stride", {{"stride", 32}}));
}

using Coalescing = DeviceTest;

constexpr uint32_t kElements = 1 << 12;

Run runCoalescing(const char* variant, ParameterValues parameters = {}) {
  parameters.insert({"size", kElements});
  return runRecorded("coalescing", variant, std::move(parameters));
}

struct GlobalCosts {
  double requests = 0, sectors = 0;  // of all loads; per load
  friend bool operator==(const GlobalCosts&, const GlobalCosts&) = default;
};
void PrintTo(const GlobalCosts& costs, std::ostream* out) {
  *out << costs.requests << " requests of " << costs.sectors << " sectors";
}

GlobalCosts loadCosts(const Run& run) {
  const double requests = counter(run, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
  return {requests, counter(run, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") / requests};
}

TEST_F(Coalescing, EveryVariantTouchesTheSectorsThatItsAddressesSay) {
  constexpr double kWarps = kElements / 32.0;
  const std::vector<std::pair<const char*, GlobalCosts>> expected = {
      {"aligned", {kWarps, 4}}, {"permuted", {kWarps, 4}}, {"soa", {kWarps, 4}},
      {"aos", {kWarps, 16}},    {"vec2", {kWarps / 2, 8}}, {"vec4", {kWarps / 4, 16}}};
  for (const auto& [variant, costs] : expected) {
    const auto run = runCoalescing(variant);
    EXPECT_EQ(loadCosts(run), costs) << variant;
    EXPECT_EQ(loadCosts(runCoalescing(variant, {{"l1", 1}})), costs) << variant << " past L1";
    // All variants write their output in order, and nothing else.
    EXPECT_EQ(counter(run, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"), kElements / 8) << variant;
  }
}

TEST_F(Coalescing, AnOffsetCostsAFifthSectorUnlessItIsWholeSectors) {
  for (int64_t offset = -2; offset <= 31; ++offset) {
    const double sectors = offset % 8 == 0 ? 4 : 5;
    EXPECT_EQ(loadCosts(runCoalescing("offset", {{"offset", offset}})).sectors, sectors)
        << "offset " << offset;
  }
}

TEST_F(Coalescing, AStrideCostsFourSectorsMoreEachUntilEveryLaneHasItsOwn) {
  for (int64_t stride = 1; stride <= 32; ++stride) {
    // Columns of whole warps.
    const auto run = runCoalescing("stride", {{"stride", stride}, {"size", 128 * stride}});
    EXPECT_EQ(loadCosts(run).sectors, 4 * std::min<double>(static_cast<double>(stride), 8))
        << "stride " << stride;
  }
}

TEST_F(Coalescing, RandomLoadsTouchTheSectorsOfTheirElements) {
  double sectors = 0;
  for (uint32_t warp = 0; warp < kElements / 32; ++warp) {
    std::set<uint32_t> touched;
    for (uint32_t lane = 0; lane < 32; ++lane) touched.insert(randomIndex(warp * 32 + lane, kElements) / 8);
    sectors += static_cast<double>(touched.size());
  }
  const GlobalCosts costs = loadCosts(runCoalescing("random"));
  EXPECT_EQ(costs.sectors, sectors / (kElements / 32.0));
  EXPECT_GT(costs.sectors, 29);
}

TEST_F(Coalescing, PastL1EverySectorOfEveryRequestComesFromL2) {
  static constexpr int64_t kMany = 1 << 17;
  const auto read_from_l2 = [](const char* variant, int64_t past_l1) {
    return counter(runCoalescing(variant, {{"l1", past_l1}, {"size", kMany}}), "lts__t_sectors_op_read.sum");
  };
  // Half of the sectors are at home in the other partition of L2, where the first read of each is looked up,
  // too. A hash sends each 512 bytes to one or the other: of 1,024 such pieces half, give or take 1.6 %.
  constexpr double kSectors = kMany / 8.0;
  const auto expect_reads = [&](const char* variant, int64_t past_l1, double requested) {
    EXPECT_NEAR(read_from_l2(variant, past_l1), requested + kSectors / 2, kSectors / 20)
        << variant << " " << past_l1;
  };
  for (const int64_t past_l1 : {0, 1}) {
    expect_reads("aligned", past_l1, kSectors);
    expect_reads("vec4", past_l1, kSectors);
  }
  expect_reads("aos", 0, kSectors);
  expect_reads("aos", 1, 4 * kSectors);  // each of four loads brings a record's sector again
  EXPECT_LT(read_from_l2("offset", 0), 1.25 * kSectors + kSectors / 2)
      << "the fifth sector is the next warp's first";
  expect_reads("offset", 1, 1.25 * kSectors);
}

}  // namespace
}  // namespace warpscope::test
