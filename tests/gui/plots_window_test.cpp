// The plots: a sweep over what was recorded, a click on a point, the
// legend, stopping and continuing.
#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

class PlotsWindowTest : public WindowTest {
 protected:
  void openPlots() {
    start("divergence", "even_odd", 1600, 950);
    ASSERT_TRUE(window_->settled());
    window_->key("p");
    ASSERT_TRUE(window_->until([](const Json& state) { return state["page"] == "plots"; }));
    ASSERT_TRUE(window_->until(
        [](const Json& state) { return state["sweep"]["wanted"] > 0 && state["sweep"]["missing"] == 0; }));
    ASSERT_TRUE(rests());
  }
  bool has(const std::string& widget) const { return window_->find(widget).has_value(); }
};

TEST_F(PlotsWindowTest, EveryRecordedBlockSizeIsAPoint) {
  openPlots();
  if (HasFatalFailure()) return;
  EXPECT_EQ(window_->state()["sweep"]["wanted"], 4);
  double last = 0;
  for (const int64_t block : kRecordedBlocks) {
    const auto point = window_->find("plots.point.even_odd." + std::to_string(block));
    ASSERT_TRUE(point) << block;
    EXPECT_GT(point->x(), last) << "ascending";
    last = point->x();
  }
  for (const char* part :
       {"view.plots.sweep", "view.plots.roofline", "view.plots.in_flight", "view.plots.live",
        "plots.roofline.area", "plots.live.area", "plots.roofline.even_odd"}) {
    EXPECT_TRUE(has(part)) << part;
  }
  EXPECT_FALSE(has("plots.in_flight.area")) << "a measured run does not tell";
  window_->rightClick("plots.point.even_odd.128");
  ASSERT_TRUE(window_->until([&](const Json&) { return window_->find("item.pin").has_value(); }));
  ASSERT_TRUE(rests());
  window_->click("item.pin");
  ASSERT_TRUE(rests());
  EXPECT_TRUE(window_->state()["notice"].get<std::string>().starts_with("Pinned: "));
  window_->key("p");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["page"] == "trace"; }));
  EXPECT_TRUE(window_->until([](const Json& state) { return state["sweep"]["wanted"] == 0; }));
}

TEST_F(PlotsWindowTest, AClickOnAPointChoosesItsSettingAndItsRun) {
  openPlots();
  if (HasFatalFailure()) return;
  const int64_t block = kRecordedBlocks[0] == 256 ? kRecordedBlocks[1] : kRecordedBlocks[0];
  ASSERT_TRUE(clickFor("plots.point.even_odd." + std::to_string(block),
                       [&](const Json& state) { return state["parameters"]["block"] == block; }));
  EXPECT_TRUE(window_->until([&](const Json& state) {
    return state["run"]["parameters"]["block"] == block && state["busy"] == false;
  }));
  window_->key("ctrl+z");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["run"]["parameters"]["block"] == 256; }))
      << "one step back";
}

TEST_F(PlotsWindowTest, TheLegendHidesAVariantsCurve) {
  openPlots();
  if (HasFatalFailure()) return;
  ASSERT_TRUE(clickFor("plots.all_variants", [](const Json& state) { return state["sweep"]["wanted"] > 4; }));
  ASSERT_TRUE(window_->until([](const Json& state) { return state["sweep"]["missing"] == 0; }));
  ASSERT_TRUE(rests());
  ASSERT_TRUE(has("plots.point.branchless.256"));
  ASSERT_TRUE(
      clickFor("plots.legend.branchless", [&](const Json&) { return !has("plots.point.branchless.256"); }));
  EXPECT_TRUE(has("plots.point.even_odd.256")) << "the others stay";
  EXPECT_FALSE(has("plots.roofline.branchless")) << "hidden in all plots";
  ASSERT_TRUE(
      clickFor("plots.legend.branchless", [&](const Json&) { return has("plots.point.branchless.256"); }));
  // A point of another variant chooses that one, too.
  ASSERT_TRUE(clickFor("plots.point.branchless.512", [](const Json& state) {
    return state["variant"] == "branchless" && state["parameters"]["block"] == 512;
  }));
}

TEST_F(PlotsWindowTest, WhatIsPlottedAndOverWhatCanBeChosen) {
  openPlots();
  if (HasFatalFailure()) return;
  const auto before = window_->find("plots.point.even_odd.512");
  ASSERT_TRUE(clickFor("plots.quantity", [&](const Json&) { return has("plots.quantity.time"); }));
  window_->click("plots.quantity.time");
  EXPECT_TRUE(window_->until([&](const Json&) {
    const auto now = window_->find("plots.point.even_odd.512");
    return now && std::abs(now->y() - before->y()) > 2;
  }));
  ASSERT_TRUE(rests());
  ASSERT_TRUE(clickFor("plots.control", [&](const Json&) { return has("plots.control.block"); }));
  EXPECT_FALSE(has("plots.control.size")) << "one size was recorded";
}

// All reductions on a simulated GPU take their time, so that there is something to stop.
TEST_F(PlotsWindowTest, ASweepIsStoppedAndGoesOn) {
  std::filesystem::copy(WARPSCOPE_SOURCE_FOLDER "/assets/devices", folder_ / "assets/devices");
  StartOptions options;
  options.device = "sim:teaching";
  options.family = "reduction";
  options.variant = "shuffle";
  options.width = 1600;
  options.height = 950;
  start(options);
  ASSERT_TRUE(window_->settled());
  window_->key("p");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["page"] == "plots"; }));
  window_->click("plots.all_variants");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["sweep"]["wanted"] >= 100; }));
  ASSERT_GT(window_->state()["sweep"]["missing"], 20) << window_->state().dump();
  // On a slow machine the sweep asks, at any time, whether it may take so long. The button then means yes,
  // and the user who agreed is not asked again.
  const auto stopped_by_hand = [&] {
    const Json sweep = window_->state()["sweep"];
    return sweep["paused"] == true && sweep["asks"] == false;
  };
  for (int clicks = 0; clicks < 3 && !stopped_by_hand(); ++clicks) {
    ASSERT_TRUE(window_->until([&](const Json&) { return has("plots.pause") || has("plots.resume"); }));
    window_->click(has("plots.pause") ? "plots.pause" : "plots.resume");
  }
  ASSERT_TRUE(stopped_by_hand()) << window_->state()["sweep"].dump();
  ASSERT_TRUE(rests()) << "the bars of the other variants still come";
  const Json stopped = window_->state()["sweep"];
  ASSERT_TRUE(stopped["paused"].get<bool>());
  ASSERT_GT(stopped["missing"], 0);
  window_->passTime(1.5);
  ASSERT_TRUE(rests()) << "nothing runs any more";
  EXPECT_EQ(window_->state()["sweep"]["missing"], stopped["missing"]) << "nothing more is run";
  window_->click("plots.resume");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["sweep"]["paused"] == false; }));
  EXPECT_TRUE(window_->until(
      [&](const Json& state) { return state["sweep"]["missing"] < stopped["missing"].get<int>(); }));
}

}  // namespace
}  // namespace warpscope::testing
