// Playing a launch: the head moves by itself and in steps, and the views of the selected warp follow it.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/gui/window_fixture.h"
#include "viz/layout/sm_slots.h"

namespace warpscope::testing {
namespace {

class PlaybackWindowTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    setenv("WARPSCOPE_ASSETS", WARPSCOPE_SOURCE_FOLDER "/assets", 1);
  }
  void open(const std::string& variant = "even_odd") {
    StartOptions options{
        .device = "sim:teaching", .family = "divergence", .variant = variant, .width = 1400, .height = 900};
    start(options);
    ASSERT_TRUE(window_->settled());
    ASSERT_TRUE(window_->rests());
  }
  double head() const { return window_->ui().model.view.play_head.value(); }
  bool plays() const { return window_->screen().playback.direction != 0; }
  const warpscope::Run& run() const { return *window_->application().model().feed().shown().run; }
  const TraceWarp& selectedWarp() const {
    const auto& shown = window_->application().model().feed().shown();
    const WarpKey key = *window_->application().model().view.selected_warp;
    return run().trace.warps[*shown.layout->findWarp(key.block, key.warp_in_block)];
  }
  void choose(PlayStop stop) { window_->screen().playback.stop = stop; }
};

TEST_F(PlaybackWindowTest, TheHeadMovesWithTheClockAndStops) {
  open();
  EXPECT_FALSE(window_->find("timeline.play_head"));
  window_->key("space");
  ASSERT_TRUE(window_->ui().model.view.play_head);
  EXPECT_TRUE(window_->find("timeline.play_head"));
  const double from = head();
  window_->passTime(2);
  EXPECT_TRUE(plays());
  EXPECT_NEAR(head() - from, 200, 25) << "100 cycles a second";
  window_->key("space");
  EXPECT_FALSE(plays());
  const double there = head();
  window_->passTime(1);
  EXPECT_EQ(head(), there);
  window_->key("shift+space");
  window_->passTime(1);
  EXPECT_LT(head(), there - 80);
  window_->click("play.end");
  EXPECT_FALSE(window_->find("timeline.play_head"));
  EXPECT_FALSE(window_->find("play.forward"));
}

TEST_F(PlaybackWindowTest, ItEndsWithTheLaunchAndBeginsAgain) {
  open();
  window_->screen().playback.cycles_per_s = 100'000;
  window_->key("space");
  window_->passTime(3);
  EXPECT_FALSE(plays());
  EXPECT_EQ(head(), static_cast<double>(window_->application().model().feed().shown().layout->end()));
  window_->key("space");
  EXPECT_TRUE(plays());
  EXPECT_LT(head(), static_cast<double>(run().trace.duration_cycles) / 2);
}

TEST_F(PlaybackWindowTest, StepsGoFromRegionToRegionAndBack) {
  open();
  window_->key("space");
  window_->key("space");
  window_->key("Right");
  const TraceWarp& warp = selectedWarp();
  const auto events = run().trace.eventsOf(warp);
  EXPECT_EQ(head(), static_cast<double>(events[0].clock_cycles));
  EXPECT_EQ(window_->ui().model.view.selected_warp->warp_in_block, warp.warp_in_block);
  window_->key("Right");
  EXPECT_EQ(head(), static_cast<double>(events[1].clock_cycles));
  window_->key("Left");
  EXPECT_EQ(head(), static_cast<double>(events[0].clock_cycles));
}

TEST_F(PlaybackWindowTest, TheCodeFollowsTheHead) {
  open();
  window_->key("space");
  window_->key("space");
  choose(PlayStop::kInstruction);
  for (int i = 0; i < 5; ++i) {
    window_->key("Right");
    const auto& selected = window_->ui().model.view.selected_instruction;
    ASSERT_TRUE(selected);
    const auto instructions = run().trace.instructionsOf(selectedWarp());
    EXPECT_EQ(static_cast<double>(instructions[selected->ordinal].issue_cycles), head());
    EXPECT_FALSE(isProbeInstruction((*run().listing)[selected->listed]));
  }
}

TEST_F(PlaybackWindowTest, StepsFindDivergenceAndTheEndsOfWarps) {
  open();
  window_->key("space");
  window_->key("space");
  choose(PlayStop::kDivergence);
  window_->key("Right");
  bool found = false;
  forEachSpan(run().trace, selectedWarp(), [&](const Span& span) {
    if (static_cast<double>(span.begin_cycles) != head()) return;
    found = span.mask.count() == 16;
  });
  EXPECT_TRUE(found);
  choose(PlayStop::kWarpEnd);
  window_->key("Right");
  int64_t first = INT64_MAX;
  for (const TraceWarp& warp : run().trace.warps) first = std::min(first, warp.end_cycles);
  EXPECT_EQ(head(), static_cast<double>(first));
  window_->key("Left");
  EXPECT_EQ(head(), static_cast<double>(first)) << "there is no earlier one";
}

TEST_F(PlaybackWindowTest, TheMinimapIsAScrubber) {
  open();
  window_->key("space");
  window_->key("space");
  const auto map = *window_->find("timeline.minimap");
  window_->drag(map.x(0.2), map.y(), map.x(0.5), map.y());
  const auto& layout = *window_->application().model().feed().shown().layout;
  const double middle = (static_cast<double>(layout.begin()) + static_cast<double>(layout.end())) / 2;
  EXPECT_NEAR(head(), middle, middle * 0.02);
  EXPECT_TRUE(window_->ui().model.view.fitted) << "the view did not move";
  EXPECT_TRUE(window_->find("lanes.play_head"));
}

TEST_F(PlaybackWindowTest, AnotherRunKeepsTheHeadWithinTheLaunch) {
  open();
  window_->screen().playback.cycles_per_s = 100'000;
  window_->key("space");
  window_->passTime(3);
  const double long_launch = head();
  window_->ui().model.setParameter("work", 8);
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(window_->rests());
  EXPECT_LT(head(), long_launch);
  EXPECT_LE(head(), static_cast<double>(window_->application().model().feed().shown().layout->end()));
}

TEST_F(PlaybackWindowTest, EscapeTakesTheHeadAway) {
  open();
  window_->key("space");
  window_->key("Escape");
  EXPECT_FALSE(window_->ui().model.view.play_head);
}

// Registers, shared memory and results are those of the head's place, whichever way it was reached.
TEST_F(PlaybackWindowTest, ValuesFollowTheHeadForwardAndBack) {
  open();
  window_->ui().model.chooseLanesTab("values");
  window_->draw(2);
  ASSERT_TRUE(window_->until([](const Json& state) { return state["values"].get<bool>(); }));
  EXPECT_NE(window_->text("values.place").find("at its end"), std::string::npos);
  EXPECT_FALSE(window_->text("values.result").empty());
  const std::string at_the_end = window_->text("values.result");
  window_->key("space");
  window_->key("space");
  choose(PlayStop::kInstruction);
  std::vector<std::string> instructions;
  int same = 0;
  for (int i = 0; i < 30; ++i) {
    window_->key("Right");
    instructions.push_back(window_->text("values.instruction"));
    const auto& selected = window_->ui().model.view.selected_instruction;
    ASSERT_TRUE(selected);
    same += instructions.back().ends_with((*run().listing)[selected->listed].text) ? 1 : 0;
  }
  // An instruction of several operations is done with the last of them, and one that was moved down, as ptxas
  // moves it, where it was moved to.
  EXPECT_GE(same, 20);
  EXPECT_NE(instructions.front(), instructions.back());
  for (int i = 28; i >= 0; --i) {
    window_->key("Left");
    EXPECT_EQ(window_->text("values.instruction"), instructions[static_cast<size_t>(i)]);
  }
  const auto lanes = *window_->find("values.lanes");
  window_->press(lanes.x(0.51), lanes.y());
  window_->release();
  EXPECT_EQ(window_->ui().model.view.value_lane, 16);
}

TEST_F(PlaybackWindowTest, TheSmShowsItsWarpsAtTheHead) {
  open();
  window_->ui().model.chooseLanesTab("slots");
  window_->draw(2);
  ASSERT_TRUE(window_->until([&](const Json&) { return window_->find("slots.0").has_value(); }));
  EXPECT_NE(window_->text("slots.summary").find("slots hold a running warp"), std::string::npos);
  window_->key("space");
  window_->key("space");
  const std::string before = window_->text("slots.summary");
  choose(PlayStop::kWarpEnd);
  window_->key("Right");
  EXPECT_NE(window_->text("slots.summary"), before);
  const auto slots = recordedSlots(run().trace, selectedWarp().sm, static_cast<int64_t>(head()),
                                   run().occupancy.max_warps_per_sm);
  size_t other = slots.size();
  while (other-- > 0 && slots[other].state != WarpSlot::State::kRunning) {
  }
  ASSERT_LT(other, slots.size()) << "no warp runs";
  window_->click("slots." + std::to_string(other));
  const WarpKey selected = *window_->ui().model.view.selected_warp;
  EXPECT_EQ(selected, (WarpKey{BlockId{slots[other].block}, slots[other].warp_in_block}));
}

}  // namespace
}  // namespace warpscope::testing
