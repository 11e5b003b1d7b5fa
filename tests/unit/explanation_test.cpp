// The explanation of a difference says only what the runs' own numbers support.
#include <gtest/gtest.h>

#include "kernels/metrics/counters.h"
#include "kernels/run/warp_state.h"
#include "tests/support/compared_runs.h"

namespace warpscope {
namespace {

using testing::modelledRun;
using testing::timedRun;

void setShared(Run& run, const char* kind, double requests, double wavefronts) {
  run.counters[fmt::format("smsp__inst_executed_op_shared_{}.sum", kind)] = requests;
  run.counters[fmt::format("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum", kind)] = wavefronts;
  run.counters[fmt::format("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum", kind)] =
      wavefronts - requests;
}

void setGlobal(Run& run, const char* kind, double requests, double sectors) {
  run.counters[fmt::format("l1tex__t_requests_pipe_lsu_mem_global_op_{}.sum", kind)] = requests;
  run.counters[fmt::format("l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum", kind)] = sectors;
}

// Everything that a simulated device counts, with unremarkable values.
void setCounters(Run& run) {
  for (const char* kind : {"ld", "st", "atom"})
    setShared(run, kind, kind[0] == 'a' ? 0 : 100, kind[0] == 'a' ? 0 : 100);
  for (const char* kind : {"ld", "st", "atom", "red"})
    setGlobal(run, kind, kind[0] == 'l' ? 1000 : 0, kind[0] == 'l' ? 4000 : 0);
  run.counters["smsp__inst_executed.sum"] = run.counters["smsp__inst_issued.sum"] = 10000;
  for (size_t i = 0; i < kWarpStates; ++i) run.counters[warpStateCounter(static_cast<WarpState>(i))] = 1;
}

std::vector<Explanation> explained(const ComparedRuns& runs) {
  const auto comparison = compareRuns(runs, {});
  EXPECT_TRUE(comparison.has_value());
  return comparison.value().explanations;
}

// The explanation of a run that is twice as slow as another, with one thing changed.
Explanation explanationOf(const std::function<void(warpscope::Run&)>& change) {
  const auto fast = modelledRun("warp_aligned", 10, setCounters);
  const auto slow = modelledRun("thread_gt_2", 20, [&](auto& run) {
    setCounters(run);
    change(run);
  });
  const auto all = explained({slow, fast});
  EXPECT_EQ(all.size(), 1U);
  if (all.empty()) return {};
  EXPECT_EQ(all[0].run, 0U);
  EXPECT_EQ(all[0].than, 1U);
  EXPECT_DOUBLE_EQ(all[0].slower, 2);
  return all[0];
}

TEST(Explanation, SaysNothingWhereNothingDiffers) {
  const Explanation none = explanationOf([](auto&) {});
  EXPECT_TRUE(none.causes.empty());
  EXPECT_EQ(none.text,
            "Threads beyond the third: 2.00x slower than Even / odd warps: no recorded counter explains the "
            "difference");
}

TEST(Explanation, NamesBankConflictsWithBothNumbers) {
  const Explanation conflicts = explanationOf([](auto& run) { setShared(run, "ld", 100, 3200); });
  ASSERT_EQ(conflicts.causes.size(), 1U);
  EXPECT_EQ(conflicts.causes[0].name, "shared_load_wavefronts_per_request");
  EXPECT_EQ(conflicts.causes[0].here, 32);
  EXPECT_EQ(conflicts.causes[0].there, 1);
  EXPECT_EQ(conflicts.text,
            "Threads beyond the third: 2.00x slower than Even / odd warps: bank conflicts: 32.0 wavefronts a "
            "shared load "
            "instead of 1.00");
  EXPECT_TRUE(explanationOf([](auto& run) { setShared(run, "ld", 100, 110); }).causes.empty())
      << "too little";
  EXPECT_TRUE(explanationOf([](auto& run) {
                setShared(run, "ld", 10000, 10000);
                setShared(run, "st", 10, 320);
              }).causes.empty())
      << "many conflicts in a small share of the requests";
}

TEST(Explanation, NamesUncoalescedAccesses) {
  const Explanation scattered = explanationOf([](auto& run) { setGlobal(run, "ld", 1000, 32000); });
  ASSERT_EQ(scattered.causes.size(), 1U);
  EXPECT_EQ(scattered.causes[0].text, "32.0 sectors a global load instead of 4.00");
  EXPECT_TRUE(explanationOf([](auto& run) { setGlobal(run, "ld", 250, 4000); }).causes.empty())
      << "four times as wide, the same sectors in all";
  const Explanation more = explanationOf([](auto& run) { setGlobal(run, "ld", 3000, 12000); });
  ASSERT_EQ(more.causes.size(), 1U);
  EXPECT_EQ(more.causes[0].text, "12,000 sectors moved by global loads instead of 4,000");
  const Explanation atomics = explanationOf([](auto& run) { setGlobal(run, "red", 4000, 4000); });
  ASSERT_EQ(atomics.causes.size(), 1U);
  EXPECT_EQ(atomics.causes[0].text, "4,000 sectors moved by global atomics, where the other has none");
}

TEST(Explanation, NamesTheReasonToWaitThatGrewMost) {
  const Explanation waits = explanationOf([](auto& run) {
    run.counters[warpStateCounter(WarpState::kBarrier)] = 9;
    run.counters[warpStateCounter(WarpState::kWait)] = 2;
  });
  ASSERT_EQ(waits.causes.size(), 1U);
  EXPECT_EQ(waits.causes[0].name, "warp_cycles_barrier");
  EXPECT_EQ(waits.causes[0].here, 90000);
  EXPECT_EQ(waits.causes[0].there, 10000);
}

TEST(Explanation, ComparesTotalsByTheByte) {
  const auto fast = modelledRun("warp_aligned", 10, setCounters);
  const auto large = modelledRun("thread_gt_2", 80, [](auto& run) {
    setCounters(run);
    run.request.parameters["size"] *= 4;
    run.bandwidth.bytes *= 4;
    for (const char* name : {"smsp__inst_executed.sum", "smsp__inst_issued.sum"}) run.counters[name] *= 4;
    setGlobal(run, "ld", 4000, 16000);
  });
  const auto all = explained({fast, large});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_DOUBLE_EQ(all[0].slower, 2) << "a byte";
  EXPECT_TRUE(all[0].causes.empty()) << all[0].text;
}

TEST(Explanation, OfMeasuredRunsUsesWhatTheyTell) {
  const auto even_odd = timedRun("even_odd", 30, 29, 31);
  const auto all = explained({even_odd, timedRun("warp_aligned", 10, 9, 11)});
  ASSERT_EQ(all.size(), 1U);
  ASSERT_FALSE(all[0].causes.empty());
  EXPECT_EQ(all[0].causes[0].name, "lost_lane_share");
  EXPECT_GT(all[0].causes[0].here, 0.25);

  const auto fewer = timedRun("thread_gt_2", 30, 29, 31, 20, [](auto& run) {
    run.occupancy.theoretical = 0.25;
    run.trace = {};
  });
  const auto other = timedRun("warp_aligned", 10, 9, 11, 20, [](auto& run) { run.trace = {}; });
  const auto occupancy = explained({fewer, other});
  ASSERT_EQ(occupancy.size(), 1U);
  ASSERT_EQ(occupancy[0].causes.size(), 1U);
  EXPECT_EQ(occupancy[0].causes[0].text, "theoretical occupancy 25 % instead of 75 %");
}

TEST(Explanation, IsNotGivenWithinNoiseOrAcrossProvenanceOrFamily) {
  EXPECT_TRUE(explained({timedRun("even_odd", 12, 9, 13), timedRun("warp_aligned", 10, 9, 11)}).empty());
  EXPECT_TRUE(
      explained({timedRun("even_odd", 10.3, 10.2, 10.4), timedRun("warp_aligned", 10, 9.9, 10.1)}).empty())
      << "3 %";
  EXPECT_TRUE(explained({timedRun("even_odd", 30, 29, 31), modelledRun("warp_aligned", 10)}).empty());
  const auto other = timedRun("even_odd", 30, 29, 31, 20, [](auto& run) { run.request.family = "banks"; });
  EXPECT_TRUE(explained({other, timedRun("warp_aligned", 10, 9, 11)}).empty());
}

TEST(RequestCost, IsAbsentWithoutCountersOrRequests) {
  warpscope::Run run = testing::makeSyntheticRun();
  EXPECT_FALSE(bankConflictsPerRequest(run).has_value());
  EXPECT_FALSE(sectorsPerRequest(run).has_value());
  setCounters(run);
  EXPECT_EQ(bankConflictsPerRequest(run), 0);
  EXPECT_EQ(sectorsPerRequest(run), 4);
  EXPECT_FALSE(wavefrontsPerRequest(run, AccessKind::kAtomic).has_value());
  EXPECT_EQ(sharedWavefronts(run, AccessKind::kAtomic), 0);
  setShared(run, "st", 300, 900);
  EXPECT_EQ(wavefrontsPerRequest(run, AccessKind::kStore), 3);
  EXPECT_EQ(bankConflictsPerRequest(run, AccessKind::kStore), 2);
  EXPECT_EQ(bankConflictsPerRequest(run), 1.5) << "600 of 400";
  setGlobal(run, "atom", 10, 20);
  setGlobal(run, "red", 30, 30);
  EXPECT_EQ(sectorsPerRequest(run, AccessKind::kAtomic), 1.25);
  EXPECT_EQ(globalSectors(run, AccessKind::kAtomic), 50);
}

}  // namespace
}  // namespace warpscope
