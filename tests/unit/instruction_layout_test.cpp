// Issued instructions over time: slots, folds, picking.
#include "viz/layout/instruction_layout.h"

#include <gtest/gtest.h>

#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

// One warp: line 1 at cycle 10; line 2 at 20, after 9 cycles of waiting for memory; line 2 again at 21.
Run threeInstructions() {
  warpscope::Run run;
  run.source_file = "kernel.cu";
  run.regions = {{RegionId{7}, "load", 1, 1}, {RegionId{9}, "rest", 1, 5}};
  run.listing = std::make_shared<const Listing>(
      Listing{{"ld", "kernel.cu", 1, "", 0}, {"add", "kernel.cu", 2, "", 0}, {"mov", "other.h", 2, "", 0}});
  run.trace.instructions = {{10, 0, kFullMask},
                            {20, 1, LaneMask{0xFF}, WarpState::kLongScoreboard, 9},
                            {21, 2, LaneMask{0x1}, WarpState::kSelected, 0}};
  run.trace.warps.push_back({.live = kFullMask, .begin_cycles = 5, .end_cycles = 30, .instruction_count = 3});
  return run;
}

Run syntheticWithInstructions() {
  warpscope::Run run = testing::makeSyntheticRun();
  run.trace =
      testing::makeSyntheticTrace({.sms = 2, .blocks = 8, .trips = 40, .records_per_lane = 512}).truth;
  testing::addInstructions(run);
  return run;
}

std::vector<InstructionItem> collect(const InstructionLayout& layout, uint32_t warp, double begin, double end,
                                     double fold) {
  std::vector<InstructionItem> items;
  layout.collect(warp, begin, end, fold, items);
  return items;
}

TEST(InstructionLayout, SlotsHoldTheWaitAndTheIssue) {
  const InstructionLayout layout(threeInstructions());
  const auto slots = layout.slotsOf(0);
  ASSERT_EQ(slots.size(), 3U);
  EXPECT_EQ(slots[0].issue(), 10);
  EXPECT_EQ(slots[0].waited(), 0);
  EXPECT_EQ(slots[0].waited_for, WarpState::kSelected);
  EXPECT_EQ(slots[1].begin, 11);
  EXPECT_EQ(slots[1].issue(), 20);
  EXPECT_EQ(slots[1].waited(), 9);
  EXPECT_EQ(slots[1].waited_for, WarpState::kLongScoreboard);
  EXPECT_EQ(slots[2].begin, 21);
  EXPECT_EQ(slots[2].waited(), 0);
}

TEST(InstructionLayout, ItsRegionIsTheNarrowestOfItsLine) {
  const InstructionLayout layout(threeInstructions());
  EXPECT_EQ(layout.slots()[0].region, 0);
  EXPECT_EQ(layout.slots()[1].region, 1);
  EXPECT_EQ(layout.slots()[2].region, kNoRegion) << "its line is of another file";
}

TEST(InstructionLayout, WhatWasInlinedFromTheSameFileBelongsToItsCaller) {
  warpscope::Run run = threeInstructions();
  run.listing = std::make_shared<const Listing>(Listing{{"fma", "kernel.cu", 20, "kernel.cu", 1}});
  EXPECT_EQ(regionsOfListing(run), std::vector<RegionIndex>{0});
}

TEST(InstructionLayout, PicksTheSlotAtAnInstant) {
  const InstructionLayout layout(threeInstructions());
  EXPECT_FALSE(layout.pick(0, 9.5));
  EXPECT_EQ(layout.pick(0, 10.5), 0U);
  EXPECT_EQ(layout.pick(0, 15), 1U) << "while it waits";
  EXPECT_EQ(layout.pick(0, 20.9), 1U);
  EXPECT_EQ(layout.pick(0, 21), 2U);
  EXPECT_FALSE(layout.pick(0, 22));
  EXPECT_FALSE(layout.pick(1, 15)) << "there is no such warp";
}

TEST(InstructionLayout, AFoldNamesWhatItWaitedForLongest) {
  const auto items = collect(InstructionLayout(threeInstructions()), 0, 0, 100, 50);
  ASSERT_EQ(items.size(), 1U);
  EXPECT_TRUE(items[0].folded());
  EXPECT_EQ(items[0].count, 3U);
  EXPECT_EQ(items[0].lanes, 41U);
  EXPECT_EQ(items[0].waited_cycles, 9);
  EXPECT_EQ(items[0].mask, kFullMask);
  EXPECT_EQ(items[0].waited_for, WarpState::kLongScoreboard);
  EXPECT_DOUBLE_EQ(items[0].issuedShare(), 3.0 / 12);
}

TEST(InstructionLayout, WaitsAreListedLongestFirst) {
  warpscope::Run run = threeInstructions();
  EXPECT_EQ(InstructionLayout(run).waits().size(), 1U);
  run.trace.instructions.push_back({60, 1, kFullMask, WarpState::kBarrier, 38});
  ++run.trace.warps[0].instruction_count;
  const InstructionLayout layout(run);
  const auto waits = layout.waits();
  ASSERT_EQ(waits.size(), 2U);
  EXPECT_EQ(waits[0], WarpState::kBarrier);
  EXPECT_EQ(waits[1], WarpState::kLongScoreboard);
}

TEST(InstructionLayout, EveryZoomKeepsInstructionsLanesAndWaits) {
  const warpscope::Run run = syntheticWithInstructions();
  const InstructionLayout layout(run);
  ASSERT_EQ(layout.slots().size(), run.trace.instructions.size());
  for (uint32_t warp = 0; warp < run.trace.warps.size(); ++warp) {
    uint64_t instructions = 0, lanes = 0;
    int64_t waited = 0;
    for (const TraceInstruction& instruction : run.trace.instructionsOf(run.trace.warps[warp])) {
      ++instructions;
      lanes += static_cast<uint64_t>(instruction.mask.count());
      waited += instruction.waited_cycles;
    }
    for (const double fold : {0.0, 3.0, 50.0, 777.0, 20000.0, 1e9}) {
      uint64_t seen = 0, seen_lanes = 0;
      int64_t seen_waited = 0, last_end = std::numeric_limits<int64_t>::min();
      for (const InstructionItem& item : collect(layout, warp, -1e9, 1e9, fold)) {
        EXPECT_GE(item.begin, last_end);
        last_end = item.end;
        seen += item.count;
        seen_lanes += item.lanes;
        seen_waited += item.waited_cycles;
      }
      EXPECT_EQ(seen, instructions) << "warp " << warp << ", fold " << fold;
      EXPECT_EQ(seen_lanes, lanes) << "warp " << warp << ", fold " << fold;
      EXPECT_EQ(seen_waited, waited) << "warp " << warp << ", fold " << fold;
    }
  }
}

TEST(InstructionLayout, CostFollowsTheRangeAndTheFold) {
  const InstructionLayout layout(syntheticWithInstructions());
  const auto slots = layout.slotsOf(0);
  const auto begin = static_cast<double>(slots.front().begin), end = static_cast<double>(slots.back().end);
  const double width = end - begin;
  EXPECT_LE(collect(layout, 0, begin, end, width / 50).size(), 101U);
  const auto some = collect(layout, 0, begin + width * 0.5, begin + width * 0.52, 0);
  EXPECT_LT(some.size(), slots.size() / 20);
  EXPECT_TRUE(collect(layout, 0, end + 10, end + 20, 0).empty());
}

TEST(InstructionLayout, ToleratesDamagedTraces) {
  warpscope::Run run = threeInstructions();
  run.trace.instructions[1].issue_cycles = -50;  // earlier than the previous one
  run.trace.instructions[2].listed = 4711;
  run.trace.instructions[2].waited_for = static_cast<WarpState>(200);
  run.trace.instructions[2].waited_cycles = 0xFFFFFFFF;
  run.trace.warps.push_back({.first_instruction = 2, .instruction_count = 100});
  const InstructionLayout layout(run);
  const auto slots = layout.slotsOf(0);
  for (size_t i = 1; i < slots.size(); ++i) EXPECT_GE(slots[i].begin, slots[i - 1].end);
  EXPECT_TRUE(layout.slotsOf(1).empty());
  EXPECT_FALSE(collect(layout, 0, -1e12, 1e12, 1).empty());
}

TEST(InstructionLayout, EmptyWhereTheDeviceTellsNone) {
  EXPECT_TRUE(InstructionLayout(testing::makeSyntheticRun()).empty());
  warpscope::Run run = threeInstructions();
  run.listing.reset();
  const InstructionLayout layout(run);
  EXPECT_TRUE(layout.empty());
  EXPECT_TRUE(collect(layout, 0, 0, 100, 1).empty());
  EXPECT_FALSE(layout.pick(0, 10));
}

}  // namespace
}  // namespace warpscope
