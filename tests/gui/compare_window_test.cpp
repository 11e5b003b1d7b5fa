// The Compare page: runs are kept, lie on one time axis, zoom and select
// together, race, and survive what is chosen next.
#include <algorithm>
#include <cmath>

#include "kernels/compare/ranking.h"
#include "kernels/core/units.h"
#include "kernels/export/selection_report.h"
#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

class CompareWindowTest : public WindowTest {
 protected:
  void openPage() {
    start("divergence", "even_odd", 1600, 950);
    ASSERT_TRUE(window_->settled());
    window_->key("c");
    ASSERT_TRUE(window_->until([](const Json& state) {
      return state["page"] == "compare" && state["compare"]["runs"].size() == 2;
    }));
    ASSERT_TRUE(rests());
  }
  bool untilRuns(const std::vector<std::string>& variants) const {
    return window_->until([&](const Json& state) {
      std::vector<std::string> shown;
      for (const Json& run : state["compare"]["runs"]) shown.push_back(run["variant"].get<std::string>());
      return shown == variants;
    });
  }
  // The recording that the window shows as that variant at 256 threads.
  const warpscope::Run& recorded(const std::string& variant) {
    if (runs_.empty()) runs_ = syntheticFamily("divergence");
    return *std::ranges::find_if(runs_, [&](const warpscope::Run& run) {
      return run.request.variant == variant && run.request.parameters.at("block") == 256;
    });
  }
  std::string variantAt(size_t i) const {
    return window_->state()["compare"]["runs"][i]["variant"].get<std::string>();
  }
  // The position at which that instant of that run must lie, by the page's own visible range and the plot's
  // rectangle.
  double expectedX(size_t i, int64_t cycles) {
    const Json visible = window_->state()["compare"]["visible"];
    const double begin = visible["begin"].get<double>(), end = visible["end"].get<double>();
    const bool ns = window_->state()["compare"]["unit"] == "ns";
    const double at =
        static_cast<double>(cycles) / (ns ? recorded(variantAt(i)).trace.clocks.cycles_per_ns : 1.0);
    const auto plot = window_->find(fmt::format("compare.timeline.{}.plot", i));
    return plot->x0 + (at - begin) / (end - begin) * (plot->x1 - plot->x0);
  }
  // The selected warp's life is drawn where the axis that all runs share says.
  void expectSelectedOnAxis(size_t i) {
    const Json selected = window_->state()["selected_warp"];
    const auto life = window_->find(fmt::format("compare.timeline.{}.selected", i));
    const auto plot = window_->find(fmt::format("compare.timeline.{}.plot", i));
    ASSERT_TRUE(life && plot) << i;
    const Trace& trace = recorded(variantAt(i)).trace;
    const auto warp = std::ranges::find_if(trace.warps, [&](const TraceWarp& candidate) {
      return candidate.block.value == selected["block"] && candidate.warp_in_block == selected["warp"];
    });
    ASSERT_NE(warp, trace.warps.end());
    const auto clamped = [&](double x) { return std::clamp(x, plot->x0 - 8, plot->x1 + 8); };
    EXPECT_NEAR(life->x0, clamped(expectedX(i, warp->begin_cycles)), 1.5) << "run " << i;
    EXPECT_NEAR(life->x1, clamped(expectedX(i, warp->end_cycles)), 1.5) << "run " << i;
  }

  std::vector<warpscope::Run> runs_;
};

TEST_F(CompareWindowTest, TheToolbarOpensAPageThatIsNeverBlank) {
  start("divergence", "even_odd", 1600, 950);
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(clickFor("toolbar.page.compare", [](const Json& state) { return state["page"] == "compare"; }));
  const auto family = syntheticFamily("divergence");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["compare"]["runs"].size() == 2; }));
  EXPECT_EQ(variantAt(0), "even_odd");
  EXPECT_EQ(window_->state()["compare"]["kept"], 0);
  ASSERT_TRUE(rests());
  for (const char* part :
       {"compare.timeline.0.plot", "compare.timeline.1.plot", "compare.axis", "compare.lanes.0",
        "compare.lanes.1", "compare.region.0", "compare.rank.0", "compare.rank.1"}) {
    EXPECT_TRUE(window_->find(part)) << part;
  }
  // Both plots begin and end at the same pixels.
  const auto first = window_->find("compare.timeline.0.plot"),
             second = window_->find("compare.timeline.1.plot");
  EXPECT_EQ(first->x0, second->x0);
  EXPECT_EQ(first->x1, second->x1);
  EXPECT_LT(first->y1, second->y0);
}

TEST_F(CompareWindowTest, TheLanesFitTheirWarpUntilTheyAreLinkedToTheTimelines) {
  openPage();
  if (HasFatalFailure()) return;
  ASSERT_TRUE(window_->until([](const Json& state) { return state["compare"]["runs"].size() == 2; }));
  ASSERT_TRUE(rests());
  // The share of the plot that the longer of the two warps takes.
  const auto share = [&] {
    double longest = 0;
    for (int run = 0; run < 2; ++run) {
      const auto plot = window_->find(fmt::format("compare.lanes.{}", run));
      const auto life = window_->find(fmt::format("compare.lanes.{}.life", run));
      if (plot && life) longest = std::max(longest, (life->x1 - life->x0) / (plot->x1 - plot->x0));
    }
    return longest;
  };
  EXPECT_GT(share(), 0.9);
  ASSERT_TRUE(clickFor("compare.lanes.link",
                       [](const Json& state) { return state["compare"]["lanes_linked"] == true; }));
  EXPECT_LT(share(), 0.7) << "one of many warps on the axis of the launch";
  // Zooming the lanes now zooms the timelines.
  const auto lanes = window_->find("compare.lanes.0");
  ASSERT_TRUE(lanes);
  window_->wheel(lanes->x(0.1), lanes->y(), 3);
  ASSERT_TRUE(
      window_->until([](const Json& state) { return state["compare"]["visible"]["fitted"] == false; }));
  ASSERT_TRUE(clickFor("compare.lanes.link",
                       [](const Json& state) { return state["compare"]["lanes_linked"] == false; }));
  EXPECT_GT(share(), 0.9);
  const Json seen = window_->state()["compare"]["visible"];
  window_->wheel(lanes->x(0.5), lanes->y(), 3);
  ASSERT_TRUE(rests());
  EXPECT_GT(share(), 1);
  EXPECT_EQ(window_->state()["compare"]["visible"], seen) << "a zoom of its own";
}

TEST_F(CompareWindowTest, TwoVariantsAreZoomedAndSelectedTogether) {
  openPage();
  if (HasFatalFailure()) return;
  ASSERT_TRUE(
      clickFor("variant.even_odd.keep", [](const Json& state) { return state["compare"]["kept"] == 1; }));
  window_->controlClick("variant.warp_aligned");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["compare"]["kept"] == 2; }))
      << window_->state()["compare"] << window_->state()["variant"] << window_->state()["notice"];
  ASSERT_TRUE(untilRuns({"even_odd", "warp_aligned"}));
  EXPECT_EQ(window_->state()["variant"], "even_odd") << "Ctrl and a click chooses nothing";
  ASSERT_TRUE(rests());
  // A click on a row of the second selects that warp in both.
  const auto row = window_->find("compare.timeline.1.row.2");
  const auto labels = window_->find("compare.timeline.1.labels");
  ASSERT_TRUE(row && labels);
  const Json before = window_->state()["selected_warp"];
  window_->click(labels->x(), row->y());
  ASSERT_TRUE(window_->until([&](const Json& state) { return state["selected_warp"] != before; })) << before;
  ASSERT_TRUE(rests());
  expectSelectedOnAxis(0);
  expectSelectedOnAxis(1);
  // The wheel over the first changes what is seen of both.
  const Json seen = window_->state()["compare"]["visible"];
  const auto plot = window_->find("compare.timeline.0.plot");
  window_->wheel(plot->x(0.1), plot->y(), 3);
  ASSERT_TRUE(
      window_->until([](const Json& state) { return state["compare"]["visible"]["fitted"] == false; }));
  ASSERT_TRUE(rests());
  const Json zoomed = window_->state()["compare"]["visible"];
  EXPECT_LT(zoomed["end"].get<double>() - zoomed["begin"].get<double>(),
            0.8 * (seen["end"].get<double>() - seen["begin"].get<double>()));
  expectSelectedOnAxis(0);
  expectSelectedOnAxis(1);
  // Dragging the second with Ctrl pans both; Escape and F lead back.
  const auto second = window_->find("compare.timeline.1.plot");
  window_->drag(second->x(0.6), second->y(), second->x(0.4), second->y(), "ctrl");
  ASSERT_TRUE(window_->until([&](const Json& state) {
    return state["compare"]["visible"]["begin"].get<double>() > zoomed["begin"].get<double>();
  }));
  ASSERT_TRUE(rests());
  expectSelectedOnAxis(0);
  expectSelectedOnAxis(1);
  window_->key("f");
  EXPECT_TRUE(
      window_->until([](const Json& state) { return state["compare"]["visible"]["fitted"] == true; }));
}

TEST_F(CompareWindowTest, ADragSelectsTheSameRangeOfTimeInEveryRun) {
  openPage();
  if (HasFatalFailure()) return;
  ASSERT_TRUE(clickFor("compare.unit.cycles",
                       [](const Json& state) { return state["compare"]["unit"] == "cycles"; }));
  const auto plot = window_->find("compare.timeline.1.plot");
  const auto first = window_->find("compare.timeline.1.row.1"),
             last = window_->find("compare.timeline.1.row.3");
  ASSERT_TRUE(plot && first && last);
  const Json visible = window_->state()["compare"]["visible"];
  window_->drag(plot->x(0.05), first->y(), plot->x(0.15), last->y());
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->state()["compare"]["visible"], visible) << "a drag does not pan";
  const auto selection = parseSelection(window_->state()["compare"]["selection"].get<std::string>());
  ASSERT_TRUE(selection && selection->parts.size() == 1U);
  const double width = visible["end"].get<double>() - visible["begin"].get<double>();
  EXPECT_NEAR(static_cast<double>(selection->parts[0].cycles.begin),
              visible["begin"].get<double>() + 0.05 * width, 0.003 * width);
  EXPECT_NEAR(static_cast<double>(selection->parts[0].cycles.length()), 0.1 * width, 0.005 * width);
  EXPECT_TRUE(selection->parts[0].has(BlockId{0}, 1) && selection->parts[0].has(BlockId{0}, 3));
  EXPECT_FALSE(selection->parts[0].has(BlockId{0}, 0) || selection->parts[0].has(BlockId{0}, 4));
  // It is tinted in both, at the same place on the axis.
  const auto upper = window_->find("compare.timeline.0.selection.0"),
             lower = window_->find("compare.timeline.1.selection.0");
  ASSERT_TRUE(upper && lower);
  EXPECT_NEAR(upper->x0, lower->x0, 1.5);
  EXPECT_NEAR(upper->x1, lower->x1, 1.5);
  // The numbers are those that `show --select` prints of each.
  const Json selected = window_->state()["compare"]["selected"];
  ASSERT_EQ(selected.size(), 2U);
  for (size_t i = 0; i < 2; ++i) {
    const SelectionMetrics metrics = selectionMetrics(recorded(variantAt(i)), *selection);
    EXPECT_EQ(selected[i], selectionReport(*selection, metrics)) << i;
    EXPECT_EQ(window_->text(fmt::format("compare.selected.2.{}", i)), std::to_string(metrics.warps));
    EXPECT_EQ(window_->text(fmt::format("compare.selected.3.{}", i)), formatCount(metrics.warp_cycles));
  }
  // In ns it is the same range of the baseline.
  ASSERT_TRUE(
      clickFor("compare.unit.ns", [](const Json& state) { return state["compare"]["unit"] == "ns"; }));
  const auto in_ns = window_->find("compare.timeline.0.selection.0");
  ASSERT_TRUE(in_ns);
  EXPECT_NEAR(in_ns->x0, upper->x0, 3);
  EXPECT_NEAR(in_ns->x1, upper->x1, 3);
  // A right click on a number offers it with its run; Escape drops the selection, and what differs is back.
  window_->rightClick("compare.selected.2");
  ASSERT_TRUE(rests());
  EXPECT_TRUE(window_->find("item.csv"));
  window_->key("Escape");
  ASSERT_TRUE(rests());
  window_->key("Escape");
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->state()["compare"]["selection"], "");
  EXPECT_FALSE(window_->find("compare.timeline.0.selection.0"));
  EXPECT_TRUE(window_->find("compare.region.0"));
  // Everything, and with Shift a second range.
  window_->key("ctrl+a");
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->state()["compare"]["selection"], "all");
  EXPECT_EQ(window_->state()["selection"], "") << "the other page's is its own";
  window_->key("Escape");
  window_->drag(plot->x(0.05), first->y(), plot->x(0.15), last->y());
  window_->drag(plot->x(0.3), first->y(), plot->x(0.4), first->y(), "shift");
  ASSERT_TRUE(rests());
  EXPECT_EQ(parseSelection(window_->state()["compare"]["selection"].get<std::string>())->parts.size(), 2U);
}

TEST_F(CompareWindowTest, CyclesAndTimeAreTheSameRangeOfTheBaseline) {
  openPage();
  if (HasFatalFailure()) return;
  ASSERT_EQ(window_->state()["compare"]["unit"], "ns") << "clock rates are known";
  const auto plot = window_->find("compare.timeline.0.plot");
  window_->wheel(plot->x(0.3), plot->y(), 2);
  ASSERT_TRUE(rests());
  const double rate = recorded("even_odd").trace.clocks.cycles_per_ns;
  const Json in_ns = window_->state()["compare"]["visible"];
  ASSERT_TRUE(clickFor("compare.unit.cycles",
                       [](const Json& state) { return state["compare"]["unit"] == "cycles"; }));
  const Json in_cycles = window_->state()["compare"]["visible"];
  EXPECT_NEAR(in_cycles["begin"].get<double>(), in_ns["begin"].get<double>() * rate, 1e-6);
  EXPECT_NEAR(in_cycles["end"].get<double>(), in_ns["end"].get<double>() * rate, 1e-6);
  expectSelectedOnAxis(0);
  expectSelectedOnAxis(1);
}

TEST_F(CompareWindowTest, AnOverlayPutsTwoRunsOnTheSameRows) {
  openPage();
  if (HasFatalFailure()) return;
  ASSERT_TRUE(
      clickFor("compare.overlay", [](const Json& state) { return state["compare"]["overlay"] == true; }));
  EXPECT_TRUE(window_->find("compare.overlay.plot"));
  EXPECT_FALSE(window_->find("compare.timeline.0.plot"));
  const auto row = window_->find("compare.overlay.row.3");
  const auto labels = window_->find("compare.overlay.labels");
  ASSERT_TRUE(row && labels);
  window_->click(labels->x(), row->y());
  EXPECT_TRUE(window_->until([](const Json& state) { return state["selected_warp"]["warp"] == 3; }));
}

TEST_F(CompareWindowTest, TheRaceRanksEveryVariantAsTheEngineDoes) {
  openPage();
  if (HasFatalFailure()) return;
  window_->key("r");
  ComparedRuns runs;
  for (const warpscope::Run& run : syntheticFamily("divergence")) {
    const auto block = run.request.parameters.find("block");
    if (block == run.request.parameters.end() || block->second == 256) {
      runs.push_back(std::make_shared<const warpscope::Run>(run));
    }
  }
  std::vector<std::string> expected;
  for (const size_t run : rankRuns(runs, 0).order) expected.push_back(runs[run]->request.variant);
  ASSERT_GT(expected.size(), 2U);
  ASSERT_TRUE(
      window_->until([&](const Json& state) { return state["compare"]["race"].size() == expected.size(); }));
  EXPECT_EQ(window_->state()["compare"]["race"].get<std::vector<std::string>>(), expected);
  ASSERT_TRUE(rests()) << "once the bars have come to rest, nothing is drawn";
  // The bars are in that order, from top to bottom.
  double above = 0;
  for (const std::string& variant : expected) {
    const auto bar = window_->find("race." + variant);
    ASSERT_TRUE(bar) << variant;
    EXPECT_GT(bar->y0, above) << variant;
    above = bar->y0;
  }
  // A click on a bar keeps that run.
  window_->click("race." + expected.front());
  EXPECT_TRUE(window_->until([](const Json& state) { return state["compare"]["kept"] == 1; }));
  // Once more: all run again.
  const uint64_t ticket = window_->state()["run"]["ticket"].get<uint64_t>();
  window_->key("r");
  EXPECT_TRUE(window_->until([&](const Json& state) {
    return state["run"]["ticket"] > ticket && state["compare"]["race"].size() == expected.size();
  }));
  window_->key("Escape");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["compare"]["racing"] == false; }));
}

TEST_F(CompareWindowTest, AKeptRunSurvivesAnotherFamilyAndIsRemovedAndBroughtBack) {
  start("divergence", "even_odd", 1600, 950);
  ASSERT_TRUE(window_->settled());
  window_->key("k");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["compare"]["kept"] == 1; }));
  window_->key("c");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["page"] == "compare"; }));
  ASSERT_TRUE(
      clickFor("toolbar.family", [&](const Json&) { return window_->find("family.reduction").has_value(); }));
  window_->click("family.reduction");
  ASSERT_TRUE(window_->until([](const Json& state) {
    const Json& runs = state["compare"]["runs"];
    return runs.size() == 2 && runs[0]["family"] == "divergence" && runs[1]["family"] == "reduction";
  }));
  EXPECT_EQ(window_->state()["compare"]["kept"], 1);
  ASSERT_TRUE(rests());
  window_->click("compare.run.0.remove");
  ASSERT_TRUE(window_->until([](const Json& state) {
    return state["compare"]["kept"] == 0 && state["compare"]["runs"][0]["family"] == "reduction";
  }));
  ASSERT_TRUE(rests());
  const uint64_t ticket = window_->state()["run"]["ticket"].get<uint64_t>();
  window_->key("ctrl+z");
  ASSERT_TRUE(window_->until([](const Json& state) {
    return state["compare"]["kept"] == 1 && state["compare"]["runs"][0]["family"] == "divergence";
  }));
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->state()["run"]["ticket"], ticket) << "bringing a run back launches nothing";
}

}  // namespace
}  // namespace warpscope::testing
