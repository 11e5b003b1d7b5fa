// Selecting on the timeline by mouse and keyboard, and the numbers of what is selected.
#include <imgui.h>

#include <cmath>

#include "kernels/core/units.h"
#include "kernels/export/selection_report.h"
#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

class SelectionWindowTest : public WindowTest {
 protected:
  void open() {
    start("divergence", "even_odd", 1500, 950);
    ASSERT_TRUE(window_->settled());
    ASSERT_TRUE(rests());
  }
  std::string selection() const { return window_->state()["selection"].get<std::string>(); }
  ::testing::AssertionResult numbersReady() const {
    const auto ready = window_->until(
        [](const Json& state) { return state.contains("selected") && state["selection_pending"] == false; });
    return ready ? window_->rests() : ready;
  }
  // Drags from the middle of one row to the middle of another, over a share of the plot's width.
  void dragRows(uint32_t from_row, uint32_t to_row, double from, double to, const std::string& with = "") {
    const auto first = window_->find(fmt::format("timeline.row.{}", from_row));
    const auto last = window_->find(fmt::format("timeline.row.{}", to_row));
    ASSERT_TRUE(first && last);
    window_->drag(first->x(from), first->y(), last->x(to), last->y(), with);
  }
  // Within the life of its warp.
  void rightClickOnRow() {
    const auto row = window_->find("timeline.row.2");
    ASSERT_TRUE(row);
    window_->rightClick(row->x(0.1), row->y());
  }
  // The shown run, from the recording that it came from.
  warpscope::Run shownRun() const {
    std::vector<warpscope::Run> runs = syntheticFamily("divergence");
    for (warpscope::Run& run : runs) {
      if (run.request.variant == "even_odd" && run.request.parameters["block"] == shownBlock())
        return std::move(run);
    }
    ADD_FAILURE() << "the shown run is not one of the recorded ones";
    return {};
  }
};

TEST_F(SelectionWindowTest, ADragSelectsARangeAndItsNumbersAreThoseOfTheCommandLine) {
  open();
  const double begin = cycleAt(std::round(window_->find("timeline.row.1")->x(0.05)));
  const double end = cycleAt(std::round(window_->find("timeline.row.1")->x(0.2)));
  dragRows(1, 3, 0.05, 0.2);
  ASSERT_TRUE(numbersReady());
  const auto parsed = parseSelection(selection());
  ASSERT_TRUE(parsed) << selection();
  ASSERT_EQ(parsed->parts.size(), 1U);
  EXPECT_NEAR(static_cast<double>(parsed->parts[0].cycles.begin), begin, visibleCycles() / 500);
  EXPECT_NEAR(static_cast<double>(parsed->parts[0].cycles.end), end, visibleCycles() / 500);

  const SelectionMetrics metrics = selectionMetrics(shownRun(), *parsed);
  EXPECT_LE(metrics.warps, 3U);
  EXPECT_GE(metrics.warps, 1U);
  EXPECT_EQ(window_->state()["selected"], selectionReport(*parsed, metrics));
  ASSERT_TRUE(window_->find("view.details")) << "the panel opens by itself";
  EXPECT_TRUE(window_->text("details.head").starts_with(fmt::format("{} warp", metrics.warps)));
  bool any = false;
  for (const SelectionMetrics::Region& region : metrics.regions) {
    const std::string shown = window_->text(fmt::format("details.region.{}", region.id.value));
    if (region.cycles.count == 0) {
      EXPECT_EQ(shown, "");
      continue;
    }
    any = true;
    EXPECT_EQ(shown, fmt::format("{} {} {} {} {} {}", region.cycles.count,
                                 formatSignificant(region.cycles.mean(), 4), region.cycles.median,
                                 region.cycles.p95, region.cycles.most, region.lost_lane_cycles));
  }
  EXPECT_TRUE(any);
  EXPECT_TRUE(window_->find("timeline.selection.0")) << "the range is tinted";
  EXPECT_EQ(window_->state()["visible"]["fitted"], true) << "selecting moves nothing";
}

TEST_F(SelectionWindowTest, WhereNoWarpLivesTheRangeIsShownAndSaysSo) {
  open();
  ASSERT_TRUE(
      clickFor("timeline.rows", [&](const Json&) { return window_->find("timeline.rows.sm").has_value(); }));
  ASSERT_TRUE(clickFor("timeline.rows.sm", [](const Json& state) { return state["grouping"] == "sm"; }));
  window_->click(window_->find("view.code")->x(0.5), window_->find("view.code")->y0 + 4);  // closes the menu
  ASSERT_TRUE(rests());
  dragRows(0, 1, 0.9, 0.97);
  ASSERT_TRUE(numbersReady());
  EXPECT_NE(selection(), "");
  EXPECT_EQ(window_->state()["selected"]["warps"], 0);
  EXPECT_TRUE(window_->find("timeline.selection.0"));
  EXPECT_TRUE(window_->text("details.head").starts_with("0 warps"));
}

TEST_F(SelectionWindowTest, ShiftAddsAndEscapeTakesBackStepByStep) {
  open();
  dragRows(0, 1, 0.1, 0.3);
  const std::string first = selection();
  dragRows(4, 5, 0.4, 0.7, "shift");
  const std::string both = selection();
  EXPECT_TRUE(both.starts_with(first + "; ")) << both;
  dragRows(2, 2, 0.1, 0.2);
  EXPECT_EQ(selection().find(';'), std::string::npos) << "without Shift it begins anew";
  dragRows(4, 5, 0.4, 0.7, "shift");
  const auto plot = window_->find("timeline.plot");
  window_->wheel(plot->x(0.3), plot->y(0.5), 3);
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->state()["visible"]["fitted"], false);
  window_->key("Escape");
  EXPECT_EQ(selection().find(';'), std::string::npos);
  EXPECT_NE(selection(), "");
  window_->key("Escape");
  EXPECT_EQ(selection(), "");
  EXPECT_EQ(window_->state()["visible"]["fitted"], false) << "the selection goes before the zoom";
  window_->key("Escape");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["visible"]["fitted"] == true; }));
}

TEST_F(SelectionWindowTest, ControlASelectsEverythingAndShowsWhatShowPrints) {
  open();
  window_->key("ctrl+a");
  ASSERT_TRUE(numbersReady());
  EXPECT_EQ(selection(), "all");
  const warpscope::Run run = shownRun();
  const Json selected = window_->state()["selected"];
  EXPECT_EQ(selected, selectionReport(selectAll(), selectionMetrics(run, selectAll())));
  EXPECT_EQ(selected["warps"], run.trace.warps.size());
  window_->key("Escape");
  EXPECT_EQ(selection(), "");
  EXPECT_TRUE(window_->find("view.code")) << "the code is back";
}

TEST_F(SelectionWindowTest, ShiftClickAddsAWarpAndTakesItOutAgain) {
  open();
  const auto labels = window_->find("timeline.labels");
  const auto row = [&](uint32_t index) { return window_->find(fmt::format("timeline.row.{}", index))->y(); };
  window_->click(labels->x(), row(0));
  EXPECT_EQ(selection(), "") << "a click selects the warp alone";
  window_->shiftClick(labels->x(), row(2));
  const auto two = parseSelection(selection());
  ASSERT_TRUE(two) << selection();
  EXPECT_EQ(two->parts.size(), 2U) << "with the one that was selected";
  window_->shiftClick(labels->x(), row(2));
  EXPECT_EQ(parseSelection(selection())->parts.size(), 1U);
}

TEST_F(SelectionWindowTest, TheSlowestWarpIsALink) {
  open();
  window_->key("ctrl+a");
  ASSERT_TRUE(numbersReady());
  const Json slowest = window_->state()["selected"]["slowest"][0];
  const auto panel = window_->find("view.details");
  ASSERT_TRUE(panel);
  window_->wheel(panel->x(), panel->y(), -40);
  ASSERT_TRUE(rests());
  ASSERT_TRUE(window_->find("details.slowest.0"));
  EXPECT_TRUE(clickFor("details.slowest.0", [&](const Json& state) {
    return state.contains("selected_warp") && state["selected_warp"]["block"] == slowest["block"] &&
           state["selected_warp"]["warp"] == slowest["warp"];
  }));
}

TEST_F(SelectionWindowTest, ASelectedWarpAndNothingHaveNumbersToo) {
  open();
  EXPECT_TRUE(
      clickFor("tab.details", [&](const Json&) { return window_->find("view.details").has_value(); }));
  ASSERT_TRUE(numbersReady());
  ASSERT_TRUE(window_->state().contains("selected_warp")) << "the first one";
  EXPECT_EQ(window_->state()["selected"]["warps"], 1);
  window_->key("Escape");
  ASSERT_FALSE(window_->state().contains("selected_warp"));
  ASSERT_TRUE(numbersReady());
  EXPECT_EQ(window_->state()["selected"]["warps"], shownRun().trace.warps.size());
  const auto labels = window_->find("timeline.labels");
  window_->click(labels->x(), window_->find("timeline.row.1")->y());
  ASSERT_TRUE(numbersReady());
  EXPECT_EQ(window_->state()["selected"]["warps"], 1);
}

TEST_F(SelectionWindowTest, APinStaysWhenOtherThingsAreSelected) {
  open();
  dragRows(1, 2, 0.2, 0.6);
  const std::string first = selection();
  ASSERT_TRUE(numbersReady());
  EXPECT_TRUE(
      clickFor("details.pin", [&](const Json&) { return window_->find("details.pinned.0").has_value(); }));
  dragRows(3, 4, 0.1, 0.3);
  ASSERT_NE(selection(), first);
  EXPECT_EQ(window_->text("details.pinned.0"), first);
  EXPECT_TRUE(clickFor("details.pinned.0", [&](const Json& state) { return state["selection"] == first; }));
  EXPECT_TRUE(
      clickFor("details.pinned.0.remove", [&](const Json&) { return !window_->find("details.pinned.0"); }));
  EXPECT_EQ(selection(), first);
}

TEST_F(SelectionWindowTest, ARightClickSelectsCopiesAndPinsWhatIsUnderTheMouse) {
  open();
  rightClickOnRow();
  ASSERT_TRUE(rests());
  ASSERT_TRUE(window_->find("timeline.menu.warp"));
  window_->click("timeline.menu.warp");
  ASSERT_TRUE(rests());
  const auto warp = parseSelection(selection());
  ASSERT_TRUE(warp) << selection();
  EXPECT_FALSE(warp->parts[0].cycles.bounded());
  rightClickOnRow();
  ASSERT_TRUE(rests());
  ASSERT_TRUE(window_->find("timeline.menu.span"));
  window_->click("timeline.menu.span");
  ASSERT_TRUE(numbersReady());
  const std::string span = selection();
  EXPECT_TRUE(span.starts_with(selectionText(*warp) + " @")) << span;
  uint64_t spans = 0;
  const Json selected = window_->state()["selected"];
  for (const Json& region : selected["regions"]) spans += region["cycles"]["count"].get<uint64_t>();
  EXPECT_EQ(spans, 1U);
  rightClickOnRow();
  ASSERT_TRUE(rests());
  window_->click("timeline.menu.copy");
  EXPECT_EQ(ImGui::GetClipboardText(), span);
  rightClickOnRow();
  ASSERT_TRUE(rests());
  window_->click("timeline.menu.copy_csv");
  EXPECT_TRUE(std::string(ImGui::GetClipboardText()).starts_with("block,warp,sm,"));
  rightClickOnRow();
  ASSERT_TRUE(rests());
  window_->click("timeline.menu.block");
  ASSERT_TRUE(rests());
  EXPECT_EQ(selection().find('w'), std::string::npos) << selection();
}

TEST_F(SelectionWindowTest, WhatIsSelectedIsCopiedAsAReference) {
  open();
  dragRows(1, 2, 0.2, 0.6);
  window_->key("ctrl+c");
  EXPECT_EQ(ImGui::GetClipboardText(), selection());
  ASSERT_TRUE(numbersReady());
  window_->click("details.copy");
  EXPECT_EQ(ImGui::GetClipboardText(), selection());
  window_->click("details.csv");
  EXPECT_TRUE(std::string(ImGui::GetClipboardText()).starts_with("region,spans,"));
}

}  // namespace
}  // namespace warpscope::testing
