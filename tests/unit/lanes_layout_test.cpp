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
  const auto shared = std::make_shared<const Run>(run);
  const TraceLayout layout(shared);
  LanesLayout lanes;
  lanes.show(shared, layout, warp);
  lanes.collect(layout, begin, end, fold, items);
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
    for (const LaneItem& item : collect(run, warp, 0, static_cast<double>(layout.end()), 0)) {
      seen[static_cast<size_t>(item.state)] += (item.end - item.begin) * item.lane_count;
    }
    for (const LaneState state : {LaneState::kExecuting, LaneState::kWaiting}) {
      EXPECT_EQ(seen[static_cast<size_t>(state)], expected[static_cast<size_t>(state)]) << "warp " << warp;
    }
  }
}

// Many more spans than the pyramid's lowest level sums in a node.
TEST(LanesLayout, AFoldOfNodesIsTheFoldOfTheirSpans) {
  warpscope::Run run;
  run.regions = {{RegionId{0}, "even", 1, 1}, {RegionId{1}, "odd", 2, 2}};
  int64_t now = 0;
  for (uint32_t i = 0; i < 1000; ++i) {
    const bool even = i % 2 == 0;
    run.trace.events.push_back({now, LaneMask{even ? 0x55555555U : 0xAAAAAAAAU}, RegionId{even ? 0U : 1U}});
    now += even ? 30 : 10;
  }
  run.trace.warps.push_back({.live = kFullMask, .end_cycles = now, .event_count = 1000});
  run.trace.duration_cycles = now;
  for (const double fold : {100.0, 1000.0, 4000.0, 1e9}) {
    const auto items = collect(run, 0, 0, static_cast<double>(now), fold);
    std::array<double, 2> executing{};
    int64_t covered = 0;
    for (const LaneItem& item : items) {
      EXPECT_EQ(item.state, LaneState::kExecuting);
      EXPECT_LE(item.end - item.begin, static_cast<int64_t>(fold));
      EXPECT_EQ(item.region, item.first_lane % 2 == 0 ? 0 : 1);
      if (item.first_lane == 0) covered += item.end - item.begin;
      if (item.first_lane < 2)
        executing[item.first_lane] += item.share * static_cast<double>(item.end - item.begin);
    }
    EXPECT_EQ(covered, now);
    // Shares are rounded to eighths.
    EXPECT_NEAR(executing[0], 0.75 * static_cast<double>(now), static_cast<double>(now) / 16) << fold;
    EXPECT_NEAR(executing[1], 0.25 * static_cast<double>(now), static_cast<double>(now) / 16) << fold;
  }
}

TEST(LanesLayout, AnotherRunOrWarpIsLaidOutAnew) {
  const auto diverging = std::make_shared<const warpscope::Run>(warpThatDiverges());
  auto changed = std::make_shared<warpscope::Run>(warpThatDiverges());
  changed->trace.warps[0].end_cycles = 80;
  const TraceLayout of_first(diverging), of_second(changed);
  LanesLayout lanes;
  lanes.show(diverging, of_first, 0);
  const int64_t before = lanes.cycles().executing;
  lanes.show(changed, of_second, 0);
  EXPECT_GT(lanes.cycles().executing, before);
  std::vector<LaneItem> items;
  lanes.collect(of_second, 0, 80, 0, items);
  EXPECT_EQ(stateAt(items, 9, 79), LaneState::kExecuting);
}

TEST(LanesLayout, OutsideOfTheWarpThereIsNothing) {
  EXPECT_TRUE(collect(warpThatDiverges(), 0, 50, 60, 0).empty());
  EXPECT_TRUE(collect(warpThatDiverges(), 0, -60, -50, 0).empty());
}

}  // namespace
}  // namespace warpscope
