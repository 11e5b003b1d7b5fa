// Navigation, ticks, and the mappings between pixels, cycles and rows.
#include "viz/layout/navigation.h"

#include <gtest/gtest.h>

#include "kernels/core/units.h"
#include "tests/support/synthetic_trace.h"
#include "viz/layout/axis_ticks.h"
#include "viz/layout/row_geometry.h"
#include "viz/layout/time_scale.h"

namespace warpscope {
namespace {

class Navigation : public ::testing::Test {
 protected:
  warpscope::Run run_ = testing::makeSyntheticRun();
  TraceLayout layout_{run_};
  ViewState state_;
};

TEST_F(Navigation, FittedFollowsTheLaunch) {
  followFit(state_, layout_);
  EXPECT_EQ(state_.begin_cycles, static_cast<double>(layout_.begin()));
  EXPECT_GT(state_.end_cycles, static_cast<double>(layout_.end()));
  zoomTo(state_, 100, 200);
  followFit(state_, layout_);
  EXPECT_EQ(state_.begin_cycles, 100);
  EXPECT_EQ(state_.end_cycles, 200);
}

TEST_F(Navigation, ZoomKeepsTheCycleUnderTheCursor) {
  zoomTo(state_, 1000, 2000);
  zoomAround(state_, layout_, 1250, 0.5);
  EXPECT_DOUBLE_EQ(state_.end_cycles - state_.begin_cycles, 500);
  EXPECT_DOUBLE_EQ((1250 - state_.begin_cycles) / 500, 0.25);
}

TEST_F(Navigation, ZoomEndsAtAFewCyclesAndAtTheWholeLaunch) {
  followFit(state_, layout_);
  for (int i = 0; i < 200; ++i) zoomAround(state_, layout_, 100, 0.7);
  EXPECT_DOUBLE_EQ(state_.end_cycles - state_.begin_cycles, kSmallestVisibleCycles);
  EXPECT_FALSE(state_.fitted);
  for (int i = 0; i < 200; ++i) zoomAround(state_, layout_, 100, 1.4);
  EXPECT_TRUE(state_.fitted);
}

TEST_F(Navigation, PanKeepsTheWidthAndAPartOfTheLaunchInSight) {
  zoomTo(state_, 1000, 2000);
  panBy(state_, layout_, 300);
  EXPECT_DOUBLE_EQ(state_.begin_cycles, 1300);
  panBy(state_, layout_, 1e12);
  EXPECT_LT(state_.begin_cycles, static_cast<double>(layout_.end()));
  EXPECT_DOUBLE_EQ(state_.end_cycles - state_.begin_cycles, 1000);
  panBy(state_, layout_, -1e12);
  EXPECT_GT(state_.end_cycles, static_cast<double>(layout_.begin()));
}

TEST_F(Navigation, BackGoesThroughWhatWasRememberedAndEnds) {
  EXPECT_FALSE(goBack(state_));
  rememberZoom(state_);
  zoomTo(state_, 100, 200);
  rememberZoom(state_);
  rememberZoom(state_);  // the same place: one entry
  zoomTo(state_, 120, 130);
  EXPECT_TRUE(goBack(state_));
  EXPECT_EQ(state_.begin_cycles, 100);
  EXPECT_TRUE(goBack(state_));
  EXPECT_TRUE(state_.fitted);
  EXPECT_FALSE(goBack(state_));
}

TEST_F(Navigation, BackEndsAtTheWholeLaunchWhateverWasForgotten) {
  zoomTo(state_, 100, 200);
  EXPECT_TRUE(goBack(state_));
  EXPECT_TRUE(state_.fitted);
  EXPECT_FALSE(goBack(state_));
}

TEST_F(Navigation, KnowsWhenTheLaunchIsOutOfSight) {
  const TimeExtent launch(0, 1000);
  followFit(state_, launch);
  EXPECT_EQ(launchOutOfSight(state_, launch), 0);
  zoomTo(state_, 400, 600);
  EXPECT_EQ(launchOutOfSight(state_, launch), 0) << "all that is visible is the launch";
  zoomTo(state_, 600, 1400);
  EXPECT_EQ(launchOutOfSight(state_, launch), 0) << "half of it";
  zoomTo(state_, 700, 1500);
  EXPECT_EQ(launchOutOfSight(state_, launch), -1);
  zoomTo(state_, -700, 100);
  EXPECT_EQ(launchOutOfSight(state_, launch), 1);
}

TEST_F(Navigation, BackSkipsPressesThatMovedNothing) {
  zoomTo(state_, 0, 1000);
  rememberZoom(state_);
  zoomTo(state_, 100, 200);
  rememberZoom(state_);  // pressed, but not dragged
  EXPECT_TRUE(goBack(state_));
  EXPECT_EQ(state_.end_cycles, 1000);
}

TEST_F(Navigation, TheNotchesOfOneGestureAreOneStepBack) {
  zoomTo(state_, 0, 1000);
  for (int notch = 0; notch < 5; ++notch) {
    rememberGesture(state_, 10 + 0.1 * notch);
    zoomAround(state_, layout_, 500, 0.8);
  }
  EXPECT_TRUE(goBack(state_));
  EXPECT_EQ(state_.end_cycles, 1000);
  EXPECT_TRUE(goBack(state_));
  EXPECT_TRUE(state_.fitted) << "the last step leads to the whole launch";
}

TEST(Ticks, AreRoundAndInside) {
  const Ticks ticks = niceTicks(130, 4870, 8);
  EXPECT_DOUBLE_EQ(ticks.step, 1000);
  EXPECT_DOUBLE_EQ(ticks.first, 1000);
  EXPECT_EQ(ticks.count, 4);
  const Ticks fine = niceTicks(0, 0.1, 5);
  EXPECT_DOUBLE_EQ(fine.step, 0.02);
  EXPECT_EQ(fine.decimals, 2);
  EXPECT_EQ(fine.count, 6);
  EXPECT_EQ(formatTick(fine.at(1), fine.decimals), "0.02");
  EXPECT_EQ(formatTick(12000, 0), "12,000");
  EXPECT_EQ(formatTick(0, 1), "0");
}

TEST(Ticks, OfEmptyOrInfiniteRangesThereAreNone) {
  EXPECT_EQ(niceTicks(5, 5, 10).count, 0);
  EXPECT_EQ(niceTicks(9, 5, 10).count, 0);
  EXPECT_EQ(niceTicks(0, std::numeric_limits<double>::infinity(), 10).count, 0);
  EXPECT_EQ(niceTicks(0, std::nan(""), 10).count, 0);
}

TEST(Ticks, OfWholeThingsAreWhole) {
  EXPECT_DOUBLE_EQ(niceTicks(10, 12, 20, 1).step, 1);
}

TEST(TimeScale, GoesThereAndBack) {
  const TimeScale scale{1000, 3000, 100, 600};
  EXPECT_DOUBLE_EQ(scale.cyclesPerPixel(), 4);
  EXPECT_FLOAT_EQ(scale.x(2000), 350);
  EXPECT_DOUBLE_EQ(scale.cycles(350), 2000);
  EXPECT_LE(scale.x(1e18), 610);
  EXPECT_GE(scale.x(-1e18), 90);
}

TEST(Rows, AreFoundWhereTheyAreDrawn) {
  const RowGeometry rows{.top = 100, .bottom = 200, .row_height = 20, .first_row = 2.5, .rows = 30};
  EXPECT_EQ(rows.firstVisible(), 2U);
  EXPECT_EQ(rows.endVisible(), 8U);
  EXPECT_FLOAT_EQ(rows.rowTop(3), 110);
  EXPECT_EQ(rows.rowAt(109), 2U);
  EXPECT_EQ(rows.rowAt(110), 3U);
  EXPECT_FALSE(rows.rowAt(99));
  EXPECT_FALSE(rows.rowAt(200));
  EXPECT_DOUBLE_EQ(rows.lastFirstRow(), 25);
  EXPECT_FLOAT_EQ(RowGeometry::heightToFit(100, 8, 5, 90), 12);
  EXPECT_FLOAT_EQ(RowGeometry::heightToFit(100, 8000, 5, 90), 5);
  EXPECT_FLOAT_EQ(RowGeometry::heightToFit(100, 0, 5, 90), 90);
}

TEST_F(Navigation, SteppingGoesThroughAWarpsInstructions) {
  EXPECT_FALSE(stepInstruction(state_, layout_, 1)) << "the run has none";
  testing::addInstructions(run_);
  const TraceLayout layout(run_);
  const TraceWarp& warp = run_.trace.warps[4];
  state_.selected_warp = WarpKey{warp.block, warp.warp_in_block};
  followFit(state_, layout);
  const auto slots = layout.instructions().slotsOf(4);
  ASSERT_GT(slots.size(), 10U);
  for (uint32_t i = 0; i < slots.size(); ++i) {
    ASSERT_TRUE(stepInstruction(state_, layout, 1));
    EXPECT_EQ(state_.selected_instruction->ordinal, i);
    EXPECT_EQ(state_.selected_instruction->listed, slots[i].listed);
    const auto issue = static_cast<double>(slots[i].issue());
    EXPECT_TRUE(state_.begin_cycles < issue && issue < state_.end_cycles) << "in sight";
  }
  EXPECT_LT(state_.end_cycles - state_.begin_cycles, 1000) << "near enough";
  EXPECT_FALSE(stepInstruction(state_, layout, 1)) << "that was the last";
  EXPECT_TRUE(stepInstruction(state_, layout, -1));
  EXPECT_EQ(state_.selected_instruction->ordinal, slots.size() - 2);
  EXPECT_TRUE(goBack(state_)) << "to where the stepping began";
  EXPECT_TRUE(state_.fitted);
}

TEST_F(Navigation, SteppingBeginsAtTheEdgeOfWhatIsInSight) {
  testing::addInstructions(run_);
  const TraceLayout layout(run_);
  const TraceWarp& warp = run_.trace.warps[0];
  state_.selected_warp = WarpKey{warp.block, warp.warp_in_block};
  const auto slots = layout.instructions().slotsOf(0);
  const auto middle = static_cast<double>(slots[20].issue());
  zoomTo(state_, middle - 0.5, middle + 300);
  ASSERT_TRUE(stepInstruction(state_, layout, 1));
  EXPECT_EQ(state_.selected_instruction->ordinal, 20U);
  state_.selected_instruction.reset();
  zoomTo(state_, middle - 300, middle + 0.5);
  ASSERT_TRUE(stepInstruction(state_, layout, -1));
  EXPECT_EQ(state_.selected_instruction->ordinal, 20U);
}

// Compare's axis of a warp that began late, in a narrow panel: 50 alone would have no room for its label.
TEST(TimeTicks, TwoAtLeastHaveALabel) {
  const TickLabels labels;
  const auto labelled = [&](double begin, double end, float width) {
    const TimeScale scale{begin, end, 0, width};
    const Ticks ticks = timeTicks(scale, 1, 0, labels);
    int count = 0;
    for (int i = 0; i < ticks.count; ++i) count += labels.end(scale, 1, ticks, i) <= scale.right ? 1 : 0;
    return count;
  };
  EXPECT_GE(labelled(1.6, 50.3, 190), 2);
  for (const double begin : {0.0, 1.6, 7.0, 33.3, 1234.0}) {
    for (const double length : {3.0, 8.9, 48.7, 99.0, 260.0, 7000.0})
      EXPECT_GE(labelled(begin, begin + length, 190), 2) << begin << " for " << length;
  }
}

TEST(TimeTicks, LabelsDoNotOverlap) {
  const TickLabels labels;
  for (const float width : {190.0F, 400.0F, 1500.0F}) {
    const TimeScale scale{1.6, 1e6 + 0.3, 0, width};
    const Ticks ticks = timeTicks(scale, 1, 0, labels);
    for (int i = 0; i + 1 < ticks.count; ++i)
      EXPECT_LE(labels.end(scale, 1, ticks, i), scale.x(ticks.at(i + 1))) << width;
  }
}

}  // namespace
}  // namespace warpscope
