// Why achieved occupancy is below theory, on runs made by hand.
#include "kernels/metrics/achieved_cause.h"

#include <gtest/gtest.h>

#include "kernels/core/json.h"
#include "kernels/metrics/run_report.h"

namespace warpscope {
namespace {

// 132 SMs with room for 8 blocks each.
warpscope::Run runOf(uint32_t blocks, double achieved_warps) {
  warpscope::Run run;
  run.grid = {blocks};
  run.block = {256};
  run.device.limits.sm_count = 132;
  run.occupancy = {.blocks_per_sm = 8, .warps_per_sm = 64, .max_warps_per_sm = 64, .theoretical = 1};
  run.trace.mean_resident_warps = achieved_warps;
  return run;
}

TEST(AchievedCause, SaysWhatIsMissing) {
  EXPECT_EQ(achievedCause(runOf(64, 8)), "64 blocks on 132 SMs");
  EXPECT_EQ(achievedCause(runOf(528, 32)), "528 blocks on 132 SMs, each of which has room for 8");
  EXPECT_EQ(achievedCause(runOf(1100, 40)), "the last of 2 waves has 44 of 1,056 blocks");
  EXPECT_EQ(runReport(runOf(64, 8)).at("occupancy").at("achieved_cause"), "64 blocks on 132 SMs");
}

TEST(AchievedCause, IsNotLookedForWithoutNeed) {
  EXPECT_EQ(achievedCause(runOf(64, 60)), "") << "94 % of theory";
  warpscope::Run run = runOf(64, 8);
  run.trace.mean_resident_warps.reset();
  EXPECT_EQ(achievedCause(run), "") << "it is not known";
  EXPECT_EQ(achievedCause(runOf(2112, 40)), "") << "two whole waves";
}

// One of two warps ends after a quarter of its block's time.
TEST(AchievedCause, WarpsThatEndBeforeTheirBlock) {
  warpscope::Run run = runOf(2112, 40);
  run.trace.warps = {{.block = BlockId{0}, .end_cycles = 1000},
                     {.block = BlockId{0}, .warp_in_block = 1, .end_cycles = 250}};
  EXPECT_EQ(achievedCause(run), "37.5 % of the warp slots are empty until the last warp of their block ends");
}

}  // namespace
}  // namespace warpscope
