// The keyboard: the list of keys, and changing them.
#include <algorithm>
#include <fstream>
#include <iterator>

#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

class KeysWindowTest : public WindowTest {
 protected:
  void openList() const {
    window_->key("question");
    ASSERT_TRUE(window_->until([](const Json& state) { return state["help"] == true; }));
    ASSERT_TRUE(rests());
  }
};

TEST_F(KeysWindowTest, TheListNamesEveryActionAndCanBeSearched) {
  start();
  ASSERT_TRUE(window_->settled());
  openList();
  for (const Action& action : window_->application().actions().all()) {
    EXPECT_TRUE(window_->find("help." + action.id)) << action.id;
    EXPECT_EQ(window_->text("help." + action.id), window_->application().actions().shownKeys(action.id));
  }
  EXPECT_EQ(window_->text("help.run.once"), "Ctrl+Enter");
  EXPECT_EQ(window_->text("help.window.help"), "? or F1");
  window_->type("zoom in");
  ASSERT_TRUE(rests());
  EXPECT_TRUE(window_->find("help.time.zoom_in"));
  EXPECT_FALSE(window_->find("help.run.once"));
  window_->key("Escape");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["help"] == false; }));
}

TEST_F(KeysWindowTest, AChangedKeyActsIsListedAndIsRemembered) {
  start();
  ASSERT_TRUE(window_->settled());
  openList();
  window_->click("help.run.live");
  EXPECT_NE(window_->text("help.hint").find("Press the new key"), std::string::npos);
  window_->key("F6");
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->text("help.run.live"), "F6");
  window_->key("Escape");
  ASSERT_TRUE(rests());
  const bool live = window_->state()["live"].get<bool>();
  window_->key("l");
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->state()["live"].get<bool>(), live) << "it has this key no more";
  window_->key("F6");
  EXPECT_TRUE(window_->until([&](const Json& state) { return state["live"] != live; }));
  EXPECT_EQ(window_->close(), 0);
  startAsRemembered();
  ASSERT_TRUE(window_->settled());
  openList();
  EXPECT_EQ(window_->text("help.run.live"), "F6");
  window_->click("help.reset");
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->text("help.run.live"), "L");
}

TEST_F(KeysWindowTest, AKeyThatIsTakenIsNamedFirst) {
  start();
  ASSERT_TRUE(window_->settled());
  openList();
  window_->type("fit the whole");
  window_->key("Return");
  window_->key("l");
  ASSERT_TRUE(rests());
  EXPECT_NE(window_->text("help.hint").find("L is the key of 'Live on or off"), std::string::npos)
      << window_->text("help.hint");
  EXPECT_EQ(window_->text("help.time.fit"), "F") << "nothing changed yet";
  window_->key("Escape");
  ASSERT_TRUE(rests());
  EXPECT_TRUE(window_->state()["help"].get<bool>()) << "Escape only ended the change";
  EXPECT_EQ(window_->text("help.time.fit"), "F");
  window_->key("Return");
  window_->key("l");
  window_->key("Return");
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->text("help.time.fit"), "L");
  window_->key("Return");
  window_->key("Delete");
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->text("help.time.fit"), "F") << "Delete restores the default";
}

TEST_F(KeysWindowTest, VariantsAreSteppedThrough) {
  start("reduction", "neighbored");
  ASSERT_TRUE(window_->settled());
  const std::string first = window_->state()["variant"].get<std::string>();
  window_->key("Next");
  EXPECT_TRUE(window_->until([&](const Json& state) { return state["variant"] != first; }));
  window_->key("Prior");
  EXPECT_TRUE(window_->until([&](const Json& state) { return state["variant"] == first; }));
  window_->key("ctrl+Next");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["family"] != "reduction"; }));
  window_->key("ctrl+Prior");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["family"] == "reduction"; }));
}

}  // namespace
}  // namespace warpscope::testing
