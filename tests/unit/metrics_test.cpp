// Metrics, on traces small enough to work out by hand.
#include "kernels/metrics/metrics.h"

#include <gtest/gtest.h>

#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

constexpr RegionId kBody{0}, kStep{1};
constexpr LaneMask kEven{0x55555555U}, kOdd{0xAAAAAAAAU};

// One block of warps, each 100 cycles long, with the events given.
Run runOf(std::vector<std::vector<TraceEvent>> warps, LaneMask live = kFullMask) {
  Run run;
  run.grid = {1, 1, 1};
  run.block = {static_cast<uint32_t>(warps.size()) * kWarpSize, 1, 1};
  run.occupancy.max_warps_per_sm = 64;
  run.regions = {{kBody, "body", 12, 14}, {kStep, "step", 11, 11}};
  uint32_t index = 0;
  for (auto& events : warps) {
    TraceWarp warp;
    warp.warp_in_block = index++;
    warp.live = live;
    warp.begin_cycles = 0;
    warp.end_cycles = 100;
    warp.first_event = static_cast<uint32_t>(run.trace.events.size());
    warp.event_count = static_cast<uint32_t>(events.size());
    run.trace.events.insert(run.trace.events.end(), events.begin(), events.end());
    run.trace.warps.push_back(warp);
  }
  return run;
}

TEST(RegionMetrics, AddUpSpansLanesAndLosses) {
  const warpscope::Run run =
      runOf({{{10, kFullMask, kStep}, {20, kEven, kBody}, {50, kOdd, kBody}, {90, kFullMask, kExitRegion}}});
  const auto metrics = regionMetrics(run);
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_EQ(metrics[0].name, "body");
  EXPECT_EQ(metrics[0].line, 12U);
  EXPECT_EQ(metrics[0].spans, 2U);
  EXPECT_EQ(metrics[0].divergent_spans, 2U);
  EXPECT_EQ(metrics[0].cycles, 70);
  EXPECT_DOUBLE_EQ(metrics[0].share, 0.7);
  EXPECT_DOUBLE_EQ(metrics[0].mean_active_lanes, 16);
  EXPECT_EQ(metrics[0].lost_lane_cycles, 70 * 16);
  EXPECT_EQ(metrics[1].spans, 1U);
  EXPECT_EQ(metrics[1].divergent_spans, 0U);
  EXPECT_EQ(metrics[1].lost_lane_cycles, 0);
}

TEST(RegionMetrics, LanesThatNeverExistedAreNotLostAndThoseThatLeftDoNotDiverge) {
  // 16 lanes exist; 8 of them exit.
  const LaneMask live{0xFFFFU}, leaving{0xFF00U}, staying{0x00FFU};
  const warpscope::Run run = runOf(
      {{{0, live, kStep}, {20, leaving, kExitRegion}, {30, staying, kBody}, {80, staying, kExitRegion}}},
      live);
  const auto metrics = regionMetrics(run);
  EXPECT_EQ(metrics[1].lost_lane_cycles, 0);
  EXPECT_EQ(metrics[0].divergent_spans, 0U);
  EXPECT_EQ(metrics[0].lost_lane_cycles, 50 * 8);
}

TEST(LaneCycles, EveryLaneCycleIsCountedOnce) {
  const LaneMask live{0xFFFFU}, leaving{0xFF00U}, staying{0x00FFU};
  const warpscope::Run run = runOf(
      {{{10, live, kStep}, {20, leaving, kExitRegion}, {30, staying, kBody}, {80, staying, kExitRegion}}},
      live);
  const LaneCycles lanes = laneCycles(run.trace, run.trace.warps[0]);
  EXPECT_EQ(lanes.never_existed, 100 * 16);
  EXPECT_EQ(lanes.executing, 10 * 16 + 10 * 16 + 50 * 8);
  EXPECT_EQ(lanes.waiting, 10 * 8);
  EXPECT_EQ(lanes.exited, 10 * 8 + 50 * 8 + 20 * 16);
  EXPECT_EQ(lanes.executing + lanes.waiting + lanes.exited + lanes.never_existed, 100 * kWarpSize);
}

TEST(LaneCycles, OfAWholeTraceIsTheSum) {
  const auto made = testing::makeSyntheticTrace();
  int64_t all = 0;
  for (const TraceWarp& warp : made.truth.warps) all += (warp.end_cycles - warp.begin_cycles) * kWarpSize;
  const LaneCycles lanes = laneCycles(made.truth);
  EXPECT_EQ(lanes.executing + lanes.waiting + lanes.exited + lanes.never_existed, all);
  EXPECT_GT(lanes.waiting, 0);
  EXPECT_GT(lanes.exited, 0);
}

// A tree reduction of `threads`: at step s the threads for which `active` holds execute the body.
template <class Active>
Run reductionOf(int threads, Active&& active) {
  std::vector<std::vector<TraceEvent>> warps;
  for (int first = 0; first < threads; first += kWarpSize) {
    std::vector<TraceEvent> events;
    int64_t clock = 0;
    for (int stride = 1; stride < threads; stride *= 2) {
      events.push_back({++clock, kFullMask, kStep});
      LaneMask mask;
      for (int lane = 0; lane < kWarpSize; ++lane) {
        if (active(first + lane, stride)) mask.bits |= 1U << lane;
      }
      if (!mask.empty()) events.push_back({++clock, mask, kBody});
    }
    warps.push_back(events);
  }
  return runOf(warps);
}

TEST(DivergentWarpsPerStep, OfNeighboredAndInterleavedReductions) {
  const warpscope::Run neighbored =
      reductionOf(512, [](int thread, int stride) { return thread % (2 * stride) == 0; });
  EXPECT_EQ(divergentWarpsPerStep(neighbored.trace, BlockId{0}, kStep, kBody),
            (std::vector<uint32_t>{16, 16, 16, 16, 16, 8, 4, 2, 1}));
  const warpscope::Run interleaved =
      reductionOf(512, [](int thread, int stride) { return thread < 512 / (2 * stride); });
  EXPECT_EQ(divergentWarpsPerStep(interleaved.trace, BlockId{0}, kStep, kBody),
            (std::vector<uint32_t>{0, 0, 0, 0, 1, 1, 1, 1, 1}));
  EXPECT_TRUE(divergentWarpsPerStep(interleaved.trace, BlockId{7}, kStep, kBody).empty());
}

TEST(DivergentWarpsPerStep, LanesMayPassTheStepApart) {
  // The two halves pass each step one after another; their bodies belong to the same trip.
  const warpscope::Run run = runOf({{{1, kEven, kStep},
                                     {2, kEven, kBody},
                                     {3, kOdd, kStep},
                                     {4, kOdd, kBody},
                                     {5, kFullMask, kStep},
                                     {6, kFullMask, kBody}}});
  EXPECT_EQ(divergentWarpsPerStep(run.trace, BlockId{0}, kStep, kBody), (std::vector<uint32_t>{1, 0}));
}

Run staggered() {
  Run run;
  run.occupancy.max_warps_per_sm = 4;
  const auto add = [&](uint32_t sm, uint32_t block, uint32_t warp, int64_t begin, int64_t end) {
    TraceWarp entry;
    entry.sm = {sm};
    entry.block = {block};
    entry.warp_in_block = warp;
    entry.live = kFullMask;
    entry.begin_cycles = begin;
    entry.end_cycles = end;
    run.trace.warps.push_back(entry);
  };
  add(0, 0, 0, 0, 100);
  add(0, 0, 1, 10, 60);
  add(0, 2, 0, 50, 200);
  add(1, 1, 0, 0, 500);
  run.grid = {100, 1, 1};
  run.block = {64, 1, 1};
  return run;
}

TEST(ResidencyOverTime, CountsBlocksAndWarps) {
  const warpscope::Run run = staggered();
  const auto steps = residency(run.trace, SmId{0});
  const std::vector<std::array<int64_t, 3>> expected{{0, 1, 1},  {10, 1, 2},  {50, 2, 3},
                                                     {60, 2, 2}, {100, 1, 1}, {200, 0, 0}};
  ASSERT_EQ(steps.size(), expected.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(steps[i].cycles, expected[i][0]);
    EXPECT_EQ(steps[i].blocks, expected[i][1]);
    EXPECT_EQ(steps[i].warps, expected[i][2]);
  }
  EXPECT_TRUE(residency(run.trace, SmId{9}).empty());
}

TEST(AchievedOccupancy, IsOfTheSmsThatWereRecordedWhole) {
  warpscope::Run run = staggered();
  EXPECT_FALSE(achievedOccupancy(run).has_value());
  run.request.sampling = {.mode = Sampling::Mode::kExplicit, .first_blocks = 1, .sms = 1};
  // SM 0: 100 + 50 + 150 warp-cycles in 200 cycles, with room for 4 warps.
  ASSERT_TRUE(achievedOccupancy(run).has_value());
  EXPECT_DOUBLE_EQ(*achievedOccupancy(run), 300.0 / 200 / 4);
  // Slots ran out when the last recorded warp began, in cycle 50: 10 cycles of one warp, 40 of two.
  run.trace.unrecorded_warps = 1;
  run.trace.duration_cycles = 102;
  EXPECT_FALSE(achievedOccupancy(run).has_value()) << "the recorded part is less than half of the launch";
  run.trace.duration_cycles = 100;
  ASSERT_TRUE(achievedOccupancy(run).has_value());
  EXPECT_DOUBLE_EQ(*achievedOccupancy(run), 90.0 / 50 / 4);
}

}  // namespace
}  // namespace warpscope
