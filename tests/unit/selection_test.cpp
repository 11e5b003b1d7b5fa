// Selections of warps and cycles, and the numbers of what lies in them, on traces small enough to work out by
// hand.
#include "kernels/metrics/selection.h"

#include <gtest/gtest.h>

#include "kernels/core/json.h"
#include "kernels/export/selection_report.h"
#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

constexpr RegionId kBody{0}, kStep{1};
constexpr LaneMask kHalf{0x0000FFFFU};

TraceSelection parsed(std::string_view text) {
  const auto selection = parseSelection(text);
  EXPECT_TRUE(selection.has_value()) << text;
  return selection.value_or(TraceSelection{});
}

// Two blocks of two warps; each warp spends 10 cycles before its first mark, `step` cycles in the step with
// all lanes, and 60 cycles in the body with half of them.
Run twoBlocks() {
  Run run;
  run.grid = {2, 1, 1};
  run.block = {64, 1, 1};
  run.regions = {{kBody, "body", 12, 14}, {kStep, "step", 11, 11}};
  run.trace.clocks.cycles_per_ns = 2;
  int64_t step = 20;
  for (uint32_t block = 0; block < 2; ++block) {
    for (uint32_t index = 0; index < 2; ++index, step += 10) {
      TraceWarp warp;
      warp.block = BlockId{block};
      warp.warp_in_block = index;
      warp.sm = SmId{block};
      warp.live = kFullMask;
      warp.begin_cycles = 100 * block;
      warp.first_event = static_cast<uint32_t>(run.trace.events.size());
      warp.event_count = 2;
      run.trace.events.push_back({warp.begin_cycles + 10, kFullMask, kStep});
      run.trace.events.push_back({warp.begin_cycles + 10 + step, kHalf, kBody});
      warp.end_cycles = warp.begin_cycles + 10 + step + 60;
      run.trace.warps.push_back(warp);
    }
  }
  run.trace.duration_cycles = 220;
  return run;
}

TEST(SelectionText, IsReadBackAsItWasWritten) {
  for (const char* text : {"all", "all @0..900", "b12 w3 @1200..2400", "b0-b3", "b0-b3 w1-w2, b7 w0 @-5..90",
                           "b0 @..100; b1- w4- @100..", "all w3"}) {
    EXPECT_EQ(selectionText(parsed(text)), text);
    EXPECT_EQ(parsed(selectionText(parsed(text))), parsed(text));
  }
  EXPECT_EQ(selectionText(parsed("warpscope:b1w2@3..4")), "b1 w2 @3..4");
  EXPECT_EQ(selectionText(parsed("  b0-3 w0-1 ; ")), "b0-b3 w0-w1");
  EXPECT_EQ(selectionText(parsed("@10..20")), "all @10..20");
  EXPECT_EQ(selectionText(parsed("b1; b2; b3"), 6), "b1; b2 ...");
  EXPECT_EQ(selectionText(parsed("b1; b2; b3"), 10), "b1; b2; b3");
  EXPECT_EQ(selectionText({}), "");
}

TEST(SelectionText, RangesThatOverlapBecomeDisjoint) {
  EXPECT_EQ(selectionText(parsed("b0-b5, b3 w1")), "b0-b2, b3, b4-b5");
  EXPECT_EQ(selectionText(parsed("b2 w3, b2 w0-w2")), "b2 w0-w3");
  const TraceSelection selection = parsed("b7 w5, b0-b9 w1-w2, b4");
  const SelectedPart& part = selection.parts.front();
  for (uint32_t block = 0; block < 12; ++block) {
    for (uint32_t warp = 0; warp < 8; ++warp) {
      const bool expected =
          (block == 7 && warp == 5) || (block <= 9 && (warp == 1 || warp == 2)) || block == 4;
      EXPECT_EQ(part.has(BlockId{block}, warp), expected) << block << ' ' << warp;
    }
  }
}

TEST(SelectionText, ManyRangesAreReadBackToo) {
  std::vector<WarpRange> ranges;
  for (uint32_t block = 0; block < 60000; ++block) ranges.push_back({2 * block, 2 * block, 1, 3});
  const TraceSelection selection{{{{5, 9}, ranges}}};
  EXPECT_EQ(parsed(selectionText(selection)), selection);
  std::string overlapping = "b0";
  for (int i = 0; i < 5000; ++i) overlapping += ",b0";
  EXPECT_FALSE(parseSelection(overlapping).has_value());
}

TEST(SelectionText, WhatIsNotUnderstoodIsNamed) {
  for (const char* text : {"", "b", "b1 x", "b5-b3", "w", "b1 @5", "b1 @9..5", "b1 @5..5", "b1;;b2", "b1,",
                           "b99999999999", "hello", "b1 w2 w3"}) {
    const auto refused = parseSelection(text);
    ASSERT_FALSE(refused.has_value()) << text;
    EXPECT_NE(refused.error().message.find("b12 w3 @1200..2400"), std::string::npos) << text;
  }
  const auto refused = parseSelection("b1 @5..9 nonsense");
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("'nonsense'"), std::string::npos) << refused.error().message;
}

TEST(SelectionText, WarpsOfATraceTakeAsFewRangesAsPossible) {
  const warpscope::Run run = twoBlocks();
  std::vector<const TraceWarp*> warps;
  for (const TraceWarp& warp : run.trace.warps) warps.push_back(&warp);
  const auto text = [&] { return selectionText({{{{}, warpRanges(warps, 2)}}}); };
  EXPECT_EQ(text(), "b0-b1");
  warps.pop_back();
  EXPECT_EQ(text(), "b0, b1 w0");
  warps.erase(warps.begin());
  EXPECT_EQ(text(), "b0 w1, b1 w0");
}

TEST(SelectionMetrics, OfEverythingAreThoseOfTheRun) {
  const warpscope::Run run = testing::makeSyntheticRun();
  const SelectionMetrics metrics = selectionMetrics(run, selectAll());
  EXPECT_EQ(metrics.warps, run.trace.warps.size());
  const LaneCycles lanes = laneCycles(run.trace);
  EXPECT_EQ(metrics.lanes.executing, lanes.executing);
  EXPECT_EQ(metrics.lanes.waiting, lanes.waiting);
  EXPECT_EQ(metrics.lanes.exited, lanes.exited);
  EXPECT_EQ(metrics.lanes.never_existed, lanes.never_existed);
  const auto regions = regionMetrics(run);
  ASSERT_EQ(metrics.regions.size(), regions.size());
  for (size_t i = 0; i < regions.size(); ++i) {
    EXPECT_EQ(metrics.regions[i].cycles.count, regions[i].spans);
    EXPECT_EQ(metrics.regions[i].cycles.sum, regions[i].cycles);
    EXPECT_EQ(metrics.regions[i].cut_spans, 0U);
    EXPECT_EQ(metrics.regions[i].lost_lane_cycles, regions[i].lost_lane_cycles);
    EXPECT_DOUBLE_EQ(metrics.regions[i].share, regions[i].share);
    EXPECT_DOUBLE_EQ(metrics.regions[i].mean_active_lanes, regions[i].mean_active_lanes);
  }
}

TEST(SelectionMetrics, OnlyWhatIsInsideCounts) {
  const warpscope::Run run = twoBlocks();
  // Warp 0 lives from 0 to 90: its step ends and its body begins at 30.
  const SelectionMetrics metrics = selectionMetrics(run, parsed("b0 w0 @20..50"));
  EXPECT_EQ(metrics.warps, 1U);
  EXPECT_EQ(metrics.cycles, (CycleRange{20, 50}));
  EXPECT_EQ(metrics.duration_cycles, 30);
  EXPECT_EQ(metrics.duration_ns, 15.0);
  EXPECT_EQ(metrics.warp_cycles, 30);
  const SelectionMetrics::Region &body = metrics.regions[0], &step = metrics.regions[1];
  EXPECT_EQ(step.cycles.sum, 10);
  EXPECT_EQ(step.cut_spans, 1U);
  EXPECT_EQ(body.cycles.sum, 20);
  EXPECT_EQ(body.cut_spans, 1U);
  EXPECT_EQ(body.lost_lane_cycles, 20 * 16);
  EXPECT_DOUBLE_EQ(body.mean_active_lanes, 16);
  EXPECT_DOUBLE_EQ(body.share, 20.0 / 30);
  EXPECT_EQ(metrics.lanes.executing, 10 * 32 + 20 * 16);
  EXPECT_EQ(metrics.lanes.waiting, 20 * 16);
  EXPECT_EQ(metrics.lostShare(), 320.0 / 960);
  ASSERT_EQ(metrics.slowest.size(), 1U);
  EXPECT_EQ(metrics.slowest[0].life_cycles, 90) << "its whole life, so that warps can be compared";
  EXPECT_EQ(metrics.slowest[0].selected_cycles, 30);
}

TEST(SelectionMetrics, WhatIsInTwoPartsCountsOnce) {
  const warpscope::Run run = twoBlocks();
  const SelectionMetrics one = selectionMetrics(run, parsed("b0 @20..80"));
  const SelectionMetrics two = selectionMetrics(run, parsed("b0 @20..60; b0 @40..80"));
  EXPECT_EQ(two.warp_cycles, one.warp_cycles);
  EXPECT_EQ(two.duration_cycles, 60);
  EXPECT_EQ(two.regions[0].cycles.count, one.regions[0].cycles.count);
  EXPECT_EQ(two.regions[0].cycles.sum, one.regions[0].cycles.sum);
  const SelectionMetrics apart = selectionMetrics(run, parsed("b0 @0..10; b0 @40..50"));
  EXPECT_EQ(apart.duration_cycles, 20) << "the gap does not count";
  EXPECT_EQ(apart.cycles, (CycleRange{0, 50}));
}

TEST(SelectionMetrics, WarpsThatDoNotLiveThenAreNotSelected) {
  const warpscope::Run run = twoBlocks();
  EXPECT_EQ(selectionMetrics(run, parsed("all @90..100")).warps, 1U);
  EXPECT_EQ(selectionMetrics(run, parsed("b1 @0..100")).warps, 0U);
  const SelectionMetrics nothing = selectionMetrics(run, parsed("b9"));
  EXPECT_EQ(nothing.warps, 0U);
  EXPECT_EQ(nothing.duration_cycles, 0);
  EXPECT_EQ(nothing.lostShare(), std::nullopt);
  EXPECT_TRUE(nothing.slowest.empty());
  const SelectionMetrics block = selectionMetrics(run, parsed("b1"));
  EXPECT_EQ(block.cycles, (CycleRange{100, 220})) << "as long as its warps live";
  EXPECT_EQ(block.slowest[0].warp_in_block, 1U);
  EXPECT_EQ(block.fastest[0].warp_in_block, 0U);
  EXPECT_EQ(block.sms, 1U);
}

TEST(SelectionMetrics, InstructionsCountWhereTheyIssue) {
  warpscope::Run run = testing::makeSyntheticRun();
  EXPECT_FALSE(selectionMetrics(run, selectAll()).issues.has_value());
  testing::addInstructions(run);
  const SelectionMetrics all = selectionMetrics(run, selectAll());
  ASSERT_TRUE(all.issues.has_value());
  EXPECT_EQ(all.issues->issued, run.trace.instructions.size());
  const TraceInstruction& last = run.trace.instructionsOf(run.trace.warps[0]).back();
  TraceSelection until = selectWarp(run.trace.warps[0].block, run.trace.warps[0].warp_in_block,
                                    {CycleRange{}.begin, last.issue_cycles});
  EXPECT_LT(selectionMetrics(run, until).issues->issued, run.trace.warps[0].instruction_count);
}

TEST(Distribution, PercentilesAreValuesAndBinsHoldThemAll) {
  std::vector<int64_t> values;
  for (int64_t i = 1; i <= 100; ++i) values.push_back(i * i);
  const Distribution squares = distributionOf(values);
  EXPECT_EQ(squares.count, 100U);
  EXPECT_EQ(squares.least, 1);
  EXPECT_EQ(squares.median, 50 * 50);
  EXPECT_EQ(squares.p95, 95 * 95);
  EXPECT_EQ(squares.most, 10000);
  EXPECT_DOUBLE_EQ(squares.mean(), 3383.5);
  for (const auto& bins : {squares.linear, squares.logarithmic}) {
    ASSERT_GT(bins.size(), 8U);
    uint64_t counted = 0;
    for (size_t i = 0; i < bins.size(); ++i) {
      counted += bins[i].count;
      EXPECT_LT(bins[i].from, bins[i].to);
      if (i > 0) {
        EXPECT_EQ(bins[i].from, bins[i - 1].to);
      }
    }
    EXPECT_EQ(counted, 100U);
    EXPECT_EQ(bins.front().from, 1);
    EXPECT_EQ(bins.back().to, 10001);
  }
  EXPECT_GT(squares.linear.front().count, squares.linear.back().count);
}

TEST(Distribution, FewAndEqualValuesHaveFewBins) {
  EXPECT_TRUE(distributionOf({}).linear.empty());
  const Distribution same = distributionOf({7, 7, 7});
  ASSERT_EQ(same.linear.size(), 1U);
  EXPECT_EQ(same.linear[0].count, 3U);
  EXPECT_EQ(same.logarithmic.size(), 1U);
  const Distribution zeros = distributionOf({0, 0, 3});
  EXPECT_EQ(zeros.median, 0);
  EXPECT_EQ(zeros.logarithmic.front().count, 2U);
}

TEST(SelectionReport, HasEveryNumber) {
  const warpscope::Run run = twoBlocks();
  const TraceSelection selection = parsed("b0 @20..50");
  const Json report = selectionReport(selection, selectionMetrics(run, selection));
  EXPECT_EQ(report["selection"], "b0 @20..50");
  EXPECT_EQ(report["warps"], 2);
  EXPECT_EQ(report["duration_cycles"], 30);
  EXPECT_EQ(report["regions"][0]["cycles"]["median"], 10);
  EXPECT_EQ(report["regions"][0]["cycles"]["count"], 2);
  EXPECT_EQ(report["slowest"][0]["warp"], 1);
  EXPECT_EQ(report["slowest"][0]["gpu"], 0);
  EXPECT_FALSE(report.contains("instructions"));
  EXPECT_NE(selectionCsv(selectionMetrics(run, selection)).find("\nbody,2,2,"), std::string::npos);
}

// A run on two GPUs numbers the SMs through; people know each GPU's own.
TEST(SelectionReport, NamesSmsByTheirGpu) {
  warpscope::Run run = twoBlocks();
  run.device.limits.gpus = 2;
  run.device.limits.sm_count = 2;
  for (TraceWarp& warp : run.trace.warps) warp.sm = SmId{3};
  const Json report = selectionReport(selectAll(), selectionMetrics(run, selectAll()));
  EXPECT_EQ(report["slowest"][0]["gpu"], 1);
  EXPECT_EQ(report["slowest"][0]["sm"], 1);
}

}  // namespace
}  // namespace warpscope
