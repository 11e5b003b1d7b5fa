// Which part of a wait the latest times account for in which something was taken.
#include <gtest/gtest.h>

#include "kernels/sim/sm/recent_windows.h"

namespace warpscope::sim {
namespace {

TEST(RecentWindows, CountCyclesWithin) {
  RecentWindows windows;
  EXPECT_EQ(windows.within(0, 100), 0U);
  windows.add(10, 12);
  windows.add(20, 25);
  EXPECT_EQ(windows.within(0, 100), 7U);
  EXPECT_EQ(windows.within(11, 22), 3U);
  EXPECT_EQ(windows.within(12, 20), 0U);
  EXPECT_EQ(windows.within(25, 100), 0U);
}

TEST(RecentWindows, StandInProportionForThoseBefore) {
  RecentWindows windows;
  for (uint64_t begin = 0; begin < 1000; begin += 4) windows.add(begin, begin + 1);
  EXPECT_NEAR(static_cast<double>(windows.within(0, 1000)), 250, 10);
  EXPECT_EQ(windows.within(980, 1000), 5U);
}

}  // namespace
}  // namespace warpscope::sim
