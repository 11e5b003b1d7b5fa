// Calibration's decisions without a device: medians, and the profile that it starts from.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/calibrate/calibrate.h"
#include "kernels/calibrate/steps.h"
#include "kernels/device/device.h"

namespace warpscope::calibration {
namespace {

TEST(Summary, HasMedianAndSpread) {
  const Measurement odd = summary("a", "cycles", {5, 1, 3});
  EXPECT_EQ(odd.median, 3);
  EXPECT_EQ(odd.min, 1);
  EXPECT_EQ(odd.max, 5);
  EXPECT_EQ(odd.repeats, 3U);
  EXPECT_EQ(summary("a", "cycles", {4, 1}).median, 2.5);
  EXPECT_EQ(summary("a", "cycles", {}).repeats, 0U);
}

std::string nearestTo(int major, int minor) {
  DeviceDescription device;
  device.id = "cuda:0";
  device.limits.compute_capability = {major, minor};
  const auto profile = nearestProfile(device);
  return profile ? profile->id : profile.error().message;
}

TEST(NearestProfile, IsOfTheSameOrTheNextOlderCapability) {
  EXPECT_EQ(nearestTo(9, 0), "sim:h100");
  EXPECT_EQ(nearestTo(8, 0), "sim:a100");
  EXPECT_EQ(nearestTo(8, 6), "sim:a100");
  EXPECT_EQ(nearestTo(8, 9), "sim:rtx4090");
  EXPECT_EQ(nearestTo(7, 5), "sim:v100");
  EXPECT_EQ(nearestTo(12, 1), "sim:rtx5070m");
  EXPECT_EQ(nearestTo(6, 1), "sim:v100");  // older than all: the oldest profile
}

sim::DeviceProfile bundledH100() {
  for (const auto& each : sim::bundledProfiles()) {
    if (each && each->id == "sim:h100") return *each;
  }
  ADD_FAILURE() << "there is no sim:h100";
  return {};
}

// The model's own figures come back.
TEST(CalibrateManaged, FindsTheFiguresOfASimulatedGpu) {
  const OpenedBackend backend(openModel("sim:h100").value());
  auto bench = Bench::create(backend, 1, {});
  ASSERT_TRUE(bench) << bench.error().message;
  Results results;
  const auto done = measureManaged(*bench, results);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(results.notes().empty());
  const sim::DeviceProfile profile = bundledH100();
  const auto expect = [&](const char* figure, double value) {
    EXPECT_NEAR(results.figure(figure), value, 0.03 * value) << figure;
  };
  expect("migration_bytes_per_ns", profile.migration_bytes_per_ns);
  expect("page_fault_batch_ns", profile.page_fault_batch_ns);
  expect("host_page_fault_ns", profile.host_page_fault_ns);
  expect("prefetch_bytes_per_ns", profile.prefetch_bytes_per_ns);
  expect("prefetch_to_host_bytes_per_ns", profile.prefetch_to_host_bytes_per_ns);
  expect("remote_access_bytes_per_ns", profile.remote_access_bytes_per_ns);
}

TEST(CalibrateConditions, FindsTheFiguresOfASimulatedGpu) {
  const OpenedBackend backend(openModel("sim:h100").value());
  auto bench = Bench::create(backend, 1, {});
  ASSERT_TRUE(bench) << bench.error().message;
  Results results;
  const auto done = measureConditions(*bench, results);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(results.notes().empty());
  const sim::DeviceProfile profile = bundledH100();
  EXPECT_NEAR(results.figure("graph_condition_ns"), profile.graph_condition_ns, 60)
      << "with the kernel's call";
  EXPECT_NEAR(results.figure("graph_skip_ns"), profile.graph_skip_ns, 5);
}

}  // namespace
}  // namespace warpscope::calibration
