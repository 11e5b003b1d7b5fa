// The window's language: changed by button, key and option, remembered, and what it says where it cannot be
// shown.
#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

bool isChinese(const Json& state) {
  return state["language"] == "zh_CN";
}

// The rectangles of the views, by name.
Json panels(const Json& report) {
  Json found;
  for (const auto& [name, area] : report["widgets"].items()) {
    if (name.starts_with("view.") && name.find('.', 5) == std::string::npos) found[name] = area;
  }
  return found;
}

class LanguageWindowTest : public WindowTest {
 protected:
  void startInChinese() {
    StartOptions options;
    options.language = "zh_CN";
    start(options);
  }
};

TEST_F(LanguageWindowTest, TheLanguageButtonChangesTextsAndNothingElse) {
  start();
  ASSERT_TRUE(window_->settled());
  window_->key("plus");
  window_->key("plus");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["visible"]["fitted"] == false; }));
  ASSERT_TRUE(rests());
  const Json english = window_->report();
  EXPECT_EQ(english["state"]["language"], "en");
  EXPECT_EQ(english["texts"]["toolbar.run"], "▶ Run");
  EXPECT_EQ(english["texts"]["toolbar.language"], "中文");
  EXPECT_EQ(english["texts"]["view.timeline.title"], "TIMELINE");

  ASSERT_TRUE(clickFor("toolbar.language", isChinese));
  const Json chinese = window_->report();
  EXPECT_EQ(chinese["texts"]["toolbar.run"], "▶ 运行");
  EXPECT_EQ(chinese["texts"]["toolbar.language"], "English");
  EXPECT_EQ(chinese["texts"]["view.timeline.title"], "时间线");
  EXPECT_EQ(panels(chinese), panels(english));
  for (const char* what : {"visible", "run", "parameters", "selected_warp", "tabs", "theme", "scale"})
    EXPECT_EQ(chinese["state"].value(what, Json()), english["state"].value(what, Json())) << what;

  window_->key("ctrl+l");
  ASSERT_TRUE(window_->until([](const Json& state) { return !isChinese(state); }));
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->report()["texts"], english["texts"]);
  Json widgets = window_->report()["widgets"];
  widgets.erase("tooltip");  // of the button, on which the mouse still rests
  EXPECT_EQ(widgets, english["widgets"]);
}

TEST_F(LanguageWindowTest, TheLanguageIsRemembered) {
  startInChinese();
  ASSERT_TRUE(window_->settled());
  EXPECT_TRUE(isChinese(window_->state()));
  EXPECT_EQ(window_->close(), 0);
  startAsRemembered();
  ASSERT_TRUE(window_->settled());
  EXPECT_TRUE(isChinese(window_->state()));
}

}  // namespace
}  // namespace warpscope::testing
