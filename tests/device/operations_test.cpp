// Compares the number of operations that families report for a launch with the instructions that the
// simulated GPU executed.
#include "kernels/experiments/roofline.h"
#include "kernels/metrics/instruction_metrics.h"
#include "tests/device/device_fixture.h"

namespace warpscope::test {
namespace {

class Operations : public DeviceTest {};

// Lanes that executed an instruction with this name, over the whole launch: all blocks are recorded.
double executed(const Run& run, const std::string& opcode) {
  double sum = 0;
  const auto metrics = issueMetricsOfListing(run);
  for (size_t i = 0; i < metrics.size(); ++i) {
    const std::string& text = (*run.listing)[i].text;
    if (text.find(opcode) != std::string::npos) sum += static_cast<double>(metrics[i].thread_instructions);
  }
  return sum;
}

Run runLogged(const std::string& family, const std::string& variant, ParameterValues parameters) {
  RunRequest request{.family = family, .variant = variant, .parameters = std::move(parameters)};
  request.sampling = {Sampling::Mode::kExplicit, UINT32_MAX, 0, 1 << 14, 4096};
  request.log_instructions = true;
  request.warm_ups = 0;
  request.repeats = 1;
  return runOnDevice(request);
}

double operationsOf(const Run& run) {
  const auto point = rooflinePoint(run);
  EXPECT_TRUE(point) << point.error().message;
  return point ? point->count.operations : 0;
}

TEST_F(Operations, OfChainsAreTheMultiplyAddsOfTheirPaths) {
  for (const char* variant : {"even_odd", "warp_aligned", "branchless", "nested", "loop_trips"}) {
    SCOPED_TRACE(variant);
    const auto run = runLogged("divergence", variant, {{"size", 1000}, {"block", 128}, {"work", 8}});
    ASSERT_FALSE(HasFailure());
    ASSERT_NE(run.listing, nullptr);
    EXPECT_EQ(operationsOf(run), 2 * executed(run, "fma.rn.f32"));
  }
  const auto run = runLogged("divergence", "data_dependent", {{"size", 1000}, {"block", 128}});
  EXPECT_FALSE(rooflinePoint(run)) << "it depends on the data";
}

TEST_F(Operations, OfATreeAreOneLessThanNumbersAndSumsLeft) {
  const auto run = runLogged("reduction", "neighbored", {{"size", 4096}, {"block", 256}, {"type", 1}});
  ASSERT_FALSE(HasFailure());
  EXPECT_EQ(operationsOf(run), 4096 - 16);
  EXPECT_EQ(executed(run, "add.f32") + executed(run, "add.rn.f32"), operationsOf(run));
  EXPECT_FALSE(rooflinePoint(run)->count.integers);
  const auto whole = runLogged("reduction", "two_pass", {{"size", 4096}, {"block", 256}, {"type", 0}});
  EXPECT_EQ(operationsOf(whole), 4095);
  EXPECT_TRUE(rooflinePoint(whole)->count.integers);
}

TEST_F(Operations, OfAMatrixProductAreTwoForEachOfWidthCubed) {
  const auto run = runLogged("boundary", "tiled_matmul", {{"width", 32}});
  ASSERT_FALSE(HasFailure());
  EXPECT_EQ(operationsOf(run), 2.0 * 32 * 32 * 32);
  EXPECT_EQ(operationsOf(run), 2 * executed(run, "fma.rn.f32"));
  const auto sums = runLogged("boundary", "vector_add", {{"size", 1000}});
  EXPECT_EQ(operationsOf(sums), 1000);
  EXPECT_EQ(executed(sums, "add.f32") + executed(sums, "add.rn.f32"), 1000);
}

TEST_F(Operations, OfDependentMultiplyAddsAreThoseOfAllRounds) {
  const auto run = runLogged("latency", "dependent_fma", {{"warps_per_sm", 1}, {"rounds", 4}, {"ilp", 4}});
  ASSERT_FALSE(HasFailure());
  // Each thread needs one more to compute the step of the chains.
  EXPECT_NEAR(2 * executed(run, "fma.rn.f32") / operationsOf(run), 1, 0.01);
}

TEST_F(Operations, OfCopiesAreNone) {
  const auto run = runLogged("transpose", "shared", {});
  const auto point = rooflinePoint(run);
  ASSERT_FALSE(point);
  EXPECT_NE(point.error().message.find("0 operations"), std::string::npos);
}

TEST_F(Operations, PointsAreOperationsOverTheMedianTime) {
  const auto run = runLogged("boundary", "tiled_matmul", {{"width", 64}});
  const auto point = rooflinePoint(run);
  ASSERT_TRUE(point);
  EXPECT_DOUBLE_EQ(point->operations_per_s, 2.0 * 64 * 64 * 64 / (run.timing.median_us * 1e-6));
  EXPECT_DOUBLE_EQ(point->operationsPerByte(), 2.0 * 64 * 64 * 64 / (3.0 * 64 * 64 * 4));
}

// From the CUDA C++ Programming Guide and NVIDIA's data sheet of the H100 SXM: 66.9 TFLOP/s at 1.98 GHz, 3.35
// TB/s.
TEST_F(Operations, PeaksOfAnH100AreThoseOfItsDataSheet) {
  DeviceDescription device;
  device.limits.compute_capability = {9, 0};
  device.limits.sm_count = 132;
  device.limits.max_threads_per_sm = 2048;
  device.sm_clock_khz = 1'980'000;
  device.memory_clock_khz = 2'619'000;
  device.memory_bus_bits = 5120;
  const Peaks peaks = peaksOf(device);
  ASSERT_TRUE(peaks.float_operations_per_s && peaks.integer_operations_per_s && peaks.memory_gb_per_s);
  EXPECT_NEAR(*peaks.float_operations_per_s, 66.9e12, 0.05e12);
  EXPECT_NEAR(*peaks.integer_operations_per_s, 66.9e12 / 4, 0.05e12);
  EXPECT_NEAR(*peaks.memory_gb_per_s, 3352, 1);
  device.sm_clock_khz = 0;
  EXPECT_FALSE(peaksOf(device).float_operations_per_s) << "the clock is not known";
  device.memory_bus_bits = 0;
  EXPECT_FALSE(peaksOf(device).memory_gb_per_s);
}

TEST_F(Operations, BytesInFlightAreWarpsTimesWhatAWarpAsksFor) {
  const auto run = runLogged("latency", "bytes_in_flight",
                             {{"warps_per_sm", 8}, {"loads", 4}, {"width", 2}, {"rounds", 2}});
  ASSERT_FALSE(HasFailure());
  EXPECT_EQ(bytesInFlight(run, std::nullopt), 8.0 * 4 * 16 * 32) << "as many warps as the grid has for an SM";
  EXPECT_EQ(bytesInFlight(run, 0.5), 0.5 * run.occupancy.max_warps_per_sm * 4 * 16 * 32);
  // From counters, if the family does not say: neighbouring words of a warp.
  const auto copy = runLogged("coalescing", "aligned", {{"size", 4096}, {"block", 256}});
  EXPECT_EQ(bytesInFlight(copy, 1.0), copy.occupancy.max_warps_per_sm * 128.0);
  auto uncounted = copy;
  uncounted.counters.clear();
  EXPECT_EQ(bytesInFlight(uncounted, 1.0), std::nullopt);
}

}  // namespace
}  // namespace warpscope::test
