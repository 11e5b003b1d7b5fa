// Little's law, checked exactly where the simulated GPU's latencies are known: throughput is what is in
// flight divided by the latency, up to the limit of the pipes.
#include <algorithm>
#include <map>
#include <set>

#include "kernels/device/device.h"
#include "kernels/experiments/latency/shape.h"
#include "tests/device/device_fixture.h"

namespace warpscope::test {
namespace {

using Latency = DeviceTest;

constexpr double kSms = 132;

// Records everything, with caches in the state that a first launch leaves.
Run runWarm(const char* variant, ParameterValues parameters) {
  RunRequest request{.family = "latency", .variant = variant, .parameters = std::move(parameters)};
  request.sampling.mode = Sampling::Mode::kAll;
  return runOnDevice(request);
}

// The mean length of the spans in a region.
double meanCycles(const Run& run, uint32_t region) {
  double sum = 0, spans = 0;
  for (const TraceWarp& warp : run.trace.warps) {
    forEachSpan(run.trace, warp, [&](const Span& span) {
      if (span.region.value != region) return;
      sum += static_cast<double>(span.end_cycles - span.begin_cycles);
      ++spans;
    });
  }
  EXPECT_GT(spans, 0);
  return sum / spans;
}

// The time from the first warp's begin of a region to the last one's end, on SM 0.
double cyclesOfSm(const Run& run, uint32_t region) {
  int64_t begin = INT64_MAX, end = INT64_MIN;
  for (const TraceWarp& warp : run.trace.warps) {
    if (warp.sm.value != 0) continue;
    forEachSpan(run.trace, warp, [&](const Span& span) {
      if (span.region.value != region) return;
      begin = std::min(begin, span.begin_cycles);
      end = std::max(end, span.end_cycles);
    });
  }
  EXPECT_LT(begin, end);
  return static_cast<double>(end - begin);
}

double fmasACycle(uint32_t warps, uint32_t ilp) {
  constexpr uint32_t kRounds = 32;  // with fewer, the time until all warps have begun counts too much
  const auto run =
      runRecorded("latency", "dependent_fma", {{"warps_per_sm", warps}, {"ilp", ilp}, {"rounds", kRounds}});
  EXPECT_TRUE(run.verification.passed) << run.verification.detail;
  const uint32_t in_round = latency::kFmasInRound / ilp * ilp;
  const double fmas = 32.0 * warps * kRounds * in_round;
  return fmas / cyclesOfSm(run, latency::kWork);
}

// An SM of an H100: a latency of 4 cycles, 128 multiply-adds per cycle.
TEST_F(Latency, MultiplyAddsComeAtWarpsTimesIlpByLatencyUpToThePeak) {
  for (const uint32_t warps : {4U, 8U, 32U}) {
    for (const uint32_t ilp : {1U, 3U, 8U}) {
      SCOPED_TRACE(fmt::format("{} warps, ILP {}", warps, ilp));
      const double expected = std::min(128.0, warps * ilp / 4.0 * 32);
      const double found = fmasACycle(warps, ilp);
      EXPECT_LE(found, expected);
      EXPECT_GT(found, 0.85 * expected);
    }
  }
}

TEST_F(Latency, ChainsAndWarpsAreWorthTheSame) {
  const double four_warps = fmasACycle(16, 1), four_chains = fmasACycle(4, 4);
  EXPECT_NEAR(four_warps, four_chains, 0.2 * four_warps);
}

TEST_F(Latency, AsManyWarpsAreResidentAsWereAskedFor) {
  for (const uint32_t warps : {1U, 3U, 8U, 24U, 64U}) {
    SCOPED_TRACE(warps);
    const auto run = runRecorded("latency", "dependent_fma", {{"warps_per_sm", warps}});
    EXPECT_EQ(run.occupancy.warps_per_sm, warps);
    std::map<uint32_t, uint32_t> by_sm;
    for (const TraceWarp& warp : run.trace.warps) ++by_sm[warp.sm.value];
    EXPECT_EQ(by_sm.size(), kSms);
    for (const auto& [sm, count] : by_sm) EXPECT_EQ(count, warps) << "SM " << sm;
  }
}

std::string refusal(const std::string& device, const std::string& family, const std::string& variant,
                    ParameterValues parameters) {
  const Experiment& experiment = *findExperiment(family).value();
  const auto request = completeRequest(
      experiment.info(), {.family = family, .variant = variant, .parameters = std::move(parameters)});
  EXPECT_TRUE(request.has_value()) << request.error().message;
  const auto backend = openBackend(device);
  EXPECT_TRUE(backend.has_value()) << backend.error().message;
  const auto plan = experiment.plan(*request, (*backend)->description().limits);
  EXPECT_FALSE(plan.has_value());
  if (plan) return "";
  EXPECT_EQ(plan.error().kind, ErrorKind::kBadRequest);
  return plan.error().message;
}

TEST_F(Latency, WhatNoSmHoldsIsRefusedWithWhatItDoes) {
  EXPECT_EQ(refusal("sim:rtx4090", "latency", "bytes_in_flight", {{"warps_per_sm", 64}}),
            "latency bytes_in_flight: 64 warps per SM; an SM of this device holds at most 48: choose 48");
  EXPECT_EQ(refusal("sim:h100", "latency", "dependent_fma", {{"warps_per_sm", 37}}),
            "latency dependent_fma: 37 warps cannot be cut into equal blocks of at most 32 warps, 32 blocks "
            "per SM: "
            "choose 36");
  EXPECT_EQ(refusal("sim:v100", "latency", "async_copy", {}),
            "latency async_copy: cp.async needs compute capability 8.0, this device has 7.0: choose Tiles "
            "through registers (through_registers)");
  EXPECT_EQ(refusal("sim:h100", "occupancy", "tail", {{"block", 1024}, {"blocks_per_sm", 3}}),
            "occupancy tail: 3 blocks of 1024 threads on an SM; at most 2 fit on this device: choose 2");
  EXPECT_EQ(refusal("sim:rtx4090", "occupancy", "shared_bytes", {{"shared_bytes", 128 * 1024}}),
            "occupancy shared_bytes: a block needs 131072 bytes of shared memory, this device has 101376");
}

TEST_F(Latency, AChaseMeasuresTheLatencyOfItsLevel) {
  // The figures of the calibrated profile. Device memory's address needs one more multiply-add.
  const std::map<uint32_t, double> latencies = {
      {latency::kShared, 23}, {latency::kL1, 36}, {latency::kL2, 283}, {latency::kDevice, 684}};
  for (const auto& [level, expected] : latencies) {
    for (const uint32_t block : {32U, 256U}) {
      SCOPED_TRACE(fmt::format("level {}, block {}", level, block));
      const auto run = runOnDevice({.family = "latency",
                                    .variant = "pointer_chase",
                                    .parameters = {{"level", level}, {"block", block}, {"hops", 1000}}});
      EXPECT_TRUE(run.verification.passed) << run.verification.detail;
      EXPECT_NEAR(meanCycles(run, latency::kChase) / 1000, expected, 0.02 * expected + 1)
          << run.verification.detail;
      EXPECT_NE(run.verification.detail.find(" cycles a load"), std::string::npos) << run.verification.detail;
    }
  }
}

TEST_F(Latency, OfSeveralPointersInASectorOnlyTheFirstComesFromDeviceMemory) {
  const auto run = runOnDevice(
      {.family = "latency",
       .variant = "pointer_chase",
       .parameters = {{"level", latency::kDevice}, {"block", 32}, {"stride", 8}, {"hops", 1024}}});
  EXPECT_NEAR(meanCycles(run, latency::kChase) / 1024, (684 + 3 * 287) / 4.0, 10);
}

double bytesACycle(ParameterValues parameters) {
  const auto loads = static_cast<double>(parameters.at("loads"));
  const auto warps = static_cast<double>(parameters.at("warps_per_sm"));
  const double rounds = 8;
  parameters["rounds"] = 8;
  const double width = 4 << parameters.at("width");
  const auto run = runWarm("bytes_in_flight", std::move(parameters));
  EXPECT_TRUE(run.verification.passed) << run.verification.detail;
  return rounds * warps * 32 * loads * width / cyclesOfSm(run, latency::kRead);
}

TEST_F(Latency, BandwidthFollowsTheBytesUnderWayHoweverTheyAreAskedFor) {
  const double some = bytesACycle({{"warps_per_sm", 2}, {"loads", 1}, {"width", 0}});
  EXPECT_NEAR(some, 256 / 283.0, 0.3 * some);
  const double by_warps = bytesACycle({{"warps_per_sm", 8}, {"loads", 1}, {"width", 0}});
  const double by_loads = bytesACycle({{"warps_per_sm", 2}, {"loads", 4}, {"width", 0}});
  const double by_width = bytesACycle({{"warps_per_sm", 2}, {"loads", 1}, {"width", 2}});
  for (const double four_times : {by_warps, by_loads, by_width})
    EXPECT_NEAR(four_times, 4 * some, 0.6 * some);
}

TEST_F(Latency, MoreBytesUnderWayThanL2BringsDoNotHelp) {
  const double enough = bytesACycle({{"warps_per_sm", 32}, {"loads", 4}, {"width", 2}});
  const double more = bytesACycle({{"warps_per_sm", 32}, {"loads", 8}, {"width", 2}});
  EXPECT_NEAR(more, enough, 0.15 * enough);
  EXPECT_LT(more, 3875 / kSms * 1.05) << "the profile's bandwidth of L2";
}

TEST_F(Latency, CopiesUnderWayHideTheLatencyAndTakeNoRegisters) {
  const auto run_of = [](const char* variant, int64_t stages) {
    return runWarm(variant, {{"stages", stages}, {"tiles", 36}, {"warps_per_sm", 4}});
  };
  for (const char* variant : {"async_copy", "through_registers"}) {
    SCOPED_TRACE(variant);
    const auto one = run_of(variant, 1), three = run_of(variant, 3);
    EXPECT_GT(meanCycles(one, latency::kWait), 1.3 * meanCycles(three, latency::kWait));
    EXPECT_GT(counter(one, "sm__cycles_elapsed.max"), counter(three, "sm__cycles_elapsed.max"));
  }
  EXPECT_LT(run_of("async_copy", 4).resources.registers_per_thread,
            run_of("through_registers", 4).resources.registers_per_thread);
}

}  // namespace
}  // namespace warpscope::test
