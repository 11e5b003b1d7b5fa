// Compares traces, and the simulated GPU's counters for the bare kernel, with the exact theory of branches of
// different granularity: which lanes run which path together, and which branches diverge.
#include <algorithm>
#include <bit>
#include <map>

#include "kernels/experiments/divergence/regions.h"
#include "kernels/experiments/family_parts.h"
#include "kernels/metrics/metrics.h"
#include "tests/device/device_fixture.h"

namespace warpscope::test {
namespace {

using namespace divergence;

using Divergence = DeviceTest;

constexpr int64_t kSize = 1 << 12;

Run runDivergence(const char* variant, ParameterValues parameters = {}) {
  parameters.insert({"size", kSize});
  Run run = runRecorded("divergence", variant, std::move(parameters));
  EXPECT_TRUE(run.verification.passed) << run.verification.detail;
  return run;
}

double divergentBranches(const Run& run) {
  return counter(run, "ptx.branches_divergent");
}

// The lanes that ran a path together, warp by warp; 0 where a warp did not run it.
std::vector<uint32_t> masksIn(const Run& run, uint32_t region) {
  std::vector<uint32_t> masks;
  for (const TraceWarp& warp : run.trace.warps) {
    uint32_t mask = 0;
    forEachSpan(run.trace, warp, [&](const Span& span) {
      if (span.region.value != region) return;
      EXPECT_EQ(mask, 0U) << "a path is run once";
      mask = span.mask.bits;
    });
    masks.push_back(mask);
  }
  return masks;
}

TEST_F(Divergence, ShortPathsArePredicatedAndNoBranchDiverges) {
  const auto run = runDivergence("even_odd", {{"work", 0}});
  // PTX still has the branch; the machine code made from it does not.
  EXPECT_EQ(counter(run, "smsp__sass_branch_targets_threads_divergent.sum"), 0);
  EXPECT_EQ(branchEfficiency(run), 1.0);
  // One FMA in a loop is enough for a branch.
  const auto looped = runDivergence("even_odd", {{"work", 1}});
  EXPECT_GE(counter(looped, "smsp__sass_branch_targets_threads_divergent.sum"), kSize / 32);
  EXPECT_LT(branchEfficiency(looped), 1.0);
}

TEST_F(Divergence, OnlyTheFirstWarpOfABlockHasThreadsUpTo2) {
  const auto run = runDivergence("thread_gt_2", {{"block", 128}});
  const auto first = masksIn(run, kFirstPath), second = masksIn(run, kSecondPath);
  for (size_t i = 0; i < run.trace.warps.size(); ++i) {
    const bool divides = run.trace.warps[i].warp_in_block == 0;
    EXPECT_EQ(second[i], divides ? 7U : 0U);
    EXPECT_EQ(first[i], divides ? ~7U : kAllLanes);
  }
  EXPECT_EQ(divergentBranches(run), kSize / 128);
}

TEST_F(Divergence, ShiftAndMaskGiveTheWarpsParity) {
  const auto run = runDivergence("warp_shift");
  const auto first = masksIn(run, kFirstPath);
  for (size_t i = 0; i < run.trace.warps.size(); ++i) {
    EXPECT_EQ(first[i], run.trace.warps[i].warp_in_block % 2 == 0 ? kAllLanes : 0U);
  }
  EXPECT_EQ(divergentBranches(run), 0);
}

TEST_F(Divergence, BlocksThatAgreeDoNotDiverge) {
  const auto run = runDivergence("block_aligned");
  const auto first = masksIn(run, kFirstPath);
  for (size_t i = 0; i < run.trace.warps.size(); ++i) {
    EXPECT_EQ(first[i], run.trace.warps[i].block.value % 2 == 0 ? kAllLanes : 0U);
  }
  EXPECT_EQ(divergentBranches(run), 0);
}

TEST_F(Divergence, SelectingConstantsNeedsNoBranch) {
  const auto run = runDivergence("branchless");
  EXPECT_EQ(masksIn(run, kBothPaths), std::vector<uint32_t>(kSize / 32, kAllLanes));
  EXPECT_EQ(divergentBranches(run), 0);
  // Compares the paths one after another with all lanes together.
  const auto cycles = [](const char* variant) {
    return counter(runDivergence(variant, {{"work", 1024}}), "sm__cycles_active.avg");
  };
  // Less than twice: what selects needs three registers in each multiply-add, the paths one and constants (on
  // the recorded H100 1.6 times).
  EXPECT_GT(cycles("even_odd"), 1.5 * cycles("branchless"));
}

TEST_F(Divergence, SortedAndStripedDataAgreeWhereRandomDataDoNot) {
  const auto partial = [](Order order) {
    const auto run = runDivergence("data_dependent", {{"data", static_cast<int64_t>(order)}, {"share", 25}});
    const auto masks = masksIn(run, kFirstPath);
    const auto count =
        std::ranges::count_if(masks, [](uint32_t mask) { return mask != 0 && mask != kAllLanes; });
    EXPECT_EQ(divergentBranches(run), count);
    // A quarter of 64 values is 16 of them, in any order.
    uint32_t lanes = 0;
    for (const uint32_t mask : masks) lanes += static_cast<uint32_t>(std::popcount(mask));
    EXPECT_NEAR(lanes, kSize / 4.0, kSize / 16.0);
    return count;
  };
  EXPECT_GT(partial(Order::kRandom), kSize / 32 * 9 / 10);
  EXPECT_LE(partial(Order::kSorted), 1);
  EXPECT_EQ(partial(Order::kStriped), 0);
}

TEST_F(Divergence, AQueueFillsWarpsFromTheFirstLane) {
  const auto run = runDivergence("work_queue", {{"block", 256}, {"share", 40}});
  const auto masks = masksIn(run, kFirstPath);
  std::map<uint32_t, std::vector<uint32_t>> blocks;
  for (size_t i = 0; i < masks.size(); ++i) blocks[run.trace.warps[i].block.value].push_back(masks[i]);
  for (const auto& [block, warps] : blocks) {
    bool full = true;
    for (const uint32_t mask : warps) {
      EXPECT_EQ(mask & (mask + 1), 0U) << "from the first lane on, without gaps";
      EXPECT_TRUE(full || mask == 0) << "only the last warp with work is not full, block " << block;
      full = mask == kAllLanes;
    }
  }
  const auto with_work = [](const auto& of) {
    const auto ran = masksIn(of, kFirstPath);
    return std::ranges::count_if(ran, [](uint32_t mask) { return mask != 0; });
  };
  EXPECT_LT(with_work(run), kSize / 32 * 6 / 10);
  EXPECT_GT(with_work(runDivergence("data_dependent", {{"share", 40}})), kSize / 32 * 9 / 10);
}

TEST_F(Divergence, AQueueSavesWhatWarpsWithFewBusyLanesIssue) {
  const auto instructions = [](const char* variant) {
    return counter(runDivergence(variant, {{"share", 10}, {"work", 1024}}), "smsp__inst_executed.sum");
  };
  EXPECT_LT(instructions("work_queue"), instructions("data_dependent") / 4);
}

TEST_F(Divergence, HalfOfTheLanesAreLostWhereParityDecides) {
  const auto lost = [](const char* variant) {
    return lostLaneShare(runDivergence(variant, {{"work", 2048}}).trace).value();
  };
  EXPECT_NEAR(lost("even_odd"), 0.5, 0.02);
  EXPECT_EQ(lost("warp_aligned"), 0.0);
}

}  // namespace
}  // namespace warpscope::test
