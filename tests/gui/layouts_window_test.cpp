// One view alone on the window, layouts, and the toolbar's menu.
#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

class LayoutsTest : public WindowTest {
 protected:
  ::testing::AssertionResult alone(const std::string& view) const {
    return window_->until([&](const Json& state) { return state["alone"] == view; });
  }
  // In pixels, of a view.
  double widthOf(const std::string& widget) const {
    const auto area = window_->find(widget);
    return area ? area->x1 - area->x0 : 0;
  }
};

TEST_F(LayoutsTest, F11ShowsTheViewUnderTheMouseAlone) {
  start();
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  const auto code = window_->find("view.code");
  ASSERT_TRUE(code);
  window_->move(code->x(), code->y());
  window_->key("F11");
  ASSERT_TRUE(alone("code"));
  ASSERT_TRUE(rests());
  EXPECT_FALSE(window_->find("view.timeline"));
  EXPECT_FALSE(window_->find("panel.controls"));
  EXPECT_EQ(widthOf("view.code"), 1400);
  const auto big = window_->find("view.code");
  const auto bar = window_->find("panel.toolbar");
  ASSERT_TRUE(big && bar);
  EXPECT_EQ(big->y1, 900);
  EXPECT_LT(bar->y1 - bar->y0, 42) << "the toolbar is one thin line";
  EXPECT_TRUE(window_->find("toolbar.run"));
  window_->key("F11");
  ASSERT_TRUE(alone(""));
  ASSERT_TRUE(rests());
  EXPECT_TRUE(window_->find("view.timeline"));
  EXPECT_NEAR(widthOf("view.code"), code->x1 - code->x0, 0.5) << "everything is where it was";
}

TEST_F(LayoutsTest, ADoubleClickOnATitleDoesTheSameAndEscapeGoesBack) {
  start();
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  const auto title = window_->find("view.timeline.title");
  ASSERT_TRUE(title);
  window_->doubleClick(title->x(), title->y());
  ASSERT_TRUE(alone("timeline"));
  EXPECT_EQ(widthOf("view.timeline"), 1400);
  window_->key("Escape");
  ASSERT_TRUE(alone(""));
  ASSERT_TRUE(rests());
  EXPECT_TRUE(window_->find("panel.controls"));
}

TEST_F(LayoutsTest, EveryPageHasSingleViewsAndAnotherPageEndsThem) {
  start();
  ASSERT_TRUE(window_->settled());
  for (const auto& [page, view] : {std::pair{"occupancy", "lab.sm"}, std::pair{"plots", "plots.roofline"},
                                   std::pair{"compare", "compare.ranking"}}) {
    window_->screen().page = page;
    window_->draw(1);
    ASSERT_TRUE(window_->until([&, view = view](const Json&) {
      return window_->find(std::string("view.") + view + ".title").has_value();
    })) << view;
    ASSERT_TRUE(rests());
    const auto title = window_->find(std::string("view.") + view + ".title");
    window_->doubleClick(title->x(0.1), title->y());
    ASSERT_TRUE(alone(view)) << page;
    ASSERT_TRUE(rests());
    EXPECT_EQ(widthOf(std::string("view.") + view), 1400) << page;
  }
  window_->screen().page = "trace";
  window_->draw(2);
  EXPECT_TRUE(alone(""));
  EXPECT_TRUE(window_->until([&](const Json&) { return window_->find("view.timeline").has_value(); }));
}

TEST_F(LayoutsTest, ASingleViewFollowsThePanelsTabsAndIsRemembered) {
  start();
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  const auto lanes = window_->find("view.lanes");
  ASSERT_TRUE(lanes);
  window_->move(lanes->x(), lanes->y());
  window_->key("F11");
  ASSERT_TRUE(alone("lanes"));
  ASSERT_TRUE(rests());
  window_->click("tab.mapping");
  ASSERT_TRUE(alone("mapping"));
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->close(), 0);
  startAsRemembered();
  ASSERT_TRUE(window_->settled());
  EXPECT_TRUE(alone("mapping"));
  EXPECT_EQ(widthOf("view.mapping"), 1400);
  window_->click("toolbar.back");
  EXPECT_TRUE(alone(""));
}

TEST_F(LayoutsTest, LayoutsAreChosenSavedAndForgotten) {
  start();
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  const auto open_menu = [&] {
    window_->click("toolbar.layout");
    ASSERT_TRUE(window_->until([&](const Json&) { return window_->find("layout.save").has_value(); }));
    ASSERT_TRUE(rests());
  };
  open_menu();
  if (HasFatalFailure()) return;
  window_->click("layout.lecture");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["scale"] == 1.5; }));
  ASSERT_TRUE(rests());
  EXPECT_NEAR(window_->state()["panels"]["timeline_share"].get<double>(), 0.6, 1e-3);

  const auto bar = window_->find("splitter.timeline");
  ASSERT_TRUE(bar);
  window_->drag(bar->x(), bar->y(), bar->x(), bar->y() - 120);
  const double share = window_->state()["panels"]["timeline_share"].get<double>();
  EXPECT_LT(share, 0.6);
  open_menu();
  if (HasFatalFailure()) return;
  window_->click("layout.name");
  window_->type("mine");
  window_->key("Return");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["layouts"] == Json::array({"mine"}); }));
  ASSERT_TRUE(rests());

  open_menu();
  if (HasFatalFailure()) return;
  window_->click("layout.default");
  ASSERT_TRUE(window_->until(
      [](const Json& state) { return state["panels"]["timeline_share"].get<double>() < 0.48; }));
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->state()["scale"], 1.5) << "text that was made larger stays so";
  window_->key("ctrl+0");
  EXPECT_EQ(window_->close(), 0);

  startAsRemembered();
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->state()["layouts"], Json::array({"mine"}));
  open_menu();
  if (HasFatalFailure()) return;
  window_->click("layout.own.mine");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["scale"] == 1.5; }));
  EXPECT_NEAR(window_->state()["panels"]["timeline_share"].get<double>(), share, 1e-4);
  ASSERT_TRUE(rests());
  open_menu();
  if (HasFatalFailure()) return;
  window_->click("layout.own.mine.remove");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["layouts"].empty(); }));
}

TEST_F(LayoutsTest, WhatHasNoRoomInTheToolbarIsInItsMenu) {
  start("divergence", "even_odd", 1280, 720);
  ASSERT_TRUE(window_->settled());
  EXPECT_TRUE(window_->find("toolbar.theme"));
  window_->screen().scale = 1.75;
  ASSERT_TRUE(rests());
  window_->draw(3);
  EXPECT_FALSE(window_->find("toolbar.theme"));
  ASSERT_TRUE(window_->find("toolbar.more"));
  window_->click("toolbar.more");
  ASSERT_TRUE(window_->until([&](const Json&) { return window_->find("toolbar.theme").has_value(); }));
  ASSERT_TRUE(rests());
  window_->click("toolbar.theme");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["theme"] == "light"; }));
  window_->click("toolbar.page.plots");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["page"] == "plots"; }));
}

TEST_F(LayoutsTest, ASmallWindowShowsOnePanelAtATime) {
  start("divergence", "even_odd", 640, 400);
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->state()["panel_tabs"], true);
  EXPECT_TRUE(window_->find("view.timeline"));
  EXPECT_FALSE(window_->find("view.code"));
  EXPECT_FALSE(window_->find("panel.controls"));
  window_->click("stage.code");
  ASSERT_TRUE(window_->until([&](const Json&) { return window_->find("view.code").has_value(); }));
  EXPECT_FALSE(window_->find("view.timeline"));
  window_->resize(1400, 900);
  window_->draw(3);
  EXPECT_TRUE(window_->find("view.timeline"));
  EXPECT_TRUE(window_->find("panel.controls"));
}

}  // namespace
}  // namespace warpscope::testing
