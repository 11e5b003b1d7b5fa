// Checks the exact limits on the number of resident blocks, and that as many are resident as theory says,
// once a launch has enough of them.
#include <algorithm>
#include <map>
#include <set>
#include <stop_token>

#include "kernels/device/device.h"
#include "kernels/experiments/occupancy/shape.h"
#include "kernels/metrics/metrics.h"
#include "tests/device/device_fixture.h"

namespace warpscope::test {
namespace {

using Occupancies = DeviceTest;

struct Limit {
  uint32_t blocks = 0;
  OccupancyLimiter limiter = OccupancyLimiter::kWarps;
};

void expectOccupancy(const Run& run, const Limit& expected) {
  EXPECT_TRUE(run.verification.passed) << run.verification.detail;
  EXPECT_EQ(run.occupancy.blocks_per_sm, expected.blocks);
  EXPECT_EQ(run.occupancy.limiter, expected.limiter);
}

Run runSmall(const char* variant, ParameterValues parameters) {
  parameters.insert({"size", 1 << 12});
  return runRecorded("occupancy", variant, std::move(parameters));
}

TEST_F(Occupancies, OfRegistersByBuild) {
  const std::vector<Limit> by_build = {{8, OccupancyLimiter::kWarps},
                                       {4, OccupancyLimiter::kRegisters},
                                       {2, OccupancyLimiter::kRegisters},
                                       {1, OccupancyLimiter::kRegisters}};
  for (uint32_t build = 0; build < occupancy::kBuilds; ++build) {
    SCOPED_TRACE(occupancy::kMostRegisters[build]);
    const auto run = runSmall("registers", {{"registers", build}});
    expectOccupancy(run, by_build[build]);
    // Registers are allocated in eights: the result is the same as on an H100, where ptxas uses 32, 64, 128,
    // 254.
    EXPECT_LE(run.resources.registers_per_thread, occupancy::kMostRegisters[build]);
    EXPECT_GT(run.resources.registers_per_thread, occupancy::kMostRegisters[build] - 17);
  }
}

TEST_F(Occupancies, ABlockOfTooManyRegistersIsRefusedWithTheReason) {
  const auto result = sharedDevice().executor->run(
      {.family = "occupancy",
       .variant = "registers",
       .parameters = {{"registers", 3}, {"block", 512}, {"size", 1000}}},
      [](const Progress&) {}, std::stop_token{});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::kBadRequest);
  EXPECT_NE(result.error().message.find("allows 65536: choose a smaller block"), std::string::npos)
      << result.error().message;
}

TEST_F(Occupancies, OfSharedMemoryByBytes) {
  const std::map<int64_t, Limit> by_kib = {
      {0, {8, OccupancyLimiter::kWarps}},          {27, {8, OccupancyLimiter::kWarps}},
      {28, {7, OccupancyLimiter::kSharedMemory}},  {48, {4, OccupancyLimiter::kSharedMemory}},
      {56, {4, OccupancyLimiter::kSharedMemory}},  {113, {2, OccupancyLimiter::kSharedMemory}},
      {114, {1, OccupancyLimiter::kSharedMemory}}, {227, {1, OccupancyLimiter::kSharedMemory}}};
  for (const auto& [kib, expected] : by_kib) {
    SCOPED_TRACE(kib);
    expectOccupancy(runSmall("shared_bytes", {{"shared_bytes", kib * 1024}}), expected);
  }
}

TEST_F(Occupancies, OfSmallBlocksByTheirPlaces) {
  const auto one_warp = runSmall("small_blocks", {{"small_block", 32}});
  expectOccupancy(one_warp, {32, OccupancyLimiter::kBlocks});
  EXPECT_DOUBLE_EQ(one_warp.occupancy.theoretical, 0.5);
  expectOccupancy(runSmall("small_blocks", {{"small_block", 64}}), {32, OccupancyLimiter::kWarps});
  expectOccupancy(runSmall("small_blocks", {{"small_block", 96}}), {21, OccupancyLimiter::kWarps});
}

std::map<uint32_t, std::set<uint32_t>> blocksBySm(const Run& run) {
  std::map<uint32_t, std::set<uint32_t>> blocks;
  for (const TraceWarp& warp : run.trace.warps) blocks[warp.sm.value].insert(warp.block.value);
  return blocks;
}

// Every SM has the same number of slots; the blocks left over after the full waves go to some of them.
TEST_F(Occupancies, AGridOfSomeTenthsOfAWaveComesInWaves) {
  const uint32_t sms = 132;
  for (const uint32_t places : {1U, 2U}) {
    for (const uint32_t tenths : {5U, 10U, 11U, 15U, 20U}) {
      SCOPED_TRACE(fmt::format("{} places, {} tenths", places, tenths));
      const auto run = runRecorded(
          "occupancy", "tail", {{"block", 64}, {"blocks_per_sm", places}, {"waves", tenths}, {"hops", 32}});
      ASSERT_TRUE(run.verification.passed) << run.verification.detail;
      EXPECT_EQ(run.occupancy.blocks_per_sm, places);
      EXPECT_EQ(run.grid.x, (sms * places * tenths + 5) / 10);
      const auto blocks = blocksBySm(run);
      size_t most = 0, all = 0;
      for (const auto& [sm, mine] : blocks) {
        most = std::max(most, mine.size());
        all += mine.size();
      }
      EXPECT_EQ(all, run.grid.x);
      EXPECT_EQ((most + places - 1) / places, (tenths + 9) / 10) << "waves";
      uint32_t resident = 0;
      for (const Residency& step : residency(run.trace, SmId{0})) resident = std::max(resident, step.blocks);
      EXPECT_EQ(resident, std::min<uint32_t>(places, static_cast<uint32_t>(blocks.at(0).size())));
    }
  }
}

TEST_F(Occupancies, AnElevenTenthsWaveTakesAsLongAsTwo) {
  const auto cycles = [](int64_t tenths) {
    return counter(runRecorded("occupancy", "tail", {{"waves", tenths}, {"hops", 64}}),
                   "sm__cycles_elapsed.max");
  };
  const double one = cycles(10), little_more = cycles(11), two = cycles(20);
  EXPECT_NEAR(little_more, two, 0.05 * two);
  EXPECT_LT(one, 0.75 * two);
}

// One SM that is soon full, and many waves: the mean residency is close to the possible one.
TEST_F(Occupancies, ManyFullWavesAchieveTheTheoreticalOccupancy) {
  auto backend = openBackend("sim:teaching");
  ASSERT_TRUE(backend.has_value()) << backend.error().message;
  Executor executor(*backend);
  for (const int64_t kib : {0, 7, 15}) {
    SCOPED_TRACE(kib);
    RunRequest request{
        .family = "occupancy",
        .variant = "shared_bytes",
        .parameters = {{"block", 128}, {"size", 128 * 64}, {"hops", 64}, {"shared_bytes", kib * 1024}}};
    request.sampling.mode = Sampling::Mode::kAll;
    const auto run = executor.run(
        request, [](const Progress&) {}, std::stop_token{});
    ASSERT_TRUE(run.has_value()) << run.error().message;
    const auto achieved = achievedOccupancy(*run);
    ASSERT_TRUE(achieved.has_value());
    EXPECT_LE(*achieved, run->occupancy.theoretical);
    EXPECT_GT(*achieved, 0.9 * run->occupancy.theoretical);
  }
}

// More loads in flight per thread are worth more than the warps that no longer fit.
TEST_F(Occupancies, HighOccupancyIsNotSpeed) {
  const auto run_of = [](int64_t build) {
    return runOnDevice({.family = "occupancy",
                        .variant = "registers",
                        .parameters = {{"registers", build}, {"size", 1 << 21}, {"steps", 4}}});
  };
  const auto many_warps = run_of(0), many_registers = run_of(2);
  EXPECT_GT(many_warps.occupancy.theoretical, 3 * many_registers.occupancy.theoretical);
  EXPECT_GT(many_registers.bandwidth.gb_per_s, 0.8 * many_warps.bandwidth.gb_per_s);
}

}  // namespace
}  // namespace warpscope::test
