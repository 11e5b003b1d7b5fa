// What the window answers, asked by a real mouse and keyboard: select, measure, note, reopen, find, arrange,
// and go everywhere by Tab. Details are tested in this process (selection_, annotations_, finder_, rows_,
// layouts_ and focus_window_test.cpp).
#include <cmath>
#include <csignal>
#include <set>

#include "kernels/export/selection_report.h"
#include "tests/gui/real_window.h"
#include "tests/gui/synthetic_recordings.h"

namespace warpscope::testing {
namespace {

class RealWindowTestOfAnswers : public RealWindowTest {
 protected:
  void open(const std::vector<std::string>& arguments = {"--family", "divergence", "--variant", "even_odd",
                                                         "--window-size", "1500x950"}) {
    start(arguments);
    ASSERT_TRUE(window_->settled());
    ASSERT_TRUE(shown("timeline.row.3"));
  }
  ::testing::AssertionResult shown(const std::string& widget) const {
    return window_->until([&](const Json&) { return window_->find(widget).has_value(); });
  }
  ::testing::AssertionResult gone(const std::string& widget) const {
    return window_->until([&](const Json&) { return !window_->find(widget); });
  }
  std::string textOf(const std::string& widget) const {
    const Json texts = window_->report()["texts"];
    const Json* text = texts.find(widget);
    return text == nullptr ? "" : text->get<std::string>();
  }
  Rectangle row(int index) const { return *window_->find("timeline.row." + std::to_string(index)); }
  // Drags from one row to another, from one share of the width to another.
  void select(int from_row, int to_row, double from, double to) const {
    window_->drag(row(from_row).x(from), row(from_row).y(), row(to_row).x(to), row(to_row).y());
    ASSERT_TRUE(window_->until([](const Json& state) {
      return !state["selection"].get<std::string>().empty() && state.contains("selected") &&
             state["selection_pending"] == false && state["selected"]["selection"] == state["selection"];
    }));
  }
  void measure(double from, double to) const {
    const Rectangle axis = *window_->find("timeline.axis");
    window_->drag(axis.x(from), axis.y(), axis.x(to), axis.y());
    ASSERT_TRUE(window_->until([](const Json& state) { return state["markers"].size() == 2; }));
  }
  void writeNote(int at_row, double share, const std::string& text) const {
    window_->move(row(at_row).x(share), row(at_row).y());
    window_->key("a");
    ASSERT_TRUE(shown("note.text"));
    window_->type(text);
    ASSERT_TRUE(window_->until([&](const Json&) { return textOf("note.text") == text; }));
    window_->key("Return");
    ASSERT_TRUE(gone("note.text"));
  }
};

// The shown run, from the recordings that the window shows.
warpscope::Run recordedRun(const std::string& variant, int64_t block) {
  std::vector<warpscope::Run> runs = syntheticFamily("divergence");
  const auto run = std::ranges::find_if(runs, [&](const warpscope::Run& one) {
    return one.request.variant == variant && one.request.parameters.at("block") == block;
  });
  EXPECT_NE(run, runs.end());
  return run == runs.end() ? warpscope::Run{} : std::move(*run);
}

TEST_F(RealWindowTestOfAnswers, ASelectionsNumbersAreTheCommandLinesAndASessionKeepsEverything) {
  open();
  if (HasFatalFailure()) return;
  select(1, 3, 0.05, 0.2);
  measure(0.25, 0.5);
  writeNote(2, 0.3, "tail starts");
  if (HasFatalFailure()) return;
  const Json before = window_->state();
  const auto selection = parseSelection(before["selection"].get<std::string>());
  ASSERT_TRUE(selection) << before["selection"].get<std::string>();
  const SelectionMetrics metrics = selectionMetrics(recordedRun("even_odd", 256), *selection);
  EXPECT_GE(metrics.warps, 3U);
  EXPECT_EQ(before["selected"], selectionReport(*selection, metrics));
  const double visible =
      before["visible"]["end_cycles"].get<double>() - before["visible"]["begin_cycles"].get<double>();
  const Json markers = before["markers"];
  EXPECT_NEAR(static_cast<double>(markers.at(1).get<int64_t>() - markers.at(0).get<int64_t>()), visible / 4,
              visible / 200);

  const std::string session = (folder_ / "noted.wssession").string();
  window_->key("ctrl+shift+s");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["dialog"] == true; }));
  ASSERT_TRUE(window_->rests());
  window_->key("ctrl+a");
  window_->type(session);
  window_->key("Return");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["dialog"] == false; }));
  ASSERT_TRUE(window_->until([&](const Json&) { return std::filesystem::exists(session); }));
  EXPECT_EQ(window_->end(SIGTERM), 0);

  open({session, "--window-size", "1500x950"});
  if (HasFatalFailure()) return;
  ASSERT_TRUE(window_->until([&](const Json& state) {
    return state["selection"] == before["selection"] && state.contains("selected") &&
           state["selected"] == before["selected"];
  }));
  EXPECT_EQ(window_->state()["markers"], before["markers"]);
  ASSERT_TRUE(shown("timeline.note.0"));
  EXPECT_EQ(textOf("timeline.note.0"), "tail starts");
}

TEST_F(RealWindowTestOfAnswers, AWarpIsFoundRowsAreSlotsAViewIsAloneAndALayoutChosen) {
  open();
  if (HasFatalFailure()) return;
  window_->key("ctrl+p");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["finding"] == true; }));
  window_->type("b0 w3");
  ASSERT_TRUE(window_->until([&](const Json&) { return textOf("find.row.0") == "warp: b0 w3"; }));
  window_->key("Return");
  EXPECT_TRUE(window_->until([](const Json& state) {
    return state["finding"] == false && state["selected_warp"] == Json{{"block", 0}, {"warp", 3}};
  }));

  window_->click("timeline.rows");
  ASSERT_TRUE(shown("timeline.rows.slots"));
  ASSERT_TRUE(window_->rests());
  window_->click("timeline.rows.slots");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["grouping"] == "slots"; }));
  window_->click("view.code");  // a click beside the menu closes it
  ASSERT_TRUE(gone("timeline.rows.slots"));
  ASSERT_TRUE(window_->rests());

  window_->move(row(0).x(), row(0).y());
  window_->key("F11");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["alone"] == "timeline"; }));
  ASSERT_TRUE(gone("view.code"));
  ASSERT_TRUE(window_->rests());
  window_->key("F11");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["alone"].get<std::string>().empty(); }));
  ASSERT_TRUE(shown("view.code"));
  ASSERT_TRUE(window_->rests());

  window_->click("toolbar.layout");
  ASSERT_TRUE(shown("layout.lecture"));
  ASSERT_TRUE(window_->rests());
  window_->click("layout.lecture");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["scale"] == 1.5; }));
}

TEST_F(RealWindowTestOfAnswers, TabAndEnterLeadThroughEveryPage) {
  open();
  if (HasFatalFailure()) return;
  const auto press = [&](const std::string& key) {
    const std::string before = window_->state()["focus"].get<std::string>();
    window_->key(key);
    EXPECT_TRUE(window_->until([&](const Json& state) { return state["focus"] != before; })) << key;
    return window_->state()["focus"].get<std::string>();
  };
  bool back = false;
  for (const auto& [page, control] :
       {std::pair{"trace", "timeline.plot"}, std::pair{"occupancy", "lab.block"},
        std::pair{"compare", "compare.keep"}, std::pair{"plots", "plots.quantity"}}) {
    const std::string button = std::string("toolbar.page.") + page;
    for (int i = 0; i < 100 && press(back ? "shift+Tab" : "Tab") != button;) ++i;
    back = true;  // the next page's button is closer that way
    ASSERT_EQ(window_->state()["focus"], button);
    window_->key("Return");
    ASSERT_TRUE(window_->until([page = page](const Json& state) { return state["page"] == page; }));
    ASSERT_TRUE(shown(control));
    // All of them are visited in focus_window_test.cpp, where keys cost less time.
    std::set<std::string> seen{button};
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(seen.insert(press("Tab")).second) << page;
    ASSERT_TRUE(shown("focus")) << "the ring is seen";
  }
}

}  // namespace
}  // namespace warpscope::testing
