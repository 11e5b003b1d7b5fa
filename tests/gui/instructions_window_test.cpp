// The parts of the window that only a modelled run has: instructions, warp states, counters, and
// that it is modelled.
#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

class ModelledWindowTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    ASSERT_TRUE(writeModelledAssets(folder_ / "assets", "divergence"));
    start();
    ASSERT_TRUE(window_->settled());
  }
  bool showsInstructions(bool on) const {
    return window_->until([on](const Json& state) { return state["instructions"] == on; });
  }
};

TEST_F(ModelledWindowTest, ButtonAndKeySwitchToInstructionsAndThatIsRemembered) {
  EXPECT_GT(window_->state()["run"]["instructions"].get<size_t>(), 1000U);
  EXPECT_TRUE(showsInstructions(false));
  EXPECT_TRUE(
      clickFor("timeline.instructions", [](const Json& state) { return state["instructions"] == true; }));
  window_->key("i");
  EXPECT_TRUE(showsInstructions(false));
  window_->key("i");
  ASSERT_TRUE(showsInstructions(true));
  EXPECT_EQ(window_->close(), 0);
  start();
  ASSERT_TRUE(window_->settled());
  EXPECT_TRUE(showsInstructions(true)) << "remembered";
}

TEST_F(ModelledWindowTest, AClickSelectsAnInstructionAndEscapeDropsIt) {
  window_->key("i");
  ASSERT_TRUE(showsInstructions(true));
  ASSERT_TRUE(rests());
  const auto row = window_->find("timeline.row.3");
  ASSERT_TRUE(row);
  window_->click(row->x(0.08), row->y());
  ASSERT_TRUE(rests());
  ASSERT_TRUE(window_->state().contains("selected_instruction"));
  EXPECT_TRUE(window_->state()["selected_instruction"].get<std::string>().ends_with(";"));
  EXPECT_TRUE(window_->state().contains("selected_warp"));
  // The next one that the warp issues is not the same instruction.
  const std::string first = window_->state()["selected_instruction"].get<std::string>();
  window_->key("period");
  EXPECT_TRUE(window_->until([&](const Json& state) { return state["selected_instruction"] != first; }));
  window_->key("comma");
  EXPECT_TRUE(window_->until([&](const Json& state) { return state["selected_instruction"] == first; }));
  window_->key("f");
  ASSERT_TRUE(rests());
  window_->key("Escape");  // the zooms first
  ASSERT_TRUE(rests());
  EXPECT_TRUE(window_->state().contains("selected_instruction"));
  for (int zooms = 0; zooms < 4 && window_->state().contains("selected_instruction"); ++zooms) {
    window_->key("Escape");
    ASSERT_TRUE(rests());
  }
  EXPECT_FALSE(window_->state().contains("selected_instruction"));
}

TEST_F(ModelledWindowTest, CodeHasColumnsOfWhatWasIssuedAndAPtxListing) {
  ASSERT_TRUE(rests());
  for (const char* name : {"code.issued", "code.waited", "code.source", "code.ptx"}) {
    const auto area = window_->find(name);
    const auto view = window_->find("view.code");
    ASSERT_TRUE(area && view) << name;
    EXPECT_GE(area->x0, view->x0) << name;
    EXPECT_LE(area->x1, view->x1) << name;
  }
  window_->click("code.ptx");
  ASSERT_TRUE(rests());
  const auto code = window_->find("view.code");
  window_->click(code->x(0.6), code->y(0.4));
  ASSERT_TRUE(rests());
  EXPECT_TRUE(window_->state().contains("selected_instruction"));
}

TEST_F(ModelledWindowTest, WarpStatesAndCountersSharePanels) {
  EXPECT_FALSE(window_->find("view.states"));
  ASSERT_TRUE(clickFor("tab.states", [](const Json& state) { return state["tabs"][0] == "states"; }));
  ASSERT_TRUE(clickFor("tab.counters", [](const Json& state) { return state["tabs"][1] == "counters"; }));
  EXPECT_TRUE(window_->find("states.run"));
  EXPECT_TRUE(window_->find("states.long_scoreboard"));
  EXPECT_FALSE(window_->find("occupancy.gauge"));
  ASSERT_TRUE(window_->find("counters.smsp__inst_executed.sum"));
  window_->rightClick("counters.smsp__inst_executed.sum");
  ASSERT_TRUE(window_->until([&](const Json&) { return window_->find("item.text").has_value(); }));
  ASSERT_TRUE(rests());
  window_->click("item.text");
  EXPECT_TRUE(window_->until([](const Json& state) {
    return state["notice"].get<std::string>().find("smsp__inst_executed.sum") != std::string::npos;
  })) << "copied";
  EXPECT_TRUE(clickFor("tab.occupancy", [](const Json& state) { return state["tabs"][0] == "occupancy"; }));
}

TEST_F(ModelledWindowTest, EveryPanelSaysThatItIsModelled) {
  ASSERT_TRUE(rests());
  for (const char* view : {"timeline", "lanes", "code", "occupancy", "bandwidth"}) {
    const auto badge = window_->find(std::string("view.") + view + ".provenance");
    const auto panel = window_->find(std::string("view.") + view);
    ASSERT_TRUE(badge && panel) << view;
    EXPECT_GE(badge->x0, panel->x0) << view;
    EXPECT_LE(badge->x1, panel->x1) << view;
  }
  EXPECT_TRUE(window_->find("status.provenance"));
  EXPECT_TRUE(window_->find("toolbar.provenance"));
}

TEST_F(WindowTest, AMeasuredRunSaysWhyItHasNoInstructions) {
  start();
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  EXPECT_FALSE(window_->find("view.timeline.provenance")) << "it is measured";
  EXPECT_FALSE(window_->find("code.issued"));
  window_->click("timeline.instructions");
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->state()["instructions"], false);
  window_->key("i");
  EXPECT_TRUE(window_->until([](const Json& state) {
    return state["notice"].get<std::string>().find("real GPU does not report") != std::string::npos;
  }));
  ASSERT_TRUE(clickFor("tab.states", [](const Json& state) { return state["tabs"][0] == "states"; }));
  ASSERT_TRUE(clickFor("tab.counters", [](const Json& state) { return state["tabs"][1] == "counters"; }));
  EXPECT_TRUE(window_->find("view.states"));
  EXPECT_FALSE(window_->find("states.run"));
}

// What a real GPU's samplers give in their place.
class SampledWindowTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    ASSERT_TRUE(writeSampledAssets(folder_ / "assets", "divergence"));
    start();
    ASSERT_TRUE(window_->settled());
    ASSERT_TRUE(rests());
  }
};

TEST_F(SampledWindowTest, CodeHasAColumnOfWaitsAndAPtxListing) {
  EXPECT_TRUE(window_->find("code.waited"));
  EXPECT_FALSE(window_->find("code.issued")) << "a sampler does not know";
  const auto view = window_->find("view.code");
  const auto title = window_->find("code.waited");
  ASSERT_TRUE(view && title);
  EXPECT_GE(title->x0, view->x0);
  EXPECT_LE(title->x1, view->x1);
  EXPECT_TRUE(window_->find("code.ptx"));
  window_->click("code.ptx");
  ASSERT_TRUE(rests());
  EXPECT_TRUE(window_->find("code.waited"));
}

TEST_F(SampledWindowTest, CurvesOfActivityAreBetweenAxisAndRows) {
  const auto curves = window_->find("timeline.activity");
  const auto axis = window_->find("timeline.axis");
  const auto row = window_->find("timeline.row.0");
  ASSERT_TRUE(curves && axis && row);
  EXPECT_GE(curves->y0, axis->y1);
  EXPECT_LE(curves->y1, row->y0);
  EXPECT_NEAR(curves->x0, row->x0, 1) << "on the same axis of time";
  EXPECT_NEAR(curves->x1, row->x1, 1);
}

TEST_F(ModelledWindowTest, WithoutSamplesThereAreNoCurves) {
  ASSERT_TRUE(rests());
  EXPECT_FALSE(window_->find("timeline.activity"));
}

}  // namespace
}  // namespace warpscope::testing
