// Everything by keyboard: a ring that Tab and arrows move over every control of every page, and Enter as a
// click.
#include <algorithm>
#include <set>

#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

class FocusWindowTest : public WindowTest {
 protected:
  void startSettled(const std::string& family = "divergence", const std::string& variant = "even_odd") {
    start(family, variant);
    ASSERT_TRUE(window_->settled());
    ASSERT_TRUE(rests());
  }
  std::string focus() const { return window_->state()["focus"].get<std::string>(); }
  // Presses Tab until the ring is at that widget; a failure: it does not get there.
  void tabTo(const std::string& widget) const {
    for (int i = 0; i < 200 && focus() != widget; ++i) window_->key("Tab");
    ASSERT_EQ(focus(), widget);
    ASSERT_TRUE(rests());
    ASSERT_TRUE(window_->find("focus")) << "the ring is seen";
  }
  // The widgets that Tab goes through, once around.
  std::set<std::string> tour() const {
    std::set<std::string> seen;
    for (int i = 0; i < 250; ++i) {
      window_->key("Tab");
      if (!seen.insert(focus()).second) break;
      const auto ring = window_->find("focus");
      EXPECT_TRUE(ring && ring->x0 < ring->x1 && ring->y0 < ring->y1) << focus();
    }
    return seen;
  }
};

TEST_F(FocusWindowTest, ATourThroughEveryPageReachesEveryControl) {
  startSettled();
  const std::set<std::string> everywhere{
      "toolbar.file",   "toolbar.device",  "toolbar.family",   "toolbar.live",     "toolbar.run",
      "toolbar.theme",  "toolbar.scale",   "toolbar.help",     "variant.even_odd", "control.block",
      "controls.reset", "status.verified", "toolbar.language", "splitter.controls"};
  const std::map<std::string, std::set<std::string>> of_page{
      {"trace",
       {"timeline.legend.0", "view.timeline", "view.lanes", "view.code", "view.occupancy", "view.bandwidth",
        "tab.mapping", "timeline.plot", "splitter.lanes"}},
      {"occupancy", {"lab.kernel", "lab.calculator", "lab.block", "lab.device", "lab.carve_out"}},
      {"compare",
       {"compare.legend.0", "compare.race", "compare.keep", "compare.overlay", "compare.run.0",
        "view.compare.timelines"}},
      {"plots",
       {"plots.quantity", "plots.control", "plots.all_variants", "view.plots.sweep", "view.plots.roofline"}},
      {"kernel", {"view.timeline", "timeline.legend.0"}}};
  for (const auto& page : window_->application().pages().all()) {
    const std::string name = page->name();
    tabTo("toolbar.page." + name);
    window_->key("Return");
    ASSERT_TRUE(window_->until([&](const Json& state) { return state["page"] == name; }));
    ASSERT_TRUE(window_->settled());
    ASSERT_TRUE(rests());
    const std::set<std::string> seen = tour();
    for (const std::string& widget : everywhere) EXPECT_TRUE(seen.contains(widget)) << name << ": " << widget;
    ASSERT_TRUE(of_page.contains(name)) << "a new page: say what Tab must reach there";
    for (const std::string& widget : of_page.at(name))
      EXPECT_TRUE(seen.contains(widget)) << name << ": " << widget;
  }
}

TEST_F(FocusWindowTest, ATooltipIsNoControl) {
  startSettled();
  tabTo("toolbar.page.compare");
  ASSERT_TRUE(window_->until([&](const Json&) { return window_->find("tooltip").has_value(); }));
  window_->key("Tab");
  EXPECT_EQ(focus(), "toolbar.page.plots");
}

TEST_F(FocusWindowTest, EnterIsAClickAndEscapeHidesTheRing) {
  startSettled();
  EXPECT_EQ(focus(), "");
  tabTo("variant.warp_aligned");
  window_->key("Return");
  EXPECT_TRUE(shows("warp_aligned"));
  EXPECT_EQ(focus(), "variant.warp_aligned");
  window_->key("Escape");
  ASSERT_TRUE(rests());
  EXPECT_EQ(focus(), "");
  window_->key("shift+Tab");
  EXPECT_NE(focus(), "");
  window_->move(300, 300);
  ASSERT_TRUE(rests());
  EXPECT_EQ(focus(), "") << "the mouse takes over";
}

TEST_F(FocusWindowTest, ArrowsMoveTheRingAndSliders) {
  startSettled();
  tabTo("variant.even_odd");
  window_->key("Down");
  EXPECT_NE(focus(), "variant.even_odd");
  EXPECT_TRUE(focus().starts_with("variant.")) << focus();
  window_->key("Up");
  EXPECT_EQ(focus(), "variant.even_odd");
  tabTo("control.block");
  const auto before = window_->state()["parameters"]["block"].get<int64_t>();
  window_->key("Right");
  EXPECT_TRUE(window_->until([&](const Json& state) { return state["parameters"]["block"] > before; }));
  ASSERT_TRUE(rests());
  EXPECT_EQ(focus(), "control.block");
  window_->key("Left");
  EXPECT_TRUE(window_->until([&](const Json& state) { return state["parameters"]["block"] == before; }));
}

TEST_F(FocusWindowTest, ListsAreChosenFrom) {
  startSettled();
  tabTo("toolbar.family");
  window_->key("Return");
  ASSERT_TRUE(rests());
  ASSERT_TRUE(window_->find("family.reduction")) << "the list is open";
  for (int i = 0; i < 30 && focus() != "family.reduction"; ++i) window_->key("Down");
  ASSERT_EQ(focus(), "family.reduction");
  window_->key("Return");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["family"] == "reduction"; }));
  ASSERT_TRUE(rests());
  EXPECT_EQ(focus(), "toolbar.family") << "the ring is where it was";
  window_->key("Return");
  ASSERT_TRUE(rests());
  ASSERT_TRUE(window_->find("family.reduction"));
  window_->key("Escape");
  ASSERT_TRUE(rests());
  EXPECT_FALSE(window_->find("family.reduction"));
  EXPECT_EQ(window_->state()["family"], "reduction");
}

TEST_F(FocusWindowTest, EnterOnALegendEntryMarksItsRegion) {
  startSettled();
  tabTo("timeline.legend.1");
  window_->key("Return");
  ASSERT_TRUE(rests());
  const warpscope::Run& run = *window_->application().model().feed().shown().run;
  EXPECT_EQ(window_->state()["selected_region"], run.regions[1].id.value);
  EXPECT_EQ(focus(), "timeline.legend.1");
  window_->key("Right");
  EXPECT_EQ(focus(), "timeline.legend.2");
  window_->key("Left");
  window_->key("Return");
  ASSERT_TRUE(rests());
  EXPECT_TRUE(window_->state()["selected_region"].isNull());
}

TEST_F(FocusWindowTest, ASeriesOfAPlotIsHiddenByKeyboard) {
  startSettled();
  window_->key("p");
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  tabTo("plots.legend.even_odd");
  window_->key("Return");
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->state()["hidden_series"], Json::array({"even_odd"}));
}

TEST_F(FocusWindowTest, TheMenuOfWhatIsSelectedOpensByKeyboard) {
  startSettled();
  const auto row = window_->find("timeline.row.1");
  ASSERT_TRUE(row);
  window_->click(row->x(0.1), row->y());
  ASSERT_TRUE(rests());
  const Json warp = window_->state()["selected_warp"];
  ASSERT_FALSE(warp.isNull());
  for (const char* key : {"shift+F10", "Menu"}) {
    window_->key(key);
    ASSERT_TRUE(rests());
    ASSERT_TRUE(window_->find("timeline.menu.warp")) << key;
    for (int i = 0; i < 20 && focus() != "timeline.menu.warp"; ++i) window_->key("Down");
    ASSERT_EQ(focus(), "timeline.menu.warp");
    window_->key("Return");
    ASSERT_TRUE(rests());
    EXPECT_FALSE(window_->find("timeline.menu.warp")) << "closed";
    EXPECT_EQ(window_->state()["selection"],
              fmt::format("b{} w{}", warp["block"].get<int>(), warp["warp"].get<int>()));
    EXPECT_EQ(focus(), "view.timeline") << "the ring is where it was";
    window_->key("Escape");  // the ring
    window_->key("Escape");  // the selection
    ASSERT_TRUE(rests());
    EXPECT_EQ(window_->state()["selection"], "");
  }
}

TEST_F(FocusWindowTest, TheMenuOfABarOpensByKeyboardAtThePointer) {
  startSettled();
  tabTo("view.bandwidth");
  const auto bar = window_->find("bandwidth.bar.even_odd");
  ASSERT_TRUE(bar);
  for (int i = 0; i < 30 && !window_->find("item.pin"); ++i) {
    window_->key("shift+F10");
    ASSERT_TRUE(rests());
    if (!window_->find("item.pin")) window_->key("Up");
  }
  ASSERT_TRUE(window_->find("item.pin"));
  for (int i = 0; i < 20 && focus() != "item.pin"; ++i) window_->key("Down");
  ASSERT_EQ(focus(), "item.pin");
  window_->key("Return");
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->application().model().view.pinned_items.size(), 1U);
  EXPECT_EQ(focus(), "view.bandwidth");
}

TEST_F(FocusWindowTest, InAPictureThePointerMovesAndSelects) {
  startSettled();
  tabTo("view.timeline");
  const Json selected = window_->state()["selected_warp"];
  window_->key("Return");
  ASSERT_TRUE(rests());
  EXPECT_NE(window_->state()["selected_warp"], selected) << "what the pointer is at";
  const double x = window_->state()["mouse"]["x"].get<double>();
  window_->key("Left");
  ASSERT_TRUE(rests());
  EXPECT_LT(window_->state()["mouse"]["x"].get<double>(), x);
  EXPECT_EQ(focus(), "view.timeline");
  tabTo("splitter.timeline");
  const auto before = window_->find("view.timeline");
  window_->key("Down");
  ASSERT_TRUE(rests());
  EXPECT_GT(window_->find("view.timeline")->y1, before->y1 + 5) << "a splitter is dragged";
}

}  // namespace
}  // namespace warpscope::testing
