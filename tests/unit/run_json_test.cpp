// The public JSON contract, name by name, and the lossless forms.
#include "kernels/recording/run_json.h"

#include <gtest/gtest.h>

#include <set>

#include "kernels/core/json.h"
#include "kernels/metrics/run_report.h"
#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

using testing::makeSyntheticRun;

std::set<std::string> keysOf(const Json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

TEST(RunReport, HasTheNamesOfTheContract) {
  const Json report = runReport(makeSyntheticRun());
  EXPECT_EQ(
      keysOf(report),
      (std::set<std::string>{"family", "variant", "device", "provenance", "parameters", "verified", "time_us",
                             "bandwidth_gb_s", "registers", "shared_bytes", "occupancy", "counters", "probe",
                             "regions", "lane_cycles", "kernel_us", "launch_overhead_share"}));
  EXPECT_EQ(keysOf(report["lane_cycles"]),
            (std::set<std::string>{"executing", "waiting", "exited", "never_existed"}));
  EXPECT_EQ(keysOf(report["time_us"]), (std::set<std::string>{"median", "min", "max", "repeats"}));
  EXPECT_EQ(keysOf(report["probe"]), (std::set<std::string>{"cost_ratio", "kept", "dropped"}));
  for (const Json& region : report["regions"]) {
    EXPECT_EQ(keysOf(region), (std::set<std::string>{"name", "line", "spans", "cycles", "mean_active_lanes",
                                                     "lost_lane_cycles"}));
  }
  EXPECT_EQ(report["family"], "divergence");
  EXPECT_EQ(report["provenance"], "measured");
  EXPECT_EQ(report["verified"], true);
  EXPECT_EQ(report["registers"], 32);
  EXPECT_EQ(report["shared_bytes"], 1024);
  EXPECT_EQ(report["occupancy"]["limiter"], "warps");
  EXPECT_EQ(report["occupancy"]["theoretical"], 0.75);
}

TEST(RunReport, SizesAreNumbersAndChoicesAreTheirNames) {
  warpscope::Run run = makeSyntheticRun();
  run.request.parameters["shape"] = 2;
  run.parameter_labels["shape"] = "32x32";
  const Json parameters = runReport(run)["parameters"];
  EXPECT_EQ(parameters["size"], 65536);
  EXPECT_EQ(parameters["block"], 80);
  EXPECT_EQ(parameters["shape"], "32x32");
}

TEST(RunReport, SumsOfFloatsTellHowPreciseTheyAre) {
  warpscope::Run run = makeSyntheticRun();
  run.verification.precision = Precision{.terms = 4, .sum = 5, .reference = 4, .sequential = 3};
  run.bandwidth.library = Bandwidth::Library{"CUB", 2900};
  const Json report = runReport(run);
  EXPECT_EQ(keysOf(report["precision"]),
            (std::set<std::string>{"terms", "sum", "float64_sum", "sequential_sum", "relative_error",
                                   "error_ulps", "sequential_relative_error", "sequential_error_ulps"}));
  EXPECT_EQ(report["precision"]["relative_error"], 0.25);
  EXPECT_EQ(report["precision"]["error_ulps"], 0x1p21);
  EXPECT_EQ(report["library"], (Json{{"name", "CUB"}, {"bandwidth_gb_s", 2900.0}}));
  const auto read = runFromHeaderJson(headerJson(run));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->verification.precision, run.verification.precision);
  ASSERT_TRUE(read->bandwidth.library.has_value());
  EXPECT_EQ(read->bandwidth.library->name, "CUB");
  EXPECT_EQ(read->bandwidth.library->gb_per_s, 2900);
}

TEST(RunReport, WhatIsUnknownIsAbsent) {
  warpscope::Run run = makeSyntheticRun();
  run.timing = {};
  run.bandwidth = {};
  run.resources = {};
  run.probe.ratio = 0;
  run.trace.warps.resize(3);  // a sample: achieved occupancy cannot be known
  const Json report = runReport(run);
  EXPECT_FALSE(report.contains("time_us"));
  EXPECT_FALSE(report.contains("bandwidth_gb_s"));
  EXPECT_FALSE(report.contains("registers"));
  EXPECT_FALSE(report["probe"].contains("cost_ratio"));
  EXPECT_FALSE(report["occupancy"].contains("achieved"));
}

TEST(RunReport, HazardsAreThereWhereTheyWereLookedFor) {
  warpscope::Run run = makeSyntheticRun();
  EXPECT_FALSE(runReport(run).contains("hazards"));
  run.hazards.emplace();
  EXPECT_EQ(runReport(run)["hazards"], Json::array());
  run.hazards->push_back({.kind = HazardKind::kRace, .kernel = "k", .message = "two at once"});
  const Json report = runReport(run);
  ASSERT_EQ(report["hazards"].size(), 1U);
  EXPECT_EQ(report["hazards"][0]["kind"], "race");
  EXPECT_EQ(report["hazards"][0]["message"], "two at once");
  EXPECT_FALSE(report["hazards"][0].contains("operations"));
  run.hazards->front() = {.kind = HazardKind::kStreamRace, .operations = {{2, "fill of b", "stream 1"}}};
  const Json of_streams = runReport(run)["hazards"][0];
  EXPECT_EQ(of_streams["kind"], "stream_race");
  EXPECT_EQ(of_streams["operations"],
            Json::array({Json{{"index", 2}, {"name", "fill of b"}, {"stream", "stream 1"}}}));
}

TEST(RunReport, AchievedOccupancyIsThereWhenAllWasRecorded) {
  const warpscope::Run run = makeSyntheticRun();
  const Json occupancy = runReport(run)["occupancy"];
  ASSERT_TRUE(occupancy.contains("achieved"));
  EXPECT_GT(occupancy["achieved"].get<double>(), 0);
  EXPECT_LE(occupancy["achieved"].get<double>(), 1);
}

TEST(DeviceReport, HasTheNamesOfTheContract) {
  const Json report = deviceReport(testing::syntheticDevice());
  EXPECT_EQ(
      report,
      (Json{{"id", "cuda:0"}, {"name", "Synthetic H100"}, {"kind", "cuda"}, {"provenance", "measured"}}));
}

TEST(RequestJson, RoundTripsAndRefusesWhatIsMissingOrOdd) {
  RunRequest request{.family = "f", .variant = "v", .parameters = {{"block", 64}, {"shift", -2}}};
  request.sampling = {Sampling::Mode::kExplicit, 1, 2, 3, 4};
  const Json written = toJson(request);
  EXPECT_EQ(requestFromJson(written).value(), request);
  RunRequest logging = request;
  logging.log_instructions = true;
  EXPECT_EQ(requestFromJson(toJson(logging)).value(), logging);
  RunRequest checking = request;
  checking.checks = true;
  EXPECT_EQ(requestFromJson(toJson(checking)).value(), checking);
  for (const auto& [key, value] : written.items()) {
    Json without = written;
    without.erase(key);
    const auto read = requestFromJson(without);
    ASSERT_FALSE(read.has_value()) << key;
    EXPECT_NE(read.error().message.find(key), std::string::npos) << read.error().message;
  }
  for (const Json& odd : {Json(), Json("text"), Json::array(), Json(3)}) EXPECT_FALSE(requestFromJson(odd));
  Json negative = written;
  negative["repeats"] = -1;
  EXPECT_FALSE(requestFromJson(negative).has_value());
  Json mode = written;
  mode["sampling"]["mode"] = "some";
  const auto read = requestFromJson(mode);
  ASSERT_FALSE(read.has_value());
  EXPECT_NE(read.error().message.find("sampling.mode"), std::string::npos) << read.error().message;
}

TEST(DeviceJson, RoundTrips) {
  DeviceDescription device = testing::syntheticDevice();
  device.kind = DeviceKind::kSimulated;
  device.provenance = Provenance::kModelled;
  device.recorded_on = "2026-11-21";
  const auto back = deviceFromJson(toJson(device));
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(toJson(*back), toJson(device));
  EXPECT_EQ(back->limits.compute_capability, (ComputeCapability{9, 0}));
  EXPECT_EQ(back->memory_bytes, device.memory_bytes);
}

}  // namespace
}  // namespace warpscope
