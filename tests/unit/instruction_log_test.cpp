#include <gtest/gtest.h>

#include "kernels/execute/merge.h"

namespace warpscope {
namespace {

TEST(InstructionLog, GivesEachInstructionToItsWarpOnTheLaunchAxis) {
  Trace trace;
  trace.warps = {{.block = BlockId{0}, .warp_in_block = 0, .sm = SmId{0}},
                 {.block = BlockId{2}, .warp_in_block = 1, .sm = SmId{1}}};
  trace.clocks.sms = {{.sm = SmId{0}, .offset_cycles = -100}, {.sm = SmId{1}, .offset_cycles = -50}};
  ModelledReport report;
  const LaneMask half{0xFFFF};
  report.log = {{110, BlockId{2}, 1, 7, kFullMask, WarpState::kWait, 3},
                {111, BlockId{0}, 0, 5, half, WarpState::kSelected, 0},
                {112, BlockId{1}, 0, 6, kFullMask, WarpState::kSelected, 0},  // not recorded
                {113, BlockId{0}, 0, 6, half, WarpState::kLongScoreboard, 2}};
  report.log_dropped = 4;
  addInstructions(trace, report);

  ASSERT_EQ(trace.instructions.size(), 3U);
  const auto first = trace.instructionsOf(trace.warps[0]);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].issue_cycles, 11);
  EXPECT_EQ(first[0].listed, 5U);
  EXPECT_EQ(first[0].mask, half);
  EXPECT_EQ(first[1].issue_cycles, 13);
  EXPECT_EQ(first[1].waited_for, WarpState::kLongScoreboard);
  EXPECT_EQ(first[1].waited_cycles, 2U);
  const auto second = trace.instructionsOf(trace.warps[1]);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].issue_cycles, 60);
  EXPECT_EQ(second[0].listed, 7U);
  EXPECT_EQ(trace.dropped_instructions, 4U);
}

}  // namespace
}  // namespace warpscope
