// Keys as texts, and the registry of actions: which key does what, and what a user may change.
#include "app/gui/actions.h"

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "app/gui/pages/pages.h"

namespace warpscope {
namespace {

std::vector<Action> everyAction(const Pages& pages) {
  std::vector<Action> all = windowActions();
  for (Action& action : pages.actions()) all.push_back(std::move(action));
  return all;
}

TEST(KeysTest, AKeyIsReadAsItIsWritten) {
  size_t named = 0;
  for (int key = GLFW_KEY_SPACE; key <= GLFW_KEY_LAST; ++key) {
    for (int held = 0; held < 8; ++held) {
      const KeyChord chord{key, (held & 1) != 0, (held & 2) != 0, (held & 4) != 0};
      const std::string name = keyName(chord);
      if (name.empty()) continue;
      ++named;
      EXPECT_EQ(name.find(' '), std::string::npos) << name;
      ASSERT_TRUE(findKey(name)) << name;
      EXPECT_EQ(keyName(*findKey(name)), name);
      EXPECT_TRUE(*findKey(name) == chord) << name;
      EXPECT_NE(shownKey(chord), "");
    }
  }
  EXPECT_GT(named, 8U * 90);
  EXPECT_FALSE(findKey(""));
  EXPECT_FALSE(findKey("Ctrl+"));
  EXPECT_FALSE(findKey("Hyper+X"));
  EXPECT_FALSE(findKey("shift"));
}

TEST(KeysTest, ShownAsTheyAreLabelled) {
  EXPECT_EQ(shownKey(*findKey("Shift+/")), "?");
  EXPECT_EQ(shownKey(*findKey("Ctrl+Shift+=")), "Ctrl++");
  EXPECT_EQ(shownKey(*findKey("Ctrl+Shift+S")), "Ctrl+Shift+S");
  EXPECT_EQ(keyNames(findKeys("Ctrl+Y  nonsense F3")), "Ctrl+Y F3");
  EXPECT_TRUE(isModifier(GLFW_KEY_LEFT_SHIFT));
  EXPECT_FALSE(isModifier(GLFW_KEY_A));
}

TEST(ActionsTest, EachHasItsOwnIdAndKeys) {
  const Pages pages;
  const Actions actions(everyAction(pages));
  std::set<std::string> ids;
  std::map<std::string, std::string> action_of;
  EXPECT_GT(actions.all().size(), 50U);
  for (const Action& action : actions.all()) {
    EXPECT_TRUE(ids.insert(action.id).second) << action.id;
    EXPECT_NE(action.name, "") << action.id;
    EXPECT_TRUE(action.act) << action.id;
    EXPECT_EQ(keyNames(findKeys(action.keys)), action.keys) << action.id << " has keys that do not exist";
    for (const KeyChord& chord : actions.keysOf(action)) {
      const auto [other, is_free] = action_of.emplace(keyName(chord), action.id);
      EXPECT_TRUE(is_free) << keyName(chord) << " is of " << action.id << " and of " << other->second;
      EXPECT_EQ(actions.withKey(chord), &action);
    }
  }
  for (const auto& page : pages.all()) EXPECT_TRUE(ids.contains(std::string("page.") + page->name()));
  EXPECT_EQ(actions.find("no such action"), nullptr);
  EXPECT_EQ(actions.withKey({GLFW_KEY_F25}), nullptr);
}

TEST(ActionsTest, AKeyMovesFromOneActionToAnother) {
  const Pages pages;
  Actions actions(everyAction(pages));
  const Action& live = *actions.find("run.live");
  const Action& fit = *actions.find("time.fit");
  actions.setKeys(live, findKeys("F"));
  EXPECT_EQ(actions.withKey(*findKey("F")), &live);
  EXPECT_EQ(actions.withKey(*findKey("L")), nullptr);
  EXPECT_TRUE(actions.keysOf(fit).empty());
  EXPECT_EQ(actions.shownKeys("run.live"), "F");
  EXPECT_EQ(actions.withKeys("Fit", "time.fit"), "Fit");
  EXPECT_EQ(actions.withKeys("Live", "run.live"), "Live (F)");
  EXPECT_TRUE(actions.isChanged(live) && actions.isChanged(fit));
  actions.reset(fit);
  EXPECT_EQ(actions.withKey(*findKey("F")), &fit);
  EXPECT_TRUE(actions.keysOf(live).empty()) << "a key does one thing";
  actions.resetAll();
  EXPECT_TRUE(actions.changed().empty());
  EXPECT_EQ(actions.withKey(*findKey("L")), &live);
}

TEST(ActionsTest, ChangedKeysAreKept) {
  const Pages pages;
  Actions before(everyAction(pages));
  before.take({{"of a newer version", "Ctrl+Q"}, {"run.live", "F9 Ctrl+F9"}, {"time.fit", ""}});
  const Actions::Changed changed = before.changed();
  EXPECT_EQ(changed.size(), 3U);
  Actions after(everyAction(pages));
  after.take(changed);
  EXPECT_EQ(after.changed(), changed);
  EXPECT_EQ(after.withKey(*findKey("Ctrl+F9"))->id, "run.live");
  EXPECT_EQ(after.withKey(*findKey("F")), nullptr);
  EXPECT_EQ(after.withKey(*findKey("Ctrl+Q")), nullptr);
}

}  // namespace
}  // namespace warpscope
