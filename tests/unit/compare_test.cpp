// Runs side by side: facts, axis, regions, warps, and the model compared with measurements.
#include "kernels/compare/compare.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/compare/axis.h"
#include "kernels/core/json.h"
#include "kernels/metrics/metrics.h"
#include "tests/support/compared_runs.h"

namespace warpscope {
namespace {

using testing::changed;
using testing::makeSyntheticRun;
using testing::modelledRun;
using testing::timedRun;

Comparison compared(ComparedRuns runs, CompareOptions options = {}) {
  auto comparison = compareRuns(std::move(runs), options);
  EXPECT_TRUE(comparison.has_value()) << comparison.error().message;
  return std::move(comparison).value();
}

TEST(Compare, TakesTwoToEightRuns) {
  const auto run = timedRun("even_odd", 10, 9, 11);
  for (const size_t count : {0U, 1U, 9U}) {
    const auto refused = compareRuns(ComparedRuns(count, run), {});
    ASSERT_FALSE(refused.has_value()) << count;
    EXPECT_EQ(refused.error().kind, ErrorKind::kBadRequest);
  }
  EXPECT_TRUE(compareRuns(ComparedRuns(8, run), {}).has_value());
  EXPECT_TRUE(compareRuns(ComparedRuns(9, run), {.race = true}).has_value());
  EXPECT_FALSE(compareRuns(ComparedRuns(2, run), {.baseline = 2}).has_value());
  EXPECT_FALSE(compareRuns({run, nullptr}, {}).has_value());
}

TEST(Compare, CallsRunsByWhatTellsThemApart) {
  const auto labels = [](const ComparedRuns& runs) {
    std::vector<std::string> labels;
    for (const RunFacts& facts : factsOf(runs)) labels.push_back(facts.name.full());
    return labels;
  };
  const auto run = [](const char* variant, int64_t block, int64_t size) {
    return std::make_shared<const warpscope::Run>(makeSyntheticRun("divergence", variant, block, size));
  };
  EXPECT_EQ(labels({run("even_odd", 64, 1024), run("warp_aligned", 64, 1024)}),
            (std::vector<std::string>{"Even / odd lanes (even_odd)", "Even / odd warps (warp_aligned)"}));
  EXPECT_EQ(labels({run("even_odd", 64, 1024), run("even_odd", 96, 4096)}),
            (std::vector<std::string>{"Even / odd lanes (even_odd), block 64, size 2^10",
                                      "Even / odd lanes (even_odd), block 96, size 2^12"}));
  EXPECT_EQ(labels({timedRun("even_odd", 1, 1, 1), modelledRun("even_odd", 1)}),
            (std::vector<std::string>{"Even / odd lanes (even_odd), cuda:0 (Synthetic H100)",
                                      "Even / odd lanes (even_odd), sim:h100"}));
}

TEST(Compare, LeavesOutWhatADeviceCannotKnow) {
  const auto bare = changed(makeSyntheticRun(), [](auto& run) {
    run.trace = {};
    run.timing = {};
    run.bandwidth = {};
    run.probe = {};
    run.occupancy = {};
  });
  const std::vector<RunFacts> facts =
      factsOf({bare, std::make_shared<const warpscope::Run>(makeSyntheticRun())});
  EXPECT_FALSE(facts[0].timing.has_value());
  for (const Metric& metric : metrics()) {
    // Figures of the compiler and the launch stay.
    const bool of_launch = metric.id == "registers" || metric.id == "shared_bytes";
    EXPECT_EQ(facts[0].metrics[metric].has_value(), of_launch) << metric.id;
  }
  const warpscope::Run known = makeSyntheticRun();
  EXPECT_DOUBLE_EQ(facts[1].metrics.value("copy_share").value(), 883.25 / 2950.5);
  EXPECT_DOUBLE_EQ(facts[1].metrics.value("theoretical").value(), 0.75);
  EXPECT_DOUBLE_EQ(facts[1].metrics.value("lost_lane_share").value(), lostLaneShare(known.trace).value());
  EXPECT_DOUBLE_EQ(facts[1].metrics.value("probe_cost").value(), 1.04);
  EXPECT_FALSE(facts[1].metrics.value("bank_conflicts_per_request").has_value());
}

TEST(ComparisonAxis, PutsClocksOnRealTimeWhereTheyAreKnown) {
  const auto slow_clock =
      changed(makeSyntheticRun(), [](auto& run) { run.trace.clocks.cycles_per_ns = 0.5; });
  const auto unknown = changed(makeSyntheticRun(), [](auto& run) { run.trace.clocks.cycles_per_ns = 0; });
  const auto empty = changed(makeSyntheticRun(), [](auto& run) { run.trace = {}; });
  const ComparedRuns runs{slow_clock, unknown, empty};
  const ComparisonAxis ns = alignAxis(runs, AxisUnit::kNs);
  EXPECT_DOUBLE_EQ(ns.at(0, 100).value(), 200);
  EXPECT_DOUBLE_EQ(ns.runs[0].length, 2.0 * static_cast<double>(slow_clock->trace.duration_cycles));
  EXPECT_DOUBLE_EQ(ns.length, ns.runs[0].length);
  EXPECT_FALSE(ns.at(1, 100).has_value());
  EXPECT_NE(ns.runs[1].reason.find("clock rate"), std::string::npos);
  EXPECT_NE(ns.runs[2].reason.find("no warp"), std::string::npos);
  EXPECT_FALSE(ns.at(3, 0).has_value());
  const ComparisonAxis cycles = alignAxis(runs, AxisUnit::kCycles);
  EXPECT_DOUBLE_EQ(cycles.at(1, 100).value(), 100);
  EXPECT_FALSE(cycles.at(2, 100).has_value());
}

TEST(RegionsCompared, AreMatchedByNameAndTellWhoHasThem) {
  const auto base = timedRun("even_odd", 10, 9, 11);
  const auto other = timedRun("warp_aligned", 10, 9, 11, 20, [](auto& run) {
    run.regions = {{RegionId{0}, "store", 2, 2}, {RegionId{1}, "shuffle", 3, 3}};
  });
  const auto regions = compareRegions({base, other}, 0);
  std::vector<std::string> names;
  names.reserve(regions.size());
  for (const RegionComparison& region : regions) names.push_back(region.name);
  EXPECT_EQ(names, (std::vector<std::string>{"load", "step", "even path", "odd path", "store", "shuffle"}));
  EXPECT_TRUE(regions[0].runs[0].exists);
  EXPECT_FALSE(regions[0].runs[1].exists);
  EXPECT_FALSE(differenceOf(regions[0], 1, 0).has_value());
  EXPECT_TRUE(regions[4].runs[0].exists && regions[4].runs[1].exists);
  EXPECT_FALSE(regions[5].runs[0].exists);

  const auto of_other = regionMetrics(*other), of_base = regionMetrics(*base);
  const RegionDifference difference = differenceOf(regions[4], 1, 0).value();
  EXPECT_EQ(difference.cycles, of_other[0].cycles - of_base[4].cycles);
  EXPECT_EQ(difference.spans,
            static_cast<int64_t>(of_other[0].spans) - static_cast<int64_t>(of_base[4].spans));
  EXPECT_DOUBLE_EQ(difference.share, of_other[0].share - of_base[4].share);
  EXPECT_DOUBLE_EQ(difference.mean_active_lanes.value(),
                   of_other[0].mean_active_lanes - of_base[4].mean_active_lanes);
  EXPECT_EQ(difference.lost_lane_cycles, of_other[0].lost_lane_cycles - of_base[4].lost_lane_cycles);
  EXPECT_DOUBLE_EQ(regions[4].runs[0].numbers->cycles_per_warp,
                   static_cast<double>(of_base[4].cycles) / static_cast<double>(base->trace.warps.size()));
}

TEST(RegionsCompared, WithoutARecordedWarpHaveNoNumbers) {
  const auto silent = timedRun("warp_aligned", 10, 9, 11, 20, [](auto& run) { run.trace = {}; });
  const auto regions = compareRegions({timedRun("even_odd", 10, 9, 11), silent}, 0);
  EXPECT_TRUE(regions[0].runs[1].exists);
  EXPECT_FALSE(regions[0].runs[1].numbers.has_value());
}

TEST(RegionsCompared, OfOneNameAreToldApartByTheirOrder) {
  const auto twice =
      timedRun("even_odd", 10, 9, 11, 20, [](auto& run) { run.regions[3].name = "even path"; });
  const auto regions = compareRegions({twice, twice}, 1);
  ASSERT_EQ(regions.size(), 5U);
  for (const RegionComparison& region : regions) EXPECT_EQ(differenceOf(region, 0, 1)->cycles, 0);
}

TEST(SameWarp, IsFoundInEveryRunThatRecordedIt) {
  const auto whole = std::make_shared<const warpscope::Run>(makeSyntheticRun());
  const auto sampled = changed(makeSyntheticRun(), [](auto& run) {
    std::erase_if(run.trace.warps, [](const TraceWarp& warp) { return warp.block.value % 3 != 0; });
    std::ranges::reverse(run.trace.warps);
  });
  const ComparedRuns runs{whole, sampled};
  const auto places = commonWarps(runs);
  ASSERT_EQ(places.size(), sampled->trace.warps.size());
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
  for (const WarpPlace& place : places) {
    const auto found = sameWarp(runs, place);
    ASSERT_TRUE(found[0] && found[1]);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(runs[i]->trace.warps[*found[i]].block, place.block);
      EXPECT_EQ(runs[i]->trace.warps[*found[i]].warp_in_block, place.warp_in_block);
    }
  }
  const auto other = sameWarp(runs, {BlockId{1}, 0});
  EXPECT_TRUE(other[0].has_value());
  EXPECT_FALSE(other[1].has_value());
}

TEST(ModelError, HasASign) {
  const auto measured = timedRun("even_odd", 10, 9, 11, 20, [](auto& run) {
    run.counters = {{"smsp__inst_executed.sum", 200}, {"dram__bytes_read.sum", 0}};
  });
  const auto modelled = modelledRun("even_odd", 9, [](auto& run) {
    run.counters = {{"smsp__inst_executed.sum", 210}, {"dram__bytes_read.sum", 64}, {"ptx.instructions", 1}};
    run.trace.duration_cycles *= 2;
  });
  const auto errors = modelErrors({modelled, measured, modelledRun("warp_aligned", 1)});
  ASSERT_EQ(errors.size(), 1U) << "pairs of one kernel and one setting only";
  EXPECT_EQ(errors[0].measured, 1U);
  EXPECT_EQ(errors[0].modelled, 0U);
  EXPECT_TRUE(errors[0].caution.empty());
  const auto error = [&](const std::string& name) {
    const auto found = std::ranges::find(errors[0].errors, name, &SignedError::name);
    EXPECT_NE(found, errors[0].errors.end()) << name;
    return found == errors[0].errors.end() ? SignedError{} : *found;
  };
  EXPECT_DOUBLE_EQ(error("launch").relative.value(), -0.1);
  EXPECT_DOUBLE_EQ(error("kernel with probes").relative.value(), 1);
  EXPECT_DOUBLE_EQ(error("cycles a warp in 'odd path'").relative.value(), 0);
  EXPECT_DOUBLE_EQ(error("smsp__inst_executed.sum").relative.value(), 0.05);
  EXPECT_FALSE(error("dram__bytes_read.sum").relative.has_value()) << "nothing is a multiple of 0";
  EXPECT_EQ(std::ranges::count(errors[0].errors, "ptx.instructions", &SignedError::name), 0);

  const auto small = modelledRun("even_odd", 9, [](auto& run) { run.device.limits.sm_count = 1; });
  EXPECT_NE(modelErrors({small, measured})[0].caution.find("not the same GPU"), std::string::npos);
}

TEST(ComparisonJson, SaysWhatIsKnownAndNothingElse) {
  const Comparison comparison = compared(
      {timedRun("even_odd", 20, 19, 21), timedRun("warp_aligned", 10, 9, 11), modelledRun("even_odd", 18)},
      {.baseline = 1});
  const Json report = comparisonReport(comparison);
  EXPECT_EQ(report.at("baseline"), 2);
  EXPECT_EQ(report.at("ranked_by"), "time");
  EXPECT_EQ(report.at("order"), (Json{2, 1, 3}));
  const auto& slow = report.at("runs").at(0);
  EXPECT_EQ(slow.at("variant"), "even_odd");
  EXPECT_EQ(slow.at("rank"), 2);
  EXPECT_EQ(slow.at("time_us").at("median"), 20);
  EXPECT_EQ(slow.at("speed_up").at("ratio"), 0.5);
  EXPECT_EQ(slow.at("speed_up").at("verdict"), "slower");
  EXPECT_FALSE(slow.contains("sectors_per_request"));
  EXPECT_FALSE(slow.contains("counters"));
  EXPECT_FALSE(report.at("runs").at(1).contains("speed_up")) << "the baseline";
  EXPECT_FALSE(report.at("runs").at(1).contains("no_speed_up"));
  EXPECT_TRUE(report.at("runs").at(2).contains("no_speed_up")) << "modelled against measured";
  EXPECT_EQ(report.at("explanations").at(0).at("number"), 1);
  EXPECT_EQ(report.at("explanations").at(0).at("than"), 2);
  EXPECT_EQ(report.at("axis").at("unit"), "ns");
  EXPECT_EQ(report.at("regions").size(), 5U);
  EXPECT_TRUE(report.at("regions").at(0).at("runs").at(0).contains("difference"));
  EXPECT_FALSE(report.at("regions").at(0).at("runs").at(1).contains("difference"));
  EXPECT_FALSE(report.at("regions").at(0).at("runs").at(2).contains("difference"))
      << "modelled less measured";
  EXPECT_EQ(report.at("model_errors").at(0).at("errors").at(0).at("relative"), -0.1);
}

}  // namespace
}  // namespace warpscope
