// The start page: when it comes, what it does, and that it does not come again.
#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

class StartPageTest : public WindowTest {
 protected:
  void startWith(StartPage page) {
    StartOptions options;
    options.width = 1400;
    options.height = 900;
    start(std::move(options), page);
  }
  bool isOpen() const { return window_->state()["start_page"].get<bool>(); }
};

TEST_F(StartPageTest, ComesTheFirstTimeAndNotAfterItWasClosed) {
  startWith(StartPage::kUntilDismissed);
  ASSERT_TRUE(window_->settled());
  EXPECT_TRUE(isOpen());
  ASSERT_TRUE(rests());
  EXPECT_TRUE(window_->find("start.divergence"));
  EXPECT_TRUE(window_->find("start.open"));
  EXPECT_FALSE(window_->find("start.recent.0")) << "there are none yet";
  window_->key("Escape");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["start_page"] == false; }));
  EXPECT_EQ(window_->close(), 0);
  startWith(StartPage::kUntilDismissed);
  EXPECT_FALSE(isOpen());
  startWith(StartPage::kAlways);
  EXPECT_TRUE(isOpen()) << "asked for";
}

TEST_F(StartPageTest, IsNotThereUnlessItIsWanted) {
  start();
  ASSERT_TRUE(window_->settled());
  EXPECT_FALSE(isOpen());
  window_->key("question");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["help"] == true; }));
  ASSERT_TRUE(rests());
  window_->click("help.start");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["start_page"] == true; }));
  EXPECT_FALSE(window_->state()["help"].get<bool>());
}

TEST_F(StartPageTest, ThingsToTryAreTried) {
  startWith(StartPage::kAlways);
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  window_->click("start.occupancy");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["page"] == "occupancy"; }));
  EXPECT_FALSE(isOpen());
  startWith(StartPage::kAlways);
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  window_->click("start.race");
  EXPECT_TRUE(window_->until([](const Json& state) {
    return state["page"] == "compare" && state["family"] == "reduction" && state["compare"]["racing"] == true;
  }));
}

}  // namespace
}  // namespace warpscope::testing
