// The timeline's rows: chosen in the menu above it, sorted, filtered, and walked through by keyboard.
#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

class RowsWindowTest : public WindowTest {
 protected:
  void open() {
    start();
    ASSERT_TRUE(window_->settled());
    ASSERT_TRUE(rests());
  }
  // Opens the menu, chooses an entry, and closes the menu.
  void choose(const std::string& entry, const std::function<bool(const Json& state)>& chosen) {
    openMenu();
    ASSERT_TRUE(clickFor(entry, chosen));
    closeMenu();
  }
  void openMenu() {
    ASSERT_TRUE(clickFor("timeline.rows",
                         [&](const Json&) { return window_->find("timeline.rows.slots").has_value(); }));
  }
  // A click elsewhere closes it, as any menu.
  void closeMenu() {
    const auto title = window_->find("view.code");
    ASSERT_TRUE(title);
    window_->click(title->x(0.5), title->y0 + 4);
    ASSERT_TRUE(window_->until([&](const Json&) { return !window_->find("timeline.rows.slots"); }));
    ASSERT_TRUE(rests());
  }
  void chooseSlots() {
    choose("timeline.rows.slots", [](const Json& state) { return state["grouping"] == "slots"; });
  }
  int rowsInSight() const {
    int rows = 0;
    while (window_->find(fmt::format("timeline.row.{}", rows))) ++rows;
    return rows;
  }
  Json selected() const { return window_->state()["selected_warp"]; }
};

TEST_F(RowsWindowTest, ASlotRowHoldsSeveralWarpsAndEachCanBePicked) {
  open();
  ASSERT_NO_FATAL_FAILURE(chooseSlots());
  const auto row = window_->find("timeline.row.1");
  ASSERT_TRUE(row);
  // The first warp of the slot, then its successor by keyboard.
  window_->click(row->x(0.1), row->y());
  ASSERT_TRUE(rests());
  const Json first = selected();
  const auto first_at = window_->find("timeline.selected");
  ASSERT_TRUE(first_at);
  window_->key("shift+Right");
  ASSERT_TRUE(window_->until([&](const Json& state) { return state["selected_warp"] != first; }));
  const Json second = selected();
  const auto second_at = window_->find("timeline.selected");
  ASSERT_TRUE(second_at);
  EXPECT_GE(second_at->x0, first_at->x1 - 2) << "it follows the first";
  EXPECT_EQ(second_at->y(), first_at->y()) << "in the same row";
  // Back, and to the second by mouse.
  window_->key("shift+Left");
  ASSERT_TRUE(window_->until([&](const Json& state) { return state["selected_warp"] == first; }));
  window_->click(second_at->x(0.5), second_at->y());
  EXPECT_TRUE(window_->until([&](const Json& state) { return state["selected_warp"] == second; }));
  // The row below, at the same time.
  window_->key("Down");
  ASSERT_TRUE(window_->until([&](const Json& state) { return state["selected_warp"] != second; }));
  const auto below = window_->find("timeline.selected");
  ASSERT_TRUE(below);
  EXPECT_GT(below->y(), second_at->y());
  EXPECT_LT(below->x0, second_at->x1);
}

TEST_F(RowsWindowTest, ABlocksWarpsShareARow) {
  open();
  choose("timeline.rows.sm", [](const Json& state) { return state["grouping"] == "sm"; });
  const int warps = rowsInSight();
  choose("timeline.rows.blocks", [](const Json& state) { return state["grouping"] == "blocks"; });
  const int blocks = rowsInSight();
  EXPECT_EQ(blocks, 16);  // 4,096 threads in blocks of 256
  EXPECT_GT(warps, blocks);
  const auto row = window_->find("timeline.row.5");
  ASSERT_TRUE(row);
  window_->click(row->x0 - 20, row->y());  // its label
  ASSERT_TRUE(rests());
  const auto block = selected()["block"];
  window_->key("shift+Right");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["selected_warp"]["warp"] == 1; }));
  EXPECT_EQ(selected()["block"], block);
}

TEST_F(RowsWindowTest, AFilterIsTypedShownAsAChipAndCleared) {
  open();
  choose("timeline.rows.blocks", [](const Json& state) { return state["grouping"] == "blocks"; });
  const int all = rowsInSight();
  EXPECT_FALSE(window_->find("timeline.filter"));
  openMenu();
  window_->click("timeline.filter.sms");
  window_->type("0-1");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["rows_filtered"] == true; }));
  closeMenu();
  EXPECT_EQ(rowsInSight(), all / 2);  // of four SMs
  ASSERT_TRUE(window_->find("timeline.filter"));
  ASSERT_TRUE(clickFor("timeline.filter", [](const Json& state) { return state["rows_filtered"] == false; }));
  EXPECT_EQ(rowsInSight(), all);
  EXPECT_FALSE(window_->find("timeline.filter"));
}

TEST_F(RowsWindowTest, AFilterThatNoWarpMeetsSaysSoAndOffersAllAgain) {
  open();
  openMenu();
  window_->click("timeline.filter.least");
  window_->type("900,000,000");
  ASSERT_TRUE(window_->until([&](const Json&) { return window_->find("timeline.filter.none").has_value(); }));
  closeMenu();
  EXPECT_EQ(rowsInSight(), 0);
  ASSERT_TRUE(
      clickFor("timeline.filter.none", [](const Json& state) { return state["rows_filtered"] == false; }));
  EXPECT_GT(rowsInSight(), 0);
}

TEST_F(RowsWindowTest, RowsOrderAndFilterAreRemembered) {
  open();
  choose("timeline.sort.duration", [](const Json& state) { return state["row_sort"] == "duration"; });
  choose("timeline.rows.block", [](const Json& state) { return state["grouping"] == "block"; });
  openMenu();
  window_->click("timeline.filter.blocks");
  window_->type("2-");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["rows_filtered"] == true; }));
  closeMenu();
  const int rows = rowsInSight();
  EXPECT_EQ(window_->close(), 0);
  startAsRemembered();
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  const Json state = window_->state();
  EXPECT_EQ(state["grouping"], "block");
  EXPECT_EQ(state["row_sort"], "duration");
  EXPECT_EQ(state["rows_filtered"], true);
  EXPECT_EQ(rowsInSight(), rows);
}

}  // namespace
}  // namespace warpscope::testing
