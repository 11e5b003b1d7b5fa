// Achieved occupancy: which of its sources counts, how far it may be off, and how that is written.
#include "kernels/metrics/achieved.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/core/json.h"
#include "kernels/metrics/metric.h"
#include "kernels/metrics/metrics.h"
#include "kernels/metrics/run_report.h"

namespace warpscope {
namespace {

constexpr const char* kCounter = "sm__warps_active.avg.pct_of_peak_sustained_active";

warpscope::Run measuredRun() {
  warpscope::Run run;
  run.device.provenance = Provenance::kMeasured;
  run.device.limits.sm_count = 132;
  run.grid = {8448};
  run.block = {256};
  run.occupancy = {.blocks_per_sm = 8, .warps_per_sm = 64, .max_warps_per_sm = 64, .theoretical = 1};
  run.trace.mean_resident_warps = 32;
  run.trace.residency_evidence = ResidencyEvidence{.probe_cycles = 400, .probe_share = 0.05};
  return run;
}

TEST(Achieved, IsTheCounterWhereItWasRead) {
  warpscope::Run run = measuredRun();
  run.counters[kCounter] = 47.25;
  const auto found = achievedOf(run);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->from, AchievedFrom::kCounter);
  EXPECT_DOUBLE_EQ(found->share, 0.4725);
  EXPECT_DOUBLE_EQ(found->low, 0.4725);
  EXPECT_DOUBLE_EQ(found->high, 0.4725);
  EXPECT_DOUBLE_EQ(achievedOccupancy(run).value(), 0.4725);
  const Json occupancy = runReport(run)["occupancy"];
  EXPECT_EQ(occupancy["achieved"], 0.4725);
  EXPECT_EQ(occupancy["achieved_low"], 0.4725);
  EXPECT_EQ(occupancy["achieved_high"], 0.4725);
  EXPECT_EQ(occupancy["achieved_from"], "counter");
  const Metric& metric = *findMetric("achieved");
  EXPECT_EQ(formatMetric(metric, metric.compute(run).value(), {}), "47.2 %");
}

TEST(Achieved, IsOtherwiseEstimatedWithARange) {
  const warpscope::Run run = measuredRun();
  const auto found = achievedOf(run);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->from, AchievedFrom::kResidency);
  EXPECT_DOUBLE_EQ(found->share, 0.5);
  EXPECT_NEAR(found->low, 0.5 - 0.015 - 0.4 * 0.05 * 0.5, 1e-9);
  EXPECT_NEAR(found->high, 0.5 + 0.015 + 0.3 * 0.05 * 0.5, 1e-9);
  const Json occupancy = runReport(run)["occupancy"];
  EXPECT_EQ(occupancy["achieved"], 0.5);
  EXPECT_NEAR(occupancy["achieved_low"].get<double>(), found->low, 1e-9);
  EXPECT_NEAR(occupancy["achieved_high"].get<double>(), found->high, 1e-9);
  EXPECT_EQ(occupancy["achieved_from"], "residency");
  EXPECT_EQ(occupancy["residency"]["probe_cycles"], 400);
  const Metric& metric = *findMetric("achieved");
  EXPECT_EQ(formatMetric(metric, metric.compute(run).value(), {}), "50 % ± 3 points");
}

TEST(Achieved, OfOlderRecordingsIsARange) {
  warpscope::Run run = measuredRun();
  run.trace.residency_evidence.reset();
  const auto found = achievedOf(run);
  ASSERT_TRUE(found);
  EXPECT_LT(found->low, 0.45);
  EXPECT_GT(found->high, 0.55);
}

TEST(Achieved, IsNoMoreThanTheoryAllowsAndNoLessThanNothing) {
  warpscope::Run run = measuredRun();
  run.trace.mean_resident_warps = 63.8;
  EXPECT_DOUBLE_EQ(achievedOf(run)->high, 1);
  run.trace.mean_resident_warps = 0.1;
  EXPECT_DOUBLE_EQ(achievedOf(run)->low, 0);
}

TEST(Achieved, OfRecordedWarpsIsExactOnlyWhereRecordingTakesNoTime) {
  warpscope::Run run = measuredRun();
  run.trace.mean_resident_warps.reset();
  run.grid = {2};
  run.block = {32};
  run.trace.duration_cycles = 100;
  for (const uint32_t block : {0U, 1U}) {
    run.trace.warps.push_back({.block = BlockId{block}, .begin_cycles = 0, .end_cycles = 100});
  }
  const auto measured = achievedOf(run);
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->from, AchievedFrom::kRecordedWarps);
  EXPECT_DOUBLE_EQ(measured->share, 2.0 / 64);
  EXPECT_GT(measured->high, 0.1);
  // Blocks that succeed others: how late they seem to come is not known.
  run.device.limits.sm_count = 1;
  run.occupancy.blocks_per_sm = 1;
  EXPECT_DOUBLE_EQ(achievedOf(run)->high, 1);
  run.device.provenance = Provenance::kModelled;
  EXPECT_DOUBLE_EQ(achievedOf(run)->high, 2.0 / 64);
  EXPECT_DOUBLE_EQ(achievedOf(run)->low, 2.0 / 64);
}

struct RangeCase {
  const char* what;
  ResidencyEvidence evidence;
  double down, up;  // of a mean of 40 warps
};

TEST(ResidentWarpsRange, GrowsWithWhatWasCorrected) {
  const std::vector<RangeCase> cases{
      {"nothing", {}, 0.96, 0.96},
      {"the probe", {.probe_cycles = 500, .probe_share = 0.1}, 0.96 + 1.6, 0.96 + 1.2},
      {"a crowded load-store unit", {.probe_cycles = 2000, .probe_share = 0.1}, 0.96 + 5, 0.96 + 1.2},
      {"held slots", {.held_share = 0.1}, 0.96 + 4, 0.96},
      {"an uneven grid", {.uneven_share = 0.1}, 0.96 + 2, 0.96},
      {"SMs that differ", {.spread_warps = 2}, 1.96, 1.96}};
  for (const RangeCase& each : cases) {
    SCOPED_TRACE(each.what);
    const WarpsRange range = residentWarpsRange(40, each.evidence, 64);
    EXPECT_NEAR(range.low, 40 - each.down, 1e-9);
    EXPECT_NEAR(range.high, 40 + each.up, 1e-9);
  }
}

TEST(ShareText, IsARangeWhereItMayBeOffByMoreThanFivePoints) {
  EXPECT_EQ(shareText(0.623, 0.623, 0.623), "62.3 %");
  EXPECT_EQ(shareText(0.623, 0.6, 0.64), "62 % ± 3 points");
  EXPECT_EQ(shareText(0.623, 0.622, 0.623), "62 % ± 2 points");
  EXPECT_EQ(shareText(0.62, 0.57, 0.63), "62 % ± 5 points");
  EXPECT_EQ(shareText(0.62, 0.55, 0.63), "55 to 63 %");
  EXPECT_EQ(shareText(0.62, 0.6, 0.72), "60 to 72 %");
  EXPECT_EQ(shareText(0.62, 0.6, 0.72, "{}, {}", "{}–{}"), "60–72");
}

}  // namespace
}  // namespace warpscope
