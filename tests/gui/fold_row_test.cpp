// What a row keeps and what it folds into its menu.
#include "app/gui/fold_row.h"

#include <gtest/gtest.h>

namespace warpscope {
namespace {

std::vector<FoldItem> row() {
  return {fixedItem(100, 9, 0, {}),
          {.least = 60, .width = 200, .gap = 10, .rank = 0, .draw = {}},
          fixedItem(50, 5, 10, {}),
          {.gap = 10, .draw = {}, .spring = true},
          fixedItem(40, 7, 10, {})};
}

TEST(FoldRowTest, WithRoomAllIsWideAndTheSpringTakesTheRest) {
  const auto widths = foldedWidths(row(), 600, 30);
  ASSERT_EQ(widths.size(), 5U);
  EXPECT_EQ(widths[0], 100);
  EXPECT_EQ(widths[1], 200);
  EXPECT_EQ(widths[2], 50);
  EXPECT_EQ(widths[4], 40);
  EXPECT_EQ(widths[3], 600 - (100 + 10 + 200 + 10 + 50 + 10 + 40) - 10) << "with its own gap";
}

TEST(FoldRowTest, WhatCanShrinkShrinksBeforeAnythingFolds) {
  const auto widths = foldedWidths(row(), 100 + 10 + 60 + 10 + 50 + 10 + 40, 30);
  EXPECT_EQ(widths[1], 60);
  EXPECT_TRUE(widths[0] && widths[2] && widths[4]);
  EXPECT_FALSE(widths[3]) << "no room is left for it";
}

TEST(FoldRowTest, TheHighestRankFoldsFirstAndTheMenuNeedsRoomToo) {
  const auto widths = foldedWidths(row(), 279, 30);
  EXPECT_FALSE(widths[0]) << "rank 9";
  EXPECT_TRUE(widths[1] && widths[2] && widths[4]);
  const auto fewer = foldedWidths(row(), 60 + 10 + 50 + 30, 30);
  EXPECT_FALSE(fewer[4]) << "rank 7";
  EXPECT_TRUE(fewer[2]);
  const auto least = foldedWidths(row(), 10, 30);
  EXPECT_TRUE(least[1]) << "rank 0 stays whatever happens";
  EXPECT_FALSE(least[0] || least[2] || least[4]);
}

TEST(FoldRowTest, WhatIsFoldedOnPurposeIsFolded) {
  std::vector<FoldItem> items = row();
  items[2].folded = true;
  const auto widths = foldedWidths(items, 600, 30);
  EXPECT_FALSE(widths[2]);
  EXPECT_TRUE(widths[0] && widths[4]);
}

}  // namespace
}  // namespace warpscope
