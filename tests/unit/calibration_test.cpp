// Calibration's decisions without a device: medians, and the profile that it starts from.
#include <gtest/gtest.h>

#include "kernels/calibrate/calibrate.h"

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

}  // namespace
}  // namespace warpscope::calibration
