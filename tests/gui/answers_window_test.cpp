// What the window answers: which time a number is, why occupancy is low, what to do about it, how a run
// compares with the kept one; and the way back to the launch.
#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

class AnswersWindowTest : public WindowTest {
 protected:
  void panFarRight() {
    const auto plot = window_->find("timeline.plot");
    ASSERT_TRUE(plot);
    for (int i = 0; i < 3; ++i)
      window_->drag(plot->x1 - 20, plot->y0 + 5, plot->x0 + 20, plot->y0 + 5, "ctrl");
  }
};

TEST_F(AnswersWindowTest, EveryTimeSaysWhichItIs) {
  start("divergence", "even_odd", 1900, 950);
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  EXPECT_TRUE(window_->text("status.time").starts_with("launch ")) << window_->text("status.time");
  EXPECT_TRUE(window_->text("status.probes").starts_with("with probes ")) << window_->text("status.probes");
  window_->key("c");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["compare"]["runs"].size() == 2; }));
  EXPECT_EQ(window_->text("compare.run.0"), "Even / odd lanes");
  EXPECT_TRUE(window_->find("compare.legend")) << "what the colours of the timelines mean";
}

TEST_F(AnswersWindowTest, PannedBeyondTheLaunchAButtonLeadsBack) {
  start();
  ASSERT_TRUE(window_->settled());
  EXPECT_FALSE(window_->find("timeline.back"));
  panFarRight();
  ASSERT_TRUE(window_->until([&](const Json&) { return window_->find("timeline.back").has_value(); }));
  window_->click("timeline.back");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["visible"]["fitted"] == true; }));
  ASSERT_TRUE(rests());
  EXPECT_FALSE(window_->find("timeline.back"));
}

TEST_F(AnswersWindowTest, EscapeNeverRestoresAZoomOfAnotherRun) {
  start();
  ASSERT_TRUE(window_->settled());
  const auto plot = window_->find("timeline.plot");
  ASSERT_TRUE(plot);
  window_->wheel(plot->x(), plot->y(), 3);
  window_->passTime(2);
  window_->wheel(plot->x(), plot->y(), 3);
  window_->passTime(2);
  ASSERT_TRUE(window_->until([](const Json& state) { return state["visible"]["fitted"] == false; }));
  window_->click("variant.warp_aligned");
  ASSERT_TRUE(shows("warp_aligned"));
  window_->key("Escape");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["visible"]["fitted"] == true; }))
      << "the first zoom was of the run before";
}

TEST_F(AnswersWindowTest, TheKeptRunIsAGhostAndTheHeadlineSaysHowTheyCompare) {
  start("divergence", "even_odd", 1600, 950);
  ASSERT_TRUE(window_->settled());
  EXPECT_FALSE(window_->find("run.headline"));
  window_->key("k");
  window_->click("variant.warp_aligned");
  ASSERT_TRUE(shows("warp_aligned"));
  ASSERT_TRUE(window_->until([&](const Json&) {
    return window_->find("run.headline") && window_->text("run.headline").starts_with("Even / odd warps");
  }));
  EXPECT_NE(window_->text("run.headline").find("Even / odd lanes (kept)"), std::string::npos)
      << window_->text("run.headline");
  EXPECT_TRUE(window_->find("timeline.ghost"));
  EXPECT_LT(window_->find("run.headline")->y1, window_->find("view.timeline")->y0 + 1);
}

TEST_F(AnswersWindowTest, ANoticeMakesRoomForATooltip) {
  start("divergence", "even_odd", 1280, 720);
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  window_->key("k");
  window_->draw(2);
  ASSERT_TRUE(window_->find("notice"));
  EXPECT_GT(window_->find("notice")->x0, 640) << "at the right";
  const auto status = window_->find("status.provenance");
  ASSERT_TRUE(status);
  window_->move(status->x(), status->y());
  window_->passTime(1);
  window_->draw(4);
  ASSERT_TRUE(window_->find("notice"));
  EXPECT_LT(window_->find("notice")->x1, 640) << "the tooltip would leave a piece of it";
  window_->move(5, 5);
  window_->draw(4);
  ASSERT_TRUE(window_->find("notice"));
  EXPECT_GT(window_->find("notice")->x0, 640);
}

TEST_F(AnswersWindowTest, AdviceLeadsToTheViewThatShowsIt) {
  start("divergence", "even_odd", 1600, 950);
  ASSERT_TRUE(window_->settled());
  if (!window_->find("tab.advice")) window_->click("tabs.occupancy");
  ASSERT_TRUE(window_->until([&](const Json&) { return window_->find("tab.advice").has_value(); }));
  ASSERT_TRUE(clickFor("tab.advice", [](const Json& state) { return state["tabs"][0] == "advice"; }));
  ASSERT_TRUE(window_->find("advice.0")) << "half of the lanes wait";
  ASSERT_TRUE(
      clickFor("advice.0.show", [&](const Json&) { return window_->find("view.lanes").has_value(); }));
}

}  // namespace
}  // namespace warpscope::testing
