// Measuring with markers, and notes at an instant of the timeline: set by mouse and keyboard, undone, listed,
// and there again in a reopened session.
#include <cmath>
#include <cstdlib>

#include "kernels/core/units.h"
#include "tests/gui/window_fixture.h"
#include "tests/support/built_program.h"

namespace warpscope::testing {
namespace {

class AnnotationsWindowTest : public WindowTest {
 protected:
  void open() {
    start("divergence", "even_odd", 1500, 950);
    ASSERT_TRUE(window_->settled());
    ASSERT_TRUE(rests());
  }
  Rectangle plot() const { return *window_->find("timeline.plot"); }
  std::vector<int64_t> markers() const { return window_->state()["markers"].get<std::vector<int64_t>>(); }
  uint64_t notes() const { return window_->state()["time_notes"].get<uint64_t>(); }
  // Writes a note at that share of the plot's width, in a row.
  void writeNote(double share, uint32_t row, const std::string& text) {
    const auto area = window_->find(fmt::format("timeline.row.{}", row));
    ASSERT_TRUE(area);
    window_->move(area->x(share), area->y());
    ASSERT_TRUE(rests());
    window_->key("a");
    ASSERT_TRUE(rests());
    ASSERT_TRUE(window_->find("note.text"));
    window_->type(text);
    ASSERT_EQ(window_->text("note.text"), text);
    window_->key("Return");
    ASSERT_TRUE(rests());
    EXPECT_FALSE(window_->find("note.text"));
  }
};

TEST_F(AnnotationsWindowTest, MSetsTwoMarkersAndAThirdPressStartsAnew) {
  open();
  const double y = plot().y();
  window_->move(plot().x(0.2), y);
  window_->key("m");
  ASSERT_EQ(markers().size(), 1U);
  EXPECT_NEAR(static_cast<double>(markers()[0]), cycleAt(std::round(plot().x(0.2))), 1);
  window_->move(plot().x(0.7), y);
  window_->key("m");
  ASSERT_EQ(markers().size(), 2U);
  EXPECT_NEAR(static_cast<double>(markers()[1]), cycleAt(std::round(plot().x(0.7))), 1);
  const int64_t distance = std::abs(markers()[1] - markers()[0]);
  const std::string shown = window_->text("timeline.measure");
  EXPECT_NE(shown.find(formatCount(distance) + " cycles"), std::string::npos) << shown;
  EXPECT_NE(shown.find("s)"), std::string::npos) << "in a unit of time, too: " << shown;
  EXPECT_TRUE(window_->find("timeline.marker.0"));
  EXPECT_TRUE(window_->find("timeline.marker.1"));
  window_->key("m");
  EXPECT_EQ(markers().size(), 1U);
  window_->key("Escape");
  EXPECT_TRUE(markers().empty());
  window_->key("ctrl+z");
  EXPECT_EQ(markers().size(), 1U) << "undone";
  EXPECT_EQ(shownBlock(), 256) << "nothing else changed";
}

TEST_F(AnnotationsWindowTest, LanesShowMarkersAndSetThem) {
  open();
  const auto lanes = window_->find("lanes.plot");
  ASSERT_TRUE(lanes);
  window_->move(lanes->x(0.2), lanes->y());
  ASSERT_TRUE(rests());
  window_->key("m");
  ASSERT_TRUE(rests());
  ASSERT_EQ(markers().size(), 1U);
  const auto marker = window_->find("lanes.marker.0");
  ASSERT_TRUE(marker);
  EXPECT_NEAR(marker->x0, lanes->x(0.2), 1.5);
  EXPECT_TRUE(window_->find("timeline.marker.0"));
}

TEST_F(AnnotationsWindowTest, DraggingOverTheAxisMeasures) {
  open();
  const auto axis = window_->find("timeline.axis");
  ASSERT_TRUE(axis);
  window_->drag(axis->x(0.25), axis->y(), axis->x(0.5), axis->y());
  ASSERT_TRUE(rests());
  ASSERT_EQ(markers().size(), 2U);
  EXPECT_NEAR(static_cast<double>(markers()[1] - markers()[0]), visibleCycles() / 4, visibleCycles() / 200);
  EXPECT_EQ(window_->state()["selection"], "");
  EXPECT_EQ(window_->state()["visible"]["fitted"], true);
  window_->key("ctrl+z");
  EXPECT_TRUE(markers().empty());
  window_->key("ctrl+shift+z");
  EXPECT_EQ(markers().size(), 2U);
}

TEST_F(AnnotationsWindowTest, WithoutAnInstantUnderTheMouseMSaysWhatToDo) {
  open();
  const auto slider = window_->find("control.block");
  window_->move(slider->x(), slider->y());
  window_->key("m");
  EXPECT_TRUE(markers().empty());
  EXPECT_TRUE(window_->state()["notice"].get<std::string>().starts_with("Point at"));
}

TEST_F(AnnotationsWindowTest, ANoteIsWrittenEditedListedAndUndone) {
  open();
  writeNote(0.3, 2, "tail starts");
  if (HasFatalFailure()) return;
  EXPECT_EQ(notes(), 1U);
  EXPECT_EQ(window_->text("timeline.note.0"), "tail starts");
  window_->click("timeline.note.0");
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->text("note.text"), "tail starts");
  window_->key("End");
  window_->type(" here");
  window_->key("Escape");
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->text("timeline.note.0"), "tail starts here") << "Escape keeps what was typed";
  window_->key("ctrl+z");
  EXPECT_TRUE(rests());
  EXPECT_EQ(window_->text("timeline.note.0"), "tail starts");
  window_->key("n");
  ASSERT_TRUE(rests());
  EXPECT_NE(window_->text("notes.list.0").find("tail starts"), std::string::npos);
  window_->click("notes.list.0.delete");
  ASSERT_TRUE(rests());
  EXPECT_EQ(notes(), 0U);
}

TEST_F(AnnotationsWindowTest, ANoteWithoutTextIsNone) {
  open();
  window_->move(plot().x(0.4), plot().y());
  window_->key("a");
  ASSERT_TRUE(rests());
  ASSERT_TRUE(window_->find("note.text"));
  window_->key("Escape");
  ASSERT_TRUE(rests());
  EXPECT_EQ(notes(), 0U);
  EXPECT_FALSE(window_->find("note.text"));
}

TEST_F(AnnotationsWindowTest, PicturesShowNotesAndTheDistance) {
  const InFolder in_folder(folder_);  // where pictures go
  open();
  writeNote(0.3, 2, "tail starts");
  const auto axis = window_->find("timeline.axis");
  window_->drag(axis->x(0.4), axis->y(), axis->x(0.9), axis->y());
  window_->rightClick("view.timeline.title");
  EXPECT_TRUE(rests());
  window_->click("view.timeline.save_svg");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["dialog"] == true; }));
  ASSERT_TRUE(rests());
  window_->key("Return");
  EXPECT_TRUE(window_->until([](const Json& state) {
    return state["notice"].get<std::string>().find(".svg") != std::string::npos;
  }));
  std::string svg;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    if (entry.path().extension() == ".svg") svg = contentOf(entry.path());
  }
  EXPECT_NE(svg.find(">tail starts</text>"), std::string::npos);
  EXPECT_NE(svg.find(formatCount(markers()[1] - markers()[0]) + " cycles"), std::string::npos);
}

TEST_F(AnnotationsWindowTest, AReopenedSessionHasNotesMarkersAndSelection) {
  open();
  writeNote(0.3, 2, "tail starts");
  if (HasFatalFailure()) return;
  const auto axis = window_->find("timeline.axis");
  window_->drag(axis->x(0.2), axis->y(), axis->x(0.6), axis->y());
  const auto first = window_->find("timeline.row.1"), last = window_->find("timeline.row.3");
  window_->drag(first->x(0.05), first->y(), last->x(0.2), last->y());
  ASSERT_TRUE(window_->until(
      [](const Json& state) { return state.contains("selected") && state["selection_pending"] == false; }));
  ASSERT_TRUE(rests());
  window_->key("shift+p");
  ASSERT_TRUE(rests());
  const Json before = window_->state();
  const std::string pinned = window_->text("details.pinned.0");
  ASSERT_NE(before["selection"], "");

  window_->key("ctrl+shift+s");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["dialog"] == true; }));
  ASSERT_TRUE(rests());
  window_->key("ctrl+a");
  window_->type((folder_ / "noted.wssession").string());
  window_->key("Return");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["dialog"] == false; }));
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->close(), 0);

  StartOptions options;
  options.width = 1500;
  options.height = 950;
  options.session = folder_ / "noted.wssession";
  start(std::move(options));
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->text("timeline.note.0"), "tail starts");
  EXPECT_EQ(window_->state()["markers"], before["markers"]);
  EXPECT_EQ(window_->state()["selection"], before["selection"]);
  EXPECT_EQ(window_->state()["selected"], before["selected"]);
  EXPECT_EQ(window_->text("details.pinned.0"), pinned);
  EXPECT_EQ(pinned, before["selection"].get<std::string>());
}

}  // namespace
}  // namespace warpscope::testing
