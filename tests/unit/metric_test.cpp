// The list of metrics that command line, exports, comparisons and window share.
#include "kernels/metrics/metric.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "kernels/core/json.h"
#include "kernels/metrics/run_report.h"
#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

using testing::makeSyntheticRun;

TEST(Metric, EachHasAnIdATitleAndAHelpOfItsOwn) {
  std::set<std::string_view> ids, titles, helps;
  for (const Metric& metric : metrics()) {
    EXPECT_TRUE(ids.insert(metric.id).second) << metric.id;
    EXPECT_TRUE(titles.insert(metric.title).second) << metric.id;
    EXPECT_TRUE(helps.insert(metric.help).second) << metric.id;
    ASSERT_FALSE(metric.help.empty()) << metric.id;
    EXPECT_EQ(metric.help.back(), '.') << metric.id;
    EXPECT_NE(metric.outputs, 0U) << metric.id << " is computed for nobody";
    EXPECT_EQ(findMetric(metric.id), &metric);
  }
  EXPECT_EQ(findMetric("speed"), nullptr);
}

// By hand from the synthetic run's members.
TEST(Metric, ValuesOfARun) {
  const MetricValues values(makeSyntheticRun("divergence", "even_odd", 64, 1 << 16));
  EXPECT_DOUBLE_EQ(values.value("bandwidth").value(), 883.25);
  EXPECT_DOUBLE_EQ(values.value("time").value(), 12.5 + 0.64);
  EXPECT_DOUBLE_EQ(values.value("copy_share").value(), 883.25 / 2950.5);
  EXPECT_DOUBLE_EQ(values.value("registers").value(), 32);
  EXPECT_DOUBLE_EQ(values.value("shared_bytes").value(), 1024);
  EXPECT_DOUBLE_EQ(values.value("theoretical").value(), 0.75);
  EXPECT_DOUBLE_EQ(values.value("probe_cost").value(), 1.04);
  EXPECT_EQ(values.value("branch_efficiency"), std::nullopt) << "a real GPU does not count it";
  EXPECT_EQ(values.value("speed"), std::nullopt);
}

TEST(Metric, BandwidthIsLowestWhereTheTimeIsLongest) {
  warpscope::Run run = makeSyntheticRun();
  run.timing = {10, 8, 20, 5, 1};
  run.bandwidth.gb_per_s = 100;
  const MetricValues values(run);
  const auto& bandwidth = values[*findMetric("bandwidth")];
  ASSERT_TRUE(bandwidth.has_value());
  EXPECT_DOUBLE_EQ(bandwidth->value, 100);
  EXPECT_DOUBLE_EQ(bandwidth->low, 50);
  EXPECT_DOUBLE_EQ(bandwidth->high, 125);
  const auto& time = values[*findMetric("time")];
  ASSERT_TRUE(time.has_value());
  EXPECT_DOUBLE_EQ(time->low, 8);
  EXPECT_DOUBLE_EQ(time->high, 20);
}

TEST(Metric, TimePerLaunchIsOfRunsOfSeveral) {
  warpscope::Run run = makeSyntheticRun();
  run.timing = {10, 8, 20, 5, 1};
  EXPECT_EQ(MetricValues(run).value("time_per_launch"), std::nullopt) << "a single launch";
  run.streams = StreamLog{.streams = {{.name = "stream 1"}}, .operations = {{}, {}}};
  run.streams->operations.push_back({.kind = OperationKind::kEvent});
  const MetricValues values(run);
  const auto& time = values[*findMetric("time_per_launch")];
  ASSERT_TRUE(time.has_value());
  EXPECT_DOUBLE_EQ(time->value, 5) << "an event is no launch";
  EXPECT_DOUBLE_EQ(time->low, 4);
  EXPECT_DOUBLE_EQ(time->high, 10);
}

// Two blocks, one after the other, in the one place of an SM; the second ends at 30 of 40 cycles.
TEST(Metric, WavesAndWhatIsIdleBesideThem) {
  warpscope::Run run;
  run.grid = {3};
  run.block = {32};
  const auto warp = [&](uint32_t block, uint32_t sm, int64_t begin, int64_t end) {
    run.trace.warps.push_back(
        {.block = BlockId{block}, .sm = SmId{sm}, .begin_cycles = begin, .end_cycles = end});
  };
  warp(0, 0, 0, 10);
  warp(1, 0, 10, 30);
  EXPECT_EQ(MetricValues(run).value("waves"), std::nullopt) << "the third block was not recorded";
  warp(2, 1, 0, 40);
  const MetricValues values(run);
  EXPECT_EQ(values.value("waves"), 2);
  EXPECT_DOUBLE_EQ(values.value("idle_share").value(), 10.0 / 80);
}

TEST(Metric, OfNoRunNothingIsKnown) {
  const MetricValues none;
  for (const Metric& metric : metrics()) EXPECT_FALSE(none[metric].has_value()) << metric.id;
}

TEST(Metric, TheReportHasThoseThatAreToBeThere) {
  const warpscope::Run run = makeSyntheticRun();
  const Json report = runReport(run);
  for (const Metric& metric : metrics()) {
    if ((metric.outputs & kInReport) == 0 || !metric.compute(run)) continue;
    const std::string key(metric.key.empty() ? metric.id : metric.key);
    const size_t dot = key.find('.');
    const Json& member =
        dot == std::string::npos ? report.at(key) : report.at(key.substr(0, dot)).at(key.substr(dot + 1));
    ASSERT_TRUE(member.isNumber()) << key;
    EXPECT_DOUBLE_EQ(member.get<double>(), metric.compute(run)->value) << key;
    EXPECT_EQ(member.isInteger(), isWhole(metric.unit)) << key;
  }
}

TEST(Metric, NumbersAreWrittenWithTheirUnits) {
  EXPECT_EQ(formatMetric(MetricUnit::kGbPerS, 883.25), "883.2 GB/s");
  EXPECT_EQ(formatMetric(MetricUnit::kMicroseconds, 12.5), "12.50 µs");
  EXPECT_EQ(formatMetric(MetricUnit::kShare, 0.75), "75 %");
  EXPECT_EQ(formatMetric(MetricUnit::kTimes, 1.04), "1.04×");
  EXPECT_EQ(formatMetric(MetricUnit::kCount, 33792), "33,792");
  EXPECT_EQ(formatMetric(MetricUnit::kBytes, 32768), "32 KiB");
  EXPECT_EQ(formatMetric(MetricUnit::kNumber, 31), "31.0");
  EXPECT_EQ(formatMetric(MetricUnit::kLanes, 16.02), "16.0");
}

TEST(RegionMetric, IsWhatTheRegionHas) {
  const RegionMetrics region{.id = RegionId{1},
                             .name = "step",
                             .line = 12,
                             .spans = 4096,
                             .divergent_spans = 8,
                             .cycles = 1000,
                             .share = 0.25,
                             .mean_active_lanes = 16.04,
                             .lost_lane_cycles = 77};
  std::vector<std::string> cells;
  for (const RegionMetric* metric : regionMetricsToRead())
    cells.push_back(formatRegionMetric(*metric, region));
  EXPECT_EQ(cells, (std::vector<std::string>{"12", "25 %", "4,096", "8", "1,000", "16.0", "77"}));
  RegionMetrics never;
  EXPECT_EQ(formatRegionMetric(regionMetricList()[0], never), "") << "its line is not known";
  EXPECT_EQ(formatRegionMetric(*regionMetricsToRead()[5], never), "") << "nor lanes, of no cycle";
}

}  // namespace
}  // namespace warpscope
