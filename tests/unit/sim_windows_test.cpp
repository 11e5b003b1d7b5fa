// Which part of a wait the latest times account for in which something was taken.
#include <gtest/gtest.h>

#include "kernels/sim/sm/recent_windows.h"

namespace warpscope::sim {
namespace {

TEST(RecentWindows, CountCyclesWithin) {
  RecentWindows<1> windows;
  EXPECT_EQ(windows.within(0, 0, 100), 0U);
  windows.add(0, 10, 12);
  windows.add(0, 20, 25);
  EXPECT_EQ(windows.within(0, 0, 100), 7U);
  EXPECT_EQ(windows.within(0, 11, 22), 3U);
  EXPECT_EQ(windows.within(0, 12, 20), 0U);
  EXPECT_EQ(windows.within(0, 25, 100), 0U);
}

TEST(RecentWindows, AreOfOneThing) {
  RecentWindows<3> windows;
  windows.add(0, 10, 12);
  windows.add(2, 11, 16);
  EXPECT_EQ(windows.within(0, 0, 100), 2U);
  EXPECT_EQ(windows.within(1, 0, 100), 0U);
  EXPECT_EQ(windows.within(2, 0, 100), 5U);
}

TEST(RecentWindows, StandInProportionForThoseBefore) {
  RecentWindows<1> windows;
  for (uint64_t begin = 0; begin < 1000; begin += 4) windows.add(0, begin, begin + 1);
  EXPECT_NEAR(static_cast<double>(windows.within(0, 0, 1000)), 250, 10);
  EXPECT_EQ(windows.within(0, 980, 1000), 5U);
}

// Only the lower bits of a cycle are kept.
TEST(RecentWindows, AreRightLateInALaunch) {
  constexpr uint64_t kLate = (uint64_t{7} << 32) - 5;
  RecentWindows<1> windows;
  EXPECT_EQ(windows.within(0, kLate, kLate + 100), 0U);
  windows.add(0, kLate, kLate + 2);
  windows.add(0, kLate + 4, kLate + 9);
  EXPECT_EQ(windows.within(0, kLate - 10, kLate + 100), 7U);
  EXPECT_EQ(windows.within(0, kLate + 1, kLate + 6), 3U);
}

}  // namespace
}  // namespace warpscope::sim
