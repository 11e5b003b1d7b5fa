// The layout of a warp's lanes over time, folded or not.
#include "viz/layout/lanes_layout.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

Run warpThatDiverges() {
  warpscope::Run run;
  run.regions = {{RegionId{0}, "even", 1, 1}, {RegionId{1}, "odd", 2, 2}};
  // 24 lanes; even ones run first, then odd ones; lanes 0 to 7 exit at 30.
  run.trace.events = {{0, LaneMask{0x555555}, RegionId{0}},
                      {10, LaneMask{0xAAAAAA}, RegionId{1}},
                      {30, LaneMask{0x0000FF}, kExitRegion},
                      {30, LaneMask{0xFFFF00}, RegionId{0}}};
  run.trace.warps.push_back({.live = LaneMask{0xFFFFFF}, .end_cycles = 40, .event_count = 4});
  run.trace.duration_cycles = 40;
  return run;
}

LaneState stateAt(const std::vector<LaneItem>& items, int lane, int64_t cycle) {
  for (const LaneItem& item : items) {
    if (item.contains(lane) && item.begin <= cycle && cycle < item.end) return item.state;
  }
  ADD_FAILURE() << "nothing at lane " << lane << ", cycle " << cycle;
  return LaneState::kUnmarked;
}

std::vector<LaneItem> collect(const Run& run, uint32_t warp, double begin, double end, double fold) {
  std::vector<LaneItem> items;
  const TraceLayout layout(run);
  collectLanes(layout, run.trace.warps[warp], warp, begin, end, fold, items);
  return items;
}

TEST(LanesLayout, EveryStateInItsPlace) {
  const auto items = collect(warpThatDiverges(), 0, 0, 100, 0);
  EXPECT_EQ(stateAt(items, 0, 5), LaneState::kExecuting);
  EXPECT_EQ(stateAt(items, 1, 5), LaneState::kWaiting);
  EXPECT_EQ(stateAt(items, 0, 15), LaneState::kWaiting);
  EXPECT_EQ(stateAt(items, 1, 15), LaneState::kExecuting);
  EXPECT_EQ(stateAt(items, 7, 35), LaneState::kExited);
  EXPECT_EQ(stateAt(items, 8, 35), LaneState::kExecuting);
  EXPECT_EQ(stateAt(items, 24, 0), LaneState::kNeverExisted);
  EXPECT_EQ(stateAt(items, 31, 39), LaneState::kNeverExisted);
}

TEST(LanesLayout, NeighboursThatDoTheSameAreOneItem) {
  const auto items = collect(warpThatDiverges(), 0, 31, 40, 0);
  size_t late = 0;
  for (const LaneItem& item : items) late += item.begin >= 30 ? 1U : 0U;
  EXPECT_EQ(late, 2U);  // lanes 0 to 7 exited, 8 to 23 executing
}

TEST(LanesLayout, AFoldKeepsEachLanesShareAndRegion) {
  const auto items = collect(warpThatDiverges(), 0, 0, 40, 1000);
  for (const LaneItem& item : items) {
    if (item.contains(0)) {
      EXPECT_EQ(item.state, LaneState::kExecuting);
      EXPECT_EQ(item.region, 0);
      EXPECT_FLOAT_EQ(item.share, 0.25F);  // 10 of 40 cycles
    }
    if (item.contains(9)) {
      EXPECT_EQ(item.region, 1);           // 20 cycles of odd, 10 of even
      EXPECT_FLOAT_EQ(item.share, 0.75F);  // 30 of 40
    }
  }
}

TEST(LanesLayout, LaneCyclesAreThoseOfTheSpans) {
  warpscope::Run run = testing::makeSyntheticRun();
  const TraceLayout layout(run);
  for (uint32_t warp = 0; warp < run.trace.warps.size(); ++warp) {
    std::array<int64_t, 5> expected{}, seen{};
    forEachSpan(run.trace, run.trace.warps[warp], [&](const Span& span) {
      const int64_t cycles = span.end_cycles - span.begin_cycles;
      expected[static_cast<size_t>(LaneState::kExecuting)] += cycles * span.mask.count();
      expected[static_cast<size_t>(LaneState::kWaiting)] +=
          cycles * (run.trace.warps[warp].live & ~span.mask & ~span.exited).count();
    });
    std::vector<LaneItem> items;
    collectLanes(layout, run.trace.warps[warp], warp, 0, static_cast<double>(layout.end()), 0, items);
    for (const LaneItem& item : items) {
      seen[static_cast<size_t>(item.state)] += (item.end - item.begin) * item.lane_count;
    }
    for (const LaneState state : {LaneState::kExecuting, LaneState::kWaiting}) {
      EXPECT_EQ(seen[static_cast<size_t>(state)], expected[static_cast<size_t>(state)]) << "warp " << warp;
    }
  }
}

TEST(LanesLayout, OutsideOfTheWarpThereIsNothing) {
  EXPECT_TRUE(collect(warpThatDiverges(), 0, 50, 60, 0).empty());
  EXPECT_TRUE(collect(warpThatDiverges(), 0, -60, -50, 0).empty());
}

}  // namespace
}  // namespace warpscope
