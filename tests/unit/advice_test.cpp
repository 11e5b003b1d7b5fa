// Advice on runs made by hand, whose gains can be computed in the head.
#include "kernels/metrics/advice.h"

#include <gtest/gtest.h>

#include "kernels/run/warp_state.h"

namespace warpscope {
namespace {

// A launch of 10 µs, of which 2 µs are overhead, on 4 SMs that hold 8 blocks each; every warp executes with
// all of its lanes.
warpscope::Run plainRun(const char* variant = "plain") {
  warpscope::Run run;
  run.request.family = "made";
  run.request.variant = variant;
  run.grid = {64};
  run.block = {256};
  run.verification.passed = true;
  run.timing = {10, 10, 10, 1, 1};
  run.probe = {1, 10};
  run.trace.clocks.cycles_per_ns = 1;
  run.trace.duration_cycles = 8000;
  run.occupancy = {.blocks_per_sm = 8, .theoretical = 1};
  run.device.limits.sm_count = 4;
  run.bandwidth.bytes = 32 * 400;
  return run;
}

void addWarp(warpscope::Run& run, LaneMask executing) {
  run.regions = {{RegionId{0}, "path"}};
  run.trace.warps.push_back(
      {.live = LaneMask{0xFFFFFFFF}, .begin_cycles = 0, .end_cycles = 1000, .event_count = 1});
  run.trace.events.push_back({0, executing, RegionId{0}});
}

void wait(warpscope::Run& run, WarpState state, double share) {
  run.counters[warpStateCounter(WarpState::kSelected)] = 10 * (1 - share);
  run.counters[warpStateCounter(state)] = 10 * share;
}

std::optional<Advice> advised(const warpscope::Run& run, AdviceKind kind) {
  for (const Advice& advice : adviceFor(run)) {
    if (advice.kind == kind) return advice;
  }
  return std::nullopt;
}

TEST(Advice, NothingIsAdvisedForARunWithoutFlaws) {
  warpscope::Run run = plainRun();
  addWarp(run, LaneMask{0xFFFFFFFF});
  EXPECT_TRUE(adviceFor(run).empty());
  run.verification.passed = false;
  addWarp(run, LaneMask{1});
  EXPECT_TRUE(adviceFor(run).empty()) << "a wrong result is not made faster";
}

// Half of the lanes wait: the kernel's 8 µs become 4, and the 2 µs of overhead stay.
TEST(Advice, Divergence) {
  warpscope::Run run = plainRun();
  addWarp(run, LaneMask{0x55555555});
  const auto advice = advised(run, AdviceKind::kDivergence);
  ASSERT_TRUE(advice.has_value());
  EXPECT_DOUBLE_EQ(advice->gain, 10.0 / 6);
  EXPECT_EQ(advice->text, "Let the lanes of a warp take the same path: about 1.7 times faster.");
  EXPECT_EQ(advice->evidence, "50 % of the lane-cycles are lost to lanes that wait for another path.");
  EXPECT_EQ(advice->view, "lanes");
  EXPECT_NE(advice->how.find("2.00 µs"), std::string::npos) << advice->how;
}

// 100 loads take 800 wavefronts, 700 of them conflicts, and warps wait 80 % of their time for them: 70 % go.
TEST(Advice, BankConflicts) {
  warpscope::Run run = plainRun();
  wait(run, WarpState::kShortScoreboard, 0.8);
  run.counters["smsp__inst_executed_op_shared_ld.sum"] = 100;
  run.counters["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] = 800;
  run.counters["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"] = 700;
  const auto advice = advised(run, AdviceKind::kBankConflicts);
  ASSERT_TRUE(advice.has_value());
  EXPECT_NEAR(advice->gain, 10 / (2 + 8 * 0.3), 1e-9);
  EXPECT_EQ(advice->evidence, "8.00 wavefronts a request to shared memory, where 1.00 would do.");
}

// 100 loads of 32 sectors, where 4 would do; each waits 1,400 cycles, 280 of which it would wait anyway.
TEST(Advice, AccessesThatAreNotCoalesced) {
  warpscope::Run run = plainRun();
  run.counters[warpStateCounter(WarpState::kSelected)] = 100;
  run.counters[warpStateCounter(WarpState::kLongScoreboard)] = 1400;
  run.counters["smsp__inst_issued.sum"] = 100;
  run.counters["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] = 100;
  run.counters["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = 3200;
  const auto advice = advised(run, AdviceKind::kUncoalesced);
  ASSERT_TRUE(advice.has_value());
  const double share = 1400.0 / 1500 * 0.8 * 0.875;
  EXPECT_NEAR(advice->gain, 10 / (2 + 8 * (1 - share)), 1e-9);
  EXPECT_EQ(advice->view, "sectors");

  run.bandwidth.bytes = 32 * 3200;
  EXPECT_FALSE(advised(run, AdviceKind::kUncoalesced).has_value()) << "all of the sectors are needed";
}

// 40 blocks are 1.25 waves of 32, and take as long as two.
TEST(Advice, ATailOfBlocks) {
  warpscope::Run run = plainRun();
  run.grid = {40};
  const auto advice = advised(run, AdviceKind::kTail);
  ASSERT_TRUE(advice.has_value());
  EXPECT_NEAR(advice->gain, 10 / (2 + 8 * 0.625), 1e-9);
  run.grid = {64};
  EXPECT_FALSE(advised(run, AdviceKind::kTail).has_value());
}

TEST(Advice, BarriersAndOccupancy) {
  warpscope::Run run = plainRun();
  wait(run, WarpState::kBarrier, 0.5);
  EXPECT_DOUBLE_EQ(advised(run, AdviceKind::kBarriers).value().gain, 10.0 / 6);

  run = plainRun();
  wait(run, WarpState::kLongScoreboard, 0.8);
  run.occupancy.theoretical = 0.5;
  EXPECT_NEAR(advised(run, AdviceKind::kOccupancy).value().gain, 10 / (2 + 8 * 0.6), 1e-9);
  run.bandwidth.gb_per_s = 90;
  run.bandwidth.copy_gb_per_s = 100;
  EXPECT_FALSE(advised(run, AdviceKind::kOccupancy).has_value()) << "memory is the limit";
}

// 8 of 10 µs are overhead. 32 blocks fit and 16 run: twice the work is free, then the kernel grows to 12 µs.
TEST(Advice, MoreWorkComesLast) {
  warpscope::Run run = plainRun();
  run.grid = {16};
  run.trace.duration_cycles = 2000;
  addWarp(run, LaneMask{1});
  const auto all = adviceFor(run);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].kind, AdviceKind::kDivergence);
  EXPECT_EQ(all[1].kind, AdviceKind::kMoreWork);
  EXPECT_DOUBLE_EQ(all[1].work.value(), 12);
  EXPECT_DOUBLE_EQ(all[1].gain, 12.0 * 10 / (12 + 8));
}

TEST(Advice, TheVariantThatDoesIt) {
  warpscope::Run slow = plainRun("slow"), same = plainRun("same"), fast = plainRun("fast"),
                 best = plainRun("best");
  addWarp(slow, LaneMask{0x55555555});
  addWarp(same, LaneMask{0x55555555});
  for (warpscope::Run* run : {&fast, &best}) addWarp(*run, LaneMask{0xFFFFFFFF});
  same.timing.median_us = 5;
  fast.timing.median_us = 8;
  best.timing.median_us = 7;
  const Advice advice = advised(slow, AdviceKind::kDivergence).value();
  const std::vector<const warpscope::Run*> others{&slow, &same, nullptr, &fast, &best};
  EXPECT_EQ(variantThatDoes(advice, slow, others), 4U);
  best.verification.passed = false;
  EXPECT_EQ(variantThatDoes(advice, slow, others), 3U);
  fast.request.parameters["size"] = 1;
  slow.request.parameters["size"] = 2;
  EXPECT_EQ(variantThatDoes(advice, slow, others), std::nullopt) << "at other settings";
}

}  // namespace
}  // namespace warpscope
