// The marks of working threads: none is hidden, whatever the width, and those that stand apart remain apart.
#include "viz/layout/tree_marks.h"

#include <gtest/gtest.h>

namespace warpscope {
namespace {

// Every `stride`-th thread of `warps` warps works.
TreeStep everyNth(uint32_t warps, uint32_t stride) {
  TreeStep step;
  for (uint32_t warp = 0; warp < warps; ++warp) {
    uint32_t mask = 0;
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      if ((warp * kWarpSize + lane) % stride == 0) mask |= 1U << lane;
    }
    step.working.push_back(LaneMask{mask});
  }
  return step;
}

TEST(TreeMarks, EveryThreadThatStandsApartHasAVisibleMarkOfItsOwn) {
  for (const float width : {256.0F, 300.0F, 517.0F, 700.0F, 1024.0F, 2000.0F}) {
    for (const uint32_t stride : {4U, 8U, 16U, 32U, 64U, 256U}) {
      const TreeColumns columns{10, 10 + width, 256};
      const auto marks = treeMarks(everyNth(8, stride), columns, 3);
      ASSERT_EQ(marks.size(), 256 / stride) << width << " px, every " << stride;
      for (size_t i = 0; i < marks.size(); ++i) {
        EXPECT_FLOAT_EQ(marks[i].x0, columns.x(static_cast<uint32_t>(i) * stride));
        EXPECT_GE(marks[i].x1 - marks[i].x0, 3 - 1e-3F);
        if (i > 0) {
          EXPECT_GE(marks[i].x0 - marks[i - 1].x1, 1 - 1e-3F);
        }
      }
    }
  }
}

TEST(TreeMarks, NeighboursAreOneMarkUnlessThreadsAreWide) {
  const TreeStep all = everyNth(1, 1);
  EXPECT_EQ(treeMarks(all, {0, 64, 32}, 2).size(), 1U);
  EXPECT_EQ(treeMarks(all, {0, 320, 32}, 2).size(), 32U);
}

TEST(TreeMarks, NarrowThreadsAreShownByTheirShareOfAWarp) {
  const auto marks = treeMarks(everyNth(32, 2), {0, 512, 1024}, 2);
  ASSERT_EQ(marks.size(), 32U);
  EXPECT_FLOAT_EQ(marks[1].x0, 16);
  EXPECT_FLOAT_EQ(marks[1].share, 0.5F);
  EXPECT_TRUE(treeMarks(everyNth(0, 1), {0, 100, 1}, 2).empty());
}

}  // namespace
}  // namespace warpscope
