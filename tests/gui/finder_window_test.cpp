// The search field: from a few typed letters to a place, a setting, an action or an explanation; and walking
// through the places with F3.
#include <algorithm>

#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

class FinderWindowTest : public WindowTest {
 protected:
  void startSettled() {
    start();
    ASSERT_TRUE(window_->settled());
    ASSERT_TRUE(rests());
  }
  void openField() const {
    window_->key("ctrl+p");
    ASSERT_TRUE(window_->until([](const Json& state) { return state["finding"] == true; }));
    ASSERT_TRUE(rests());
  }
  void find(const std::string& typed) const {
    openField();
    window_->type(typed);
    ASSERT_TRUE(rests());
  }
  void choose(const std::string& typed) const {
    find(typed);
    window_->key("Return");
    ASSERT_TRUE(rests());
  }
  std::string row(size_t index) const { return window_->text(fmt::format("find.row.{}", index)); }
  // The row that is called so; a failure: there is none.
  size_t rowOf(const std::string& text) const {
    for (size_t index = 0; index < 60; ++index) {
      if (row(index) == text) return index;
    }
    ADD_FAILURE() << "no row '" << text << "'; the first is '" << row(0) << "'";
    return 0;
  }
  bool isOpen() const { return window_->state()["finding"].get<bool>(); }
};

TEST_F(FinderWindowTest, ToAWarp) {
  startSettled();
  find("b0 w1");
  EXPECT_EQ(row(0), "warp: b0 w1");
  EXPECT_EQ(window_->text("find.effect"), "Selects the warp and shows it.");
  window_->key("Return");
  ASSERT_TRUE(rests());
  EXPECT_FALSE(isOpen());
  EXPECT_EQ(window_->state()["selected_warp"], (Json{{"block", 0}, {"warp", 1}}));
}

TEST_F(FinderWindowTest, ToASetting) {
  startSettled();
  find("block 512");
  EXPECT_EQ(row(0), "setting: Block size 512");
  window_->key("Return");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["run"]["parameters"]["block"] == 512; }));
  // Its name alone is completed, so that the value can follow.
  find("block");
  for (size_t down = rowOf("setting: Block size"); down > 0; --down) window_->key("Down");
  window_->key("Return");
  ASSERT_TRUE(rests());
  ASSERT_TRUE(isOpen());
  EXPECT_EQ(window_->text("find.field"), "block ");
  window_->type("64");
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->text("find.field"), "block 64");
  window_->key("Return");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["run"]["parameters"]["block"] == 64; }));
  window_->key("ctrl+z");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["run"]["parameters"]["block"] == 512; }));
}

TEST_F(FinderWindowTest, ToAnActionWithItsKey) {
  startSettled();
  find("theme");
  EXPECT_EQ(row(0), "action: Theme: dark, light, high contrast");
  window_->key("Return");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["theme"] == "light"; }));
  find("export html");
  window_->key("Return");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["dialog"] == true; }));
}

TEST_F(FinderWindowTest, ToAVariantAPageAndAFamily) {
  startSettled();
  choose("warp_al");
  EXPECT_TRUE(shows("warp_aligned"));
  choose("plots");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["page"] == "plots"; }));
  choose("reduction");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["family"] == "reduction"; }));
}

TEST_F(FinderWindowTest, ToAViewAloneOnTheWindow) {
  startSettled();
  find("timeline alone");
  EXPECT_EQ(row(0), "view: Timeline alone");
  EXPECT_EQ(window_->text("find.effect"), "Gives it the whole window; F11 shows all views again.");
  window_->key("Return");
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->state()["alone"], "timeline");
  const auto timeline = window_->find("view.timeline");
  ASSERT_TRUE(timeline);
  EXPECT_GT(timeline->x1 - timeline->x0, 1390) << "the whole width";
  EXPECT_FALSE(window_->find("view.code"));
  choose("sm by calculation");
  EXPECT_EQ(window_->state()["page"], "occupancy");
  EXPECT_EQ(window_->state()["alone"], "lab.sm");
  choose("from best to worst");
  EXPECT_EQ(window_->state()["page"], "compare");
  EXPECT_EQ(window_->state()["alone"], "race.why");
  window_->key("F11");
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->state()["alone"], "");
  EXPECT_TRUE(window_->find("view.race.bars"));
}

// Whoever adds a panel adds it to Page::panels().
TEST_F(FinderWindowTest, EveryPanelOfEveryPageCanBeFoundAndIsShownAlone) {
  startSettled();
  const Application& application = window_->application();
  for (const auto& page : application.pages().all()) {
    for (const bool race : {false, true}) {
      window_->screen().page = page->name();
      if (race) page->show(window_->ui(), "race");
      window_->draw(2);
      ASSERT_TRUE(window_->settled());
      ASSERT_TRUE(rests());
      const auto known = page->panels(window_->ui());
      for (const Stage::Panel& panel : window_->screen().stage.panels()) {
        const auto found = std::ranges::find(known, panel.name, &PanelName::name);
        ASSERT_NE(found, known.end()) << page->name() << " " << panel.name;
        EXPECT_EQ(found->title, panel.title);
      }
    }
    for (const PanelName& panel : page->panels(window_->ui())) {
      page->show(window_->ui(), panel.name);
      window_->screen().stage.showAlone(page->name(), panel.name);
      window_->draw(3);
      EXPECT_EQ(window_->state()["alone"], panel.name);
      EXPECT_TRUE(window_->find("view." + panel.name)) << panel.name;
    }
    window_->screen().stage.showAlone(page->name(), "");
  }
}

TEST_F(FinderWindowTest, AWordIsExplained) {
  startSettled();
  find("what is a wavefront");
  EXPECT_EQ(row(0), "word: wavefront");
  EXPECT_NE(window_->text("find.effect").find("One pass of an access"), std::string::npos);
  EXPECT_NE(window_->text("find.effect").find("Read on: Nsight Compute"), std::string::npos);
  window_->key("Escape");
  ASSERT_TRUE(rests());
  EXPECT_FALSE(isOpen());
}

TEST_F(FinderWindowTest, WhatIsNotThereIsNotChosen) {
  startSettled();
  choose("b99999 w3");
  EXPECT_TRUE(isOpen());
  EXPECT_NE(window_->text("find.effect").find("not in the trace"), std::string::npos);
  window_->key("ctrl+p");
  ASSERT_TRUE(rests());
  EXPECT_FALSE(isOpen());
  choose("qqqqxyz");
  EXPECT_TRUE(isOpen());
  EXPECT_EQ(row(0), "");
}

TEST_F(FinderWindowTest, F3WalksThroughTheWarpsThatExecuteARegion) {
  startSettled();
  window_->key("F3");
  ASSERT_TRUE(rests());
  EXPECT_NE(window_->state()["notice"].get<std::string>().find("Ctrl+P"), std::string::npos);
  const auto& run = *window_->application().model().feed().shown().run;
  const std::string region = run.regions.back().name;
  find(region);
  for (size_t down = rowOf("region: " + region); down > 0; --down) window_->key("Down");
  window_->key("Return");
  ASSERT_TRUE(rests());
  const std::string first = window_->text("find.walk");
  EXPECT_NE(first.find(region + "   1 of "), std::string::npos) << first;
  const Json first_warp = window_->state()["selected_warp"];
  EXPECT_EQ(window_->state()["selected_region"], run.regions.back().id.value);
  window_->key("F3");
  ASSERT_TRUE(rests());
  EXPECT_NE(window_->text("find.walk").find("   2 of "), std::string::npos);
  EXPECT_NE(window_->state()["selected_warp"], first_warp);
  window_->key("shift+F3");
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->state()["selected_warp"], first_warp);
  EXPECT_EQ(window_->text("find.walk"), first);
  window_->key("shift+F3");
  ASSERT_TRUE(rests());
  const std::string last = window_->text("find.walk");
  const std::string count = last.substr(last.find(" of ") + 4);
  EXPECT_NE(last.find(count.substr(0, count.find(' ')) + " of "), std::string::npos)
      << "from the first to the last";
  // A new run is searched anew.
  window_->key("6");
  ASSERT_TRUE(shows("split_ifs"));
  ASSERT_TRUE(rests());
  EXPECT_NE(window_->text("find.walk"), "");
  window_->key("Escape");
  ASSERT_TRUE(rests());
  EXPECT_FALSE(window_->find("find.walk"));
}

TEST_F(FinderWindowTest, EscapeEndsWhatIsMostRecentAWalkOrASingleView) {
  startSettled();
  const auto alone = [&] { return window_->state()["alone"].get<std::string>(); };
  const auto walk = [&] {
    find(window_->application().model().feed().shown().run->regions.back().name);
    for (size_t row = 0; row < 12 && !window_->text("find.row.0").starts_with("region"); ++row) {
      if (window_->text(fmt::format("find.row.{}", row)).starts_with("region")) break;
      window_->key("Down");
    }
    window_->key("Return");
    return rests();
  };
  const auto escape = [&] {
    window_->key("Escape");
    return rests();
  };
  // A view that was given the window during the walk goes first.
  ASSERT_TRUE(walk());
  window_->key("F11");
  ASSERT_TRUE(rests());
  ASSERT_NE(alone(), "");
  ASSERT_TRUE(escape());
  EXPECT_EQ(alone(), "");
  ASSERT_TRUE(window_->find("find.walk"));
  ASSERT_TRUE(escape());
  EXPECT_FALSE(window_->find("find.walk"));
  // A walk that began in a single view ends before it.
  window_->key("F11");
  ASSERT_TRUE(rests());
  const std::string view = alone();
  ASSERT_NE(view, "");
  ASSERT_TRUE(walk());
  ASSERT_TRUE(window_->find("find.walk"));
  EXPECT_EQ(alone(), view);
  ASSERT_TRUE(escape());
  EXPECT_FALSE(window_->find("find.walk"));
  EXPECT_EQ(alone(), view);
  ASSERT_TRUE(escape());
  EXPECT_EQ(alone(), "");
}

TEST_F(FinderWindowTest, WhatWasChosenComesFirstTheNextTime) {
  startSettled();
  choose("warp_al");
  ASSERT_TRUE(shows("warp_aligned"));
  choose("b0 w1");
  openField();
  EXPECT_EQ(row(0), "warp: b0 w1");
  EXPECT_NE(row(1).find("(warp_aligned)"), std::string::npos) << row(1);
  window_->key("Escape");
  EXPECT_EQ(window_->close(), 0);
  startAsRemembered();
  ASSERT_TRUE(window_->settled());
  openField();
  EXPECT_EQ(row(0), "warp: b0 w1");
  window_->key("Down");
  window_->key("Return");
  ASSERT_TRUE(rests());
  EXPECT_FALSE(isOpen());
}

TEST_F(FinderWindowTest, ARowIsChosenByAClickAndTheFieldClosesByOneBesideIt) {
  startSettled();
  find("warp_al");
  window_->click("find.row.0");
  EXPECT_TRUE(shows("warp_aligned"));
  openField();
  window_->click(5, 700);
  ASSERT_TRUE(rests());
  EXPECT_FALSE(isOpen());
}

}  // namespace
}  // namespace warpscope::testing
