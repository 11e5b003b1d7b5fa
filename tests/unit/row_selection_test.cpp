// Selections made of rows of a timeline, and what of a row is selected, where a row is a warp and where it
// has several.
#include "viz/layout/row_selection.h"

#include <gtest/gtest.h>

namespace warpscope {
namespace {

// Four blocks of two warps on one SM, which has two slots: each block lives for 100 cycles after the one
// before.
Run oneAfterAnother() {
  Run run;
  run.grid = {4, 1, 1};
  run.block = {64, 1, 1};
  for (uint32_t block = 0; block < 4; ++block) {
    for (uint32_t index = 0; index < 2; ++index) {
      TraceWarp warp;
      warp.block = BlockId{block};
      warp.warp_in_block = index;
      warp.hardware_slot = index;
      warp.live = kFullMask;
      warp.begin_cycles = 100 * block;
      warp.end_cycles = warp.begin_cycles + 100;
      run.trace.warps.push_back(warp);
    }
  }
  run.trace.duration_cycles = 400;
  return run;
}

std::string selected(const Run& run, const RowOrder& rows, uint32_t first, uint32_t last,
                     const CycleRange& cycles) {
  return selectionText({{selectRows(run, rows, first, last, cycles)}});
}

TEST(RowSelection, TakesTheWarpsThatLiveInTheRange) {
  const warpscope::Run run = oneAfterAnother();
  const RowOrder warps(TraceLayout(run), {.kind = RowKind::kWarpsByBlock});
  ASSERT_EQ(warps.rowCount(), 8U);
  EXPECT_EQ(selected(run, warps, 0, 2, {10, 90}), "b0 @10..90");
  EXPECT_EQ(selected(run, warps, 1, 4, {10, 250}), "b0 w1, b1, b2 w0 @10..250");
  EXPECT_EQ(selected(run, warps, 0, 1, {300, 390}), "b0 @300..390") << "none lives then: all of the rows";
  EXPECT_EQ(selected(run, warps, 0, 7, {10, 90}), "all @10..90");
  EXPECT_EQ(selected(run, warps, 6, 99, {310, 390}), "b3 @310..390");
}

TEST(RowSelection, ARowOfASlotHasOneWarpAfterTheOther) {
  const warpscope::Run run = oneAfterAnother();
  const RowOrder slots(TraceLayout(run), {.kind = RowKind::kSlots});
  ASSERT_EQ(slots.rowCount(), 2U);
  EXPECT_EQ(selected(run, slots, 0, 0, {50, 150}), "b0-b1 w0 @50..150");
  const TraceSelection dragged{{selectRows(run, slots, 0, 0, {50, 150})}};
  EXPECT_EQ(selectedOfRow(run, slots, 0, dragged), (std::vector<CycleRange>{{50, 150}}));
  EXPECT_TRUE(selectedOfRow(run, slots, 1, dragged).empty());
  const TraceSelection one = selectWarp(BlockId{1}, 0, {50, 150});
  EXPECT_EQ(selectedOfRow(run, slots, 0, one), (std::vector<CycleRange>{{100, 150}}))
      << "the warp before it in the row is not selected";
}

TEST(RowSelection, ARowOfOneWarpIsSelectedBeyondItsLife) {
  const warpscope::Run run = oneAfterAnother();
  const RowOrder warps(TraceLayout(run), {.kind = RowKind::kWarpsByBlock});
  const TraceSelection range = parseSelection("b0-b1 @50..150").value();
  EXPECT_EQ(selectedOfRow(run, warps, 0, range), (std::vector<CycleRange>{{50, 150}}));
  EXPECT_EQ(selectedOfRow(run, warps, 2, range), (std::vector<CycleRange>{{50, 150}}));
  EXPECT_TRUE(selectedOfRow(run, warps, 4, range).empty());
  EXPECT_EQ(selectedOfRow(run, warps, 3, parseSelection("b1 w1").value()),
            (std::vector<CycleRange>{{100, 200}}));
  EXPECT_EQ(selectedOfRow(run, warps, 0, parseSelection("b0 @0..20; b0 @10..30").value()),
            (std::vector<CycleRange>{{0, 30}}));
}

TEST(RowSelection, WarpsAndPinsAreToggled) {
  TraceSelection selection;
  toggleWarp(selection, {BlockId{1}, 2});
  toggleWarp(selection, {BlockId{3}, 0});
  EXPECT_EQ(selectionText(selection), "b1 w2; b3 w0");
  toggleWarp(selection, {BlockId{1}, 2});
  EXPECT_EQ(selectionText(selection), "b3 w0");
  ViewState state;
  togglePin(state, selection);
  EXPECT_EQ(state.pins.size(), 1U);
  togglePin(state, selection);
  EXPECT_TRUE(state.pins.empty());
}

TEST(RowSelection, NumbersAreOfTheRangesOrTheWarpOrEverything) {
  ViewState state;
  EXPECT_EQ(selectionText(shownSelection(state)), "all");
  state.selected_warp = WarpKey{BlockId{4}, 1};
  EXPECT_EQ(selectionText(shownSelection(state)), "b4 w1");
  state.selection = parseSelection("b0 @1..2").value();
  EXPECT_EQ(selectionText(shownSelection(state)), "b0 @1..2");
}

TEST(Annotations, AThirdMarkerStartsAnew) {
  Annotations annotations;
  setMarker(annotations, 10);
  EXPECT_FALSE(annotations.measures());
  setMarker(annotations, 4);
  EXPECT_TRUE(annotations.measures());
  EXPECT_EQ(annotations.distance(), -6);
  setMarker(annotations, 7);
  EXPECT_EQ(annotations.markers[0], 7);
  EXPECT_FALSE(annotations.measures());
}

}  // namespace
}  // namespace warpscope
