// The timeline's layout: folding loses nothing, picking finds what a plain search finds, rows are in the
// right order, and odd traces are handled.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/support/synthetic_trace.h"
#include "viz/layout/density.h"
#include "viz/layout/pyramid.h"
#include "viz/layout/trace_layout.h"

namespace warpscope {
namespace {

struct TestEvent {
  int64_t cycles;
  uint32_t mask, region;
};

// One warp that lives from begin to end.
Run oneWarp(int64_t begin, int64_t end, const std::vector<TestEvent>& events, uint32_t live = 0xFFFFFFFF) {
  warpscope::Run run;
  run.regions = {{RegionId{0}, "a", 1, 1}, {RegionId{7}, "b", 2, 2}};
  run.trace.warps.push_back({.live = LaneMask{live},
                             .begin_cycles = begin,
                             .end_cycles = end,
                             .event_count = static_cast<uint32_t>(events.size())});
  for (const TestEvent& event : events) {
    run.trace.events.push_back({event.cycles, LaneMask{event.mask}, RegionId{event.region}});
  }
  run.trace.duration_cycles = end;
  return run;
}

Run synthetic(const testing::SyntheticOptions& options) {
  warpscope::Run run = testing::makeSyntheticRun();
  run.trace = testing::makeSyntheticTrace(options).truth;
  return run;
}

int64_t laneCyclesOf(const Trace& trace, const TraceWarp& warp) {
  int64_t sum = 0;
  forEachSpan(trace, warp,
              [&](const Span& span) { sum += (span.end_cycles - span.begin_cycles) * span.mask.count(); });
  return sum;
}

std::vector<DrawItem> collectAll(const TraceLayout& layout, uint32_t warp, double fold_cycles) {
  std::vector<DrawItem> items;
  layout.collect(warp, static_cast<double>(layout.begin()), static_cast<double>(layout.end()) + 1,
                 fold_cycles, items);
  return items;
}

class LayoutFolding : public ::testing::TestWithParam<testing::SyntheticOptions> {};

TEST_P(LayoutFolding, ConservesLaneCyclesAndSpansAtEveryZoom) {
  const warpscope::Run run = synthetic(GetParam());
  const TraceLayout layout(run);
  for (uint32_t warp = 0; warp < run.trace.warps.size(); ++warp) {
    const int64_t expected = laneCyclesOf(run.trace, run.trace.warps[warp]);
    for (const double fold : {0.0, 1.0, 7.0, 50.0, 333.0, 5000.0, 1e6, 1e12}) {
      int64_t sum = 0;
      int64_t last_end = std::numeric_limits<int64_t>::min();
      uint32_t next_span = 0;
      for (const DrawItem& item : collectAll(layout, warp, fold)) {
        sum += item.lane_cycles;
        EXPECT_GE(item.begin, last_end);
        EXPECT_GE(item.first_span, next_span);
        EXPECT_TRUE(item.span_count == 1 || static_cast<double>(item.end - item.begin) <= fold);
        EXPECT_LE(item.share(), 1.0);
        last_end = item.end;
        next_span = item.first_span + item.span_count;
      }
      ASSERT_EQ(sum, expected) << "warp " << warp << ", fold " << fold;
    }
  }
}

TEST_P(LayoutFolding, ItemsSayWhatTheirSpansSay) {
  const warpscope::Run run = synthetic(GetParam());
  const TraceLayout layout(run);
  for (uint32_t warp = 0; warp < run.trace.warps.size(); ++warp) {
    for (const double fold : {0.0, 100.0, 700.0, 1e9}) {
      for (const DrawItem& item : collectAll(layout, warp, fold)) {
        LaneMask mask;
        std::vector<int64_t> cycles(run.regions.size());
        uint32_t spans = 0;
        int64_t end = 0;
        for (size_t i = item.first_span; spans < item.span_count; ++i) {
          const LayoutSpan span = layout.spansOf(warp)[i];
          if (span.empty()) continue;
          mask = mask | span.mask;
          if (span.region < cycles.size()) cycles[span.region] += span.end - span.begin;
          end = span.end;
          if (spans++ == 0) {
            EXPECT_EQ(span.begin, item.begin);
          }
        }
        EXPECT_EQ(mask, item.mask);
        EXPECT_EQ(end, item.end);
        ASSERT_LT(item.region, cycles.size());
        // Below one node's worth of spans, a fold's region is exactly the one with the most cycles.
        if (item.span_count < 8) {
          EXPECT_EQ(cycles[item.region], *std::max_element(cycles.begin(), cycles.end()));
        }
        EXPECT_GT(cycles[item.region] + item.mask.count(), 0);
      }
    }
  }
}

TEST_P(LayoutFolding, PickFindsWhatASearchFinds) {
  const warpscope::Run run = synthetic(GetParam());
  const TraceLayout layout(run);
  for (uint32_t warp = 0; warp < run.trace.warps.size(); warp += 3) {
    const TraceWarp& trace_warp = run.trace.warps[warp];
    for (int64_t cycle = trace_warp.begin_cycles - 20; cycle < trace_warp.end_cycles + 20; cycle += 13) {
      std::optional<Span> expected;
      forEachSpan(run.trace, trace_warp, [&](const Span& span) {
        if (span.begin_cycles <= cycle && cycle < span.end_cycles) expected = span;
      });
      const auto found = layout.pick(warp, static_cast<double>(cycle));
      const bool lives = cycle >= trace_warp.begin_cycles && cycle < trace_warp.end_cycles;
      ASSERT_EQ(found.has_value(), lives) << cycle;
      if (!found) continue;
      const LayoutSpan& span = *found;
      ASSERT_EQ(span.region != kNoRegion, expected.has_value()) << cycle;
      if (!expected) continue;
      EXPECT_EQ(span.begin, expected->begin_cycles);
      EXPECT_EQ(span.end, expected->end_cycles);
      EXPECT_EQ(span.mask, expected->mask);
      EXPECT_EQ(span.exited, expected->exited);
      EXPECT_EQ(run.regions[span.region].id, expected->region);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Traces, LayoutFolding,
                         ::testing::Values(testing::SyntheticOptions{},
                                           testing::SyntheticOptions{.trips = 60, .records_per_lane = 1024},
                                           testing::SyntheticOptions{.block_threads = 1, .divergent = false},
                                           testing::SyntheticOptions{
                                               .sms = 1, .blocks = 3, .block_threads = 1024, .seed = 9}));

TEST(Layout, CollectOfAPartGivesTheItemsThatMeetIt) {
  const warpscope::Run run =
      oneWarp(0, 400, {{0, 0xF, 0}, {100, 0xF0, 7}, {200, 0xF00, 0}, {300, 0xF000, 7}});
  const TraceLayout layout(run);
  std::vector<DrawItem> items;
  layout.collect(0, 150, 250, 0, items);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].begin, 100);
  EXPECT_EQ(items[1].end, 300);
  items.clear();
  layout.collect(0, 1000, 2000, 0, items);
  layout.collect(0, -500, -100, 0, items);
  EXPECT_TRUE(items.empty());
}

TEST(Layout, AFoldTakesTheRegionWithMostCycles) {
  const warpscope::Run run = oneWarp(0, 100, {{0, 1, 0}, {10, 1, 7}, {75, 3, 0}, {90, 1, 0}});
  const TraceLayout layout(run);
  const auto items = collectAll(layout, 0, 1000);
  ASSERT_EQ(items.size(), 1U);
  EXPECT_TRUE(items[0].folded());
  EXPECT_EQ(items[0].region, 1);  // index of region 7
  EXPECT_EQ(items[0].lane_cycles, 10 + 65 + 30 + 10);
  EXPECT_DOUBLE_EQ(items[0].share(), 115.0 / (100 * 32));
}

TEST(Layout, TimeWithoutARegionHasNoItem) {
  // Marked from 50 on; lanes 16 to 31 exit at 80, and no mark says what the others do until 90.
  const warpscope::Run run =
      oneWarp(0, 100, {{50, 0xFFFFFFFF, 0}, {80, 0xFFFF0000, kExitRegion.value}, {90, 0xFFFF, 7}});
  const TraceLayout layout(run);
  const auto items = collectAll(layout, 0, 0);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].begin, 50);
  EXPECT_EQ(items[0].end, 80);
  EXPECT_EQ(items[1].begin, 90);
  const auto spans = layout.spansOf(0);
  ASSERT_EQ(spans.size(), 4U);
  EXPECT_EQ(spans[2].region, kNoRegion);
  EXPECT_EQ(spans[2].exited.bits, 0xFFFF0000U);
}

TEST(Layout, NothingRecorded) {
  const TraceLayout layout{warpscope::Run{}};
  EXPECT_EQ(layout.warpCount(), 0U);
  EXPECT_EQ(layout.begin(), 0);
  EXPECT_EQ(layout.end(), 1);
  EXPECT_FALSE(layout.findWarp(BlockId{0}, 0));
  EXPECT_EQ(layout.minimap().size(), TraceLayout::kMinimapColumns);
}

TEST(Layout, TheAxisEndsWithTheLastRecordedWarp) {
  warpscope::Run run = oneWarp(5, 25, {{5, 0x3, 0}});
  run.trace.duration_cycles = 1000000;  // of a launch of which only one block was recorded
  const TraceLayout layout(run);
  EXPECT_EQ(layout.begin(), 0);
  EXPECT_EQ(layout.end(), 25);
}

TEST(Layout, OneEvent) {
  const warpscope::Run run = oneWarp(5, 25, {{5, 0x3, 0}});
  const TraceLayout layout(run);
  const auto items = collectAll(layout, 0, 1);
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].lane_cycles, 40);
  EXPECT_FALSE(items[0].folded());
  EXPECT_TRUE(layout.pick(0, 5));
  EXPECT_TRUE(layout.pick(0, 24.9));
  EXPECT_FALSE(layout.pick(0, 25));
  EXPECT_FALSE(layout.pick(0, 4));
}

TEST(Layout, NoEventsAtAll) {
  const TraceLayout layout(oneWarp(5, 25, {}));
  EXPECT_TRUE(collectAll(layout, 0, 1).empty());
  const auto picked = layout.pick(0, 10);
  ASSERT_TRUE(picked);
  EXPECT_EQ(picked->region, kNoRegion);
}

TEST(Layout, SpansOfNoLength) {
  const warpscope::Run run = oneWarp(10, 20, {{10, 0x1, 0}, {10, 0x2, 7}, {20, 0x4, 0}});
  const TraceLayout layout(run);
  const auto items = collectAll(layout, 0, 0);
  int64_t sum = 0;
  uint32_t spans = 0;
  for (const DrawItem& item : items) {
    sum += item.lane_cycles;
    spans += item.span_count;
  }
  EXPECT_EQ(sum, 10);
  EXPECT_EQ(spans, 3U);
  const auto at_end = layout.pick(0, 20);
  ASSERT_TRUE(at_end);
  EXPECT_EQ(at_end->mask.bits, 0x4U);
  EXPECT_EQ(layout.pick(0, 10)->mask.bits, 0x2U);
}

TEST(Layout, RegionsThatTheRunDoesNotDescribe) {
  const warpscope::Run run = oneWarp(0, 10, {{0, 0x1, 99}, {5, 0x1, 70000}});
  const TraceLayout layout(run);
  for (uint32_t i = 0; i < 3; ++i)
    EXPECT_EQ(layout.spansOf(0)[i].region, i == 0 ? kNoRegion : kUnknownRegion);
}

// Lanes that leave at once, one after another, and at the very end: nothing but marks of no length.
TEST(Layout, MarksOfNoLengthAreNeitherDrawnNorCounted) {
  constexpr uint32_t kExit = kExitRegion.value;
  const warpscope::Run run =
      oneWarp(0, 100, {{0, 0xF, 0}, {40, 0x1, kExit}, {40, 0x2, kExit}, {40, 0xC, 7}, {100, 0xC, kExit}});
  const TraceLayout layout(run);
  ASSERT_EQ(collectAll(layout, 0, 0).size(), 2U);
  const auto folded = collectAll(layout, 0, 1000);
  ASSERT_EQ(folded.size(), 1U);
  EXPECT_EQ(folded[0].span_count, 2U);
  EXPECT_EQ(folded[0].end, 100);
  EXPECT_EQ(layout.pick(0, 40)->exited.bits, 0x3U);
  EXPECT_EQ(layout.pick(0, 39)->exited.bits, 0U);
  EXPECT_FALSE(layout.pick(0, 100));
  EXPECT_EQ(layout.spansOf(0)[5].exited.bits, 0xFU);
}

// A trace of many warps is laid out by several threads.
TEST(Layout, ManyEventsAreLaidOutAsFewAre) {
  const warpscope::Run run =
      synthetic({.sms = 8, .blocks = 200, .block_threads = 256, .trips = 40, .records_per_lane = 1024});
  ASSERT_GT(run.trace.events.size(), 100'000U);
  const TraceLayout layout(run);
  double executing = 0, seen = 0;
  for (uint32_t warp = 0; warp < run.trace.warps.size(); ++warp) {
    int64_t sum = 0;
    for (const DrawItem& item : collectAll(layout, warp, 1000)) sum += item.lane_cycles;
    const int64_t wanted = laneCyclesOf(run.trace, run.trace.warps[warp]);
    EXPECT_EQ(sum, wanted) << warp;
    executing += static_cast<double>(wanted);
  }
  double resident = 0;
  for (const TraceWarp& warp : run.trace.warps)
    resident += static_cast<double>((warp.end_cycles - warp.begin_cycles) * warp.live.count());
  double resident_seen = 0;
  for (const TraceLayout::Density& column : layout.minimap()) {
    seen += static_cast<double>(column.executing);
    resident_seen += static_cast<double>(column.resident);
  }
  EXPECT_NEAR(seen / resident_seen, executing / resident, 1e-4);
}

TEST(Layout, DamagedTracesAreClamped) {
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  warpscope::Run run = oneWarp(100, 50, {{500, 0x1, 0}, {-500, 0x2, 7}});
  run.trace.warps.push_back(
      {.begin_cycles = -kHuge, .end_cycles = kHuge, .first_event = 1, .event_count = 4000000000});
  run.trace.warps.push_back(
      {.live = kFullMask, .begin_cycles = -kHuge, .end_cycles = kHuge, .event_count = 2});
  run.trace.duration_cycles = -kHuge;
  const TraceLayout layout(run);
  EXPECT_EQ(layout.warpCount(), 3U);
  for (uint32_t warp = 0; warp < 3; ++warp) {
    int64_t last = std::numeric_limits<int64_t>::min();
    for (const LayoutSpan& span : layout.spansOf(warp)) {
      EXPECT_GE(span.begin, last);
      EXPECT_GE(span.end, span.begin);
      last = span.end;
    }
    collectAll(layout, warp, 10);
    layout.pick(warp, 0);
  }
}

TEST(Layout, WarpsAreFound) {
  const warpscope::Run run = synthetic({.sms = 3, .blocks = 14, .block_threads = 100});
  const TraceLayout layout(run);
  EXPECT_EQ(layout.warpCount(), run.trace.warps.size());
  for (uint32_t i = 0; i < run.trace.warps.size(); ++i) {
    EXPECT_EQ(layout.findWarp(run.trace.warps[i].block, run.trace.warps[i].warp_in_block), i);
  }
  EXPECT_EQ(run.trace.warps[layout.firstWarp()].block, BlockId{0});
  EXPECT_EQ(run.trace.warps[layout.firstWarp()].warp_in_block, 0U);
  EXPECT_FALSE(layout.findWarp(BlockId{14}, 0));
  EXPECT_FALSE(layout.findWarp(BlockId{0}, 4));
}

TEST(Layout, TheMinimapHoldsAllLaneCycles) {
  const warpscope::Run run = synthetic({.trips = 12});
  const TraceLayout layout(run);
  double executing = 0, resident = 0, executing_seen = 0, resident_seen = 0;
  for (const TraceWarp& warp : run.trace.warps) {
    executing += static_cast<double>(laneCyclesOf(run.trace, warp));
    resident += static_cast<double>((warp.end_cycles - warp.begin_cycles) * warp.live.count());
  }
  float highest = 0;
  for (const TraceLayout::Density& column : layout.minimap()) {
    executing_seen += static_cast<double>(column.executing);
    resident_seen += static_cast<double>(column.resident);
    highest = std::max(highest, column.resident);
    EXPECT_LE(column.executing, column.resident + 1e-4F);
  }
  EXPECT_FLOAT_EQ(highest, 1);
  EXPECT_NEAR(executing_seen / resident_seen, executing / resident, 1e-4);
}

TEST(Pyramid, FirstNotAsksOnlyForItemsThatThereAre) {
  for (size_t items = 0; items < 9; ++items) {
    for (size_t first = 0; first <= items; ++first) {
      const auto is_before = [&](size_t i) {
        EXPECT_LT(i, items);
        return i < first;
      };
      EXPECT_EQ(firstNot(items, is_before), first) << "of " << items;
    }
  }
}

TEST(Density, MeansEqualASumOverEveryColumn) {
  DensityProfile profile(-10, 90, 8);
  const std::vector<std::array<double, 3>> intervals{{-10, 90, 1}, {0, 3, 4}, {14, 16, 2},
                                                     {89, 200, 5}, {7, 7, 9}, {-50, -20, 3}};
  for (const auto& [begin, end, height] : intervals) {
    profile.add(static_cast<int64_t>(begin), static_cast<int64_t>(end), height);
  }
  const auto means = profile.means();
  ASSERT_EQ(means.size(), 8U);
  for (size_t column = 0; column < 8; ++column) {
    const double left = -10 + 12.5 * static_cast<double>(column), right = left + 12.5;
    double expected = 0;
    for (const auto& [begin, end, height] : intervals) {
      expected += height * std::max(0.0, std::min(end, right) - std::max(begin, left)) / 12.5;
    }
    EXPECT_NEAR(means[column], expected, 1e-9) << column;
  }
}

}  // namespace
}  // namespace warpscope
