// Metrics of what warps issued and waited for.
#include "kernels/metrics/instruction_metrics.h"

#include <gtest/gtest.h>

#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

TEST(WarpStates, OfARunComeFromItsCounters) {
  warpscope::Run run;
  EXPECT_TRUE(warpStates(run).empty()) << "a device that does not tell";
  run.counters = {{warpStateCounter(WarpState::kSelected), 1},
                  {warpStateCounter(WarpState::kBarrier), 3},
                  {warpStateCounter(WarpState::kMembar), 0},
                  {"smsp__inst_executed.sum", 1000}};
  const auto states = warpStates(run);
  ASSERT_EQ(states.size(), 2U);
  EXPECT_EQ(states[0].state, WarpState::kBarrier);
  EXPECT_DOUBLE_EQ(states[0].cycles, 3);
  EXPECT_DOUBLE_EQ(states[0].share, 0.75);
  EXPECT_EQ(states[1].state, WarpState::kSelected);
}

TEST(WarpStates, OfAWarpComeFromItsInstructions) {
  Trace trace;
  trace.instructions = {{0, 0, kFullMask},
                        {10, 0, kFullMask, WarpState::kLongScoreboard, 9},
                        {16, 0, kFullMask, WarpState::kWait, 5},
                        {17, 0, kFullMask}};
  const TraceWarp warp{.instruction_count = 4};
  const auto states = warpStates(trace, warp);
  ASSERT_EQ(states.size(), 3U);
  EXPECT_EQ(states[0].state, WarpState::kLongScoreboard);
  EXPECT_DOUBLE_EQ(states[0].cycles, 9.0 / 4);
  EXPECT_DOUBLE_EQ(states[0].share, 9.0 / 18);
  EXPECT_EQ(states[1].state, WarpState::kWait);
  EXPECT_EQ(states[2].state, WarpState::kSelected);
  EXPECT_DOUBLE_EQ(states[2].cycles, 1);
  EXPECT_TRUE(warpStates(trace, TraceWarp{}).empty());
}

TEST(IssueMetrics, LinesAddUpToAllInstructions) {
  warpscope::Run run = testing::makeSyntheticRun();
  testing::addInstructions(run);
  const auto of_listing = issueMetricsOfListing(run);
  ASSERT_EQ(of_listing.size(), run.listing->size());
  IssueMetrics all, of_lines;
  for (const TraceInstruction& instruction : run.trace.instructions) all.add(instruction);
  const auto lines = issueMetricsOfLines(run, of_listing);
  for (const IssueMetrics& line : lines) of_lines += line;
  EXPECT_EQ(of_lines.issued, run.trace.instructions.size());
  EXPECT_EQ(of_lines.thread_instructions, all.thread_instructions);
  EXPECT_EQ(of_lines.stall_cycles, all.stall_cycles);
  EXPECT_EQ(lines[0].issued, 0U) << "the probe's own instructions belong to the line that calls it";
  EXPECT_GT(lines[5].issued, 0U);
  EXPECT_LE(lines[5].meanLanes(), 32);
}

TEST(IssueMetrics, TheLongestReasonIsTold) {
  IssueMetrics metrics;
  EXPECT_EQ(metrics.longest(), WarpState::kSelected);
  EXPECT_EQ(metrics.meanLanes(), 0);
  metrics.add({10, 0, LaneMask{0xF}, WarpState::kBarrier, 7});
  metrics.add({30, 0, LaneMask{0x3}, WarpState::kWait, 4});
  EXPECT_EQ(metrics.longest(), WarpState::kBarrier);
  EXPECT_EQ(metrics.stall_cycles, 11);
  EXPECT_DOUBLE_EQ(metrics.meanLanes(), 3);
}

TEST(IssueMetrics, ToleratesDamagedLogs) {
  warpscope::Run run;
  run.listing = std::make_shared<const Listing>(Listing{{"add", "", 0, "", 0}});
  run.trace.instructions = {{0, 17, kFullMask}, {1, 0, kFullMask, static_cast<WarpState>(99), 3}};
  const auto of_listing = issueMetricsOfListing(run);
  EXPECT_EQ(of_listing[0].issued, 1U);
  EXPECT_EQ(issueMetricsOfLines(run, of_listing)[0].issued, 1U);
}

TEST(IssueMetrics, OfARealGpuAreItsSamples) {
  warpscope::Run run;
  run.source_file = "k.cu";
  run.listing = std::make_shared<const Listing>(
      Listing{{"ld", "k.cu", 3, "", 0}, {"add", "k.cu", 3, "", 0}, {"ret", "other.cuh", 9, "", 0}});
  run.wait_samples = {.taken = 60,
                      .places = {{0, WarpState::kSelected, 4},
                                 {0, WarpState::kLongScoreboard, 20},
                                 {1, WarpState::kLongScoreboard, 2},
                                 {1, WarpState::kWait, 9},
                                 {2, WarpState::kCount, 25},
                                 {7, WarpState::kWait, 1}}};
  const auto of_listing = issueMetricsOfListing(run);
  ASSERT_EQ(of_listing.size(), 3U);
  EXPECT_EQ(of_listing[0].samples, 24U);
  EXPECT_EQ(of_listing[0].stalled_samples, 20);
  EXPECT_EQ(of_listing[0].longest(), WarpState::kLongScoreboard);
  EXPECT_EQ(of_listing[2].stalled_samples, 25) << "for something without a name";
  EXPECT_EQ(of_listing[2].longest(), WarpState::kSelected);
  const auto of_lines = issueMetricsOfLines(run, of_listing);
  ASSERT_EQ(of_lines.size(), 4U);
  EXPECT_EQ(of_lines[3].samples, 35U);
  EXPECT_EQ(of_lines[3].waits(), 31);
  EXPECT_EQ(of_lines[3].stall_cycles, 0) << "samples are not cycles";
  EXPECT_EQ(of_lines[0].waits(), 25);
}

}  // namespace
}  // namespace warpscope
