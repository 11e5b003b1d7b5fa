// The file dialog: folders, places, filters, the keyboard, what it asks before it writes, and how much that
// is.
#include <fstream>

#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

class FileDialogTest : public WindowTest {
 protected:
  // A folder of its own: what the fixture keeps is not in the way.
  std::filesystem::path home() const { return folder_ / "home"; }

  void SetUp() override {
    WindowTest::SetUp();
    if (HasFatalFailure()) return;
    std::filesystem::create_directories(home() / "lessons" / "deep");
    std::filesystem::copy_file(folder_ / "assets" / "recordings" / "divergence.wsrec",
                               home() / "lessons" / "first.wsrec");
    std::ofstream(home() / "lessons" / "notes.txt") << "x";
    start();
    ASSERT_TRUE(window_->settled());
    ASSERT_TRUE(rests());
  }
  std::string text(const std::string& widget) const { return window_->text(widget); }
  ::testing::AssertionResult says(const std::string& widget, const std::string& what) const {
    return window_->until([&](const Json&) { return text(widget).find(what) != std::string::npos; });
  }
  ::testing::AssertionResult shown(const std::string& widget) const {
    return window_->until([&](const Json&) { return window_->find(widget).has_value(); });
  }
  ::testing::AssertionResult closed() const {
    return window_->until([](const Json& state) { return state["dialog"] == false; });
  }
  // Opens the dialog by key and enters a folder by typing it.
  ::testing::AssertionResult askIn(const std::string& key, const std::filesystem::path& folder) const {
    window_->key(key);
    if (auto open = window_->until([](const Json& state) { return state["dialog"] == true; }); !open)
      return open;
    if (auto still = rests(); !still) return still;
    window_->key("ctrl+a");
    window_->type(folder.string() + "/");
    window_->key("Return");
    if (auto there = says("dialog.folder", folder.string()); !there) return there;
    return rests();
  }
};

TEST_F(FileDialogTest, FoldersAreBrowsedByMouse) {
  ASSERT_TRUE(askIn("ctrl+o", home()));
  ASSERT_TRUE(shown("dialog.entry.lessons"));
  const auto lessons = window_->find("dialog.entry.lessons");
  window_->doubleClick(lessons->x(0.3), lessons->y());
  ASSERT_TRUE(says("dialog.folder", "lessons"));
  ASSERT_TRUE(shown("dialog.entry.first.wsrec"));
  EXPECT_FALSE(window_->find("dialog.entry.notes.txt")) << "only what can be opened";
  ASSERT_TRUE(rests());
  window_->click("dialog.filter");
  ASSERT_TRUE(shown("dialog.filter.all"));
  ASSERT_TRUE(rests());
  window_->click("dialog.filter.all");
  ASSERT_TRUE(shown("dialog.entry.notes.txt"));
  window_->key("Escape");  // closes the list of filters, or else the dialog
  if (window_->state()["dialog"] == false) {
    ASSERT_TRUE(askIn("ctrl+o", home() / "lessons"));
  }
  ASSERT_TRUE(rests());
  window_->click("dialog.up");
  ASSERT_TRUE(window_->until([&](const Json&) { return text("dialog.folder") == home().string(); }));
  ASSERT_TRUE(shown("dialog.entry.lessons"));
  ASSERT_TRUE(rests());
  const auto again = window_->find("dialog.entry.lessons");
  window_->doubleClick(again->x(0.3), again->y());
  ASSERT_TRUE(shown("dialog.entry.first.wsrec"));
  ASSERT_TRUE(rests());
  const auto file = window_->find("dialog.entry.first.wsrec");
  window_->doubleClick(file->x(0.3), file->y());
  EXPECT_TRUE(closed());
  EXPECT_TRUE(window_->until([&](const Json& state) {
    return state["device"] == "file:" + (home() / "lessons" / "first.wsrec").string();
  }));
}

TEST_F(FileDialogTest, TheKeyboardIsEnough) {
  ASSERT_TRUE(askIn("ctrl+o", home()));
  ASSERT_TRUE(shown("dialog.entry.lessons"));
  window_->key("Down");  // the first entry
  ASSERT_TRUE(says("dialog.path", "lessons/"));
  window_->key("Return");
  ASSERT_TRUE(says("dialog.folder", "lessons"));
  ASSERT_TRUE(shown("dialog.entry.first.wsrec"));
  ASSERT_TRUE(rests());
  window_->type("fi");
  window_->key("Tab");
  ASSERT_TRUE(window_->until([&](const Json&) { return text("dialog.path") == "first.wsrec"; }));
  window_->key("Return");
  EXPECT_TRUE(closed());
  EXPECT_TRUE(window_->until([&](const Json& state) {
    return state["device"] == "file:" + (home() / "lessons" / "first.wsrec").string();
  }));
}

TEST_F(FileDialogTest, PlacesLeadToTheBundledRecordings) {
  window_->key("ctrl+o");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["dialog"] == true; }));
  ASSERT_TRUE(rests());
  const std::string bundled = (folder_ / "assets" / "recordings").string();
  std::string place;
  for (int i = 0; i < 8; ++i) {
    const std::string name = "dialog.place." + std::to_string(i);
    if (text(name) == bundled) place = name;
  }
  ASSERT_NE(place, "");
  window_->click(place);
  EXPECT_TRUE(says("dialog.folder", bundled));
  EXPECT_TRUE(shown("dialog.entry.divergence.wsrec"));
}

TEST_F(FileDialogTest, SavingAsksOnceForAName) {
  window_->key("ctrl+s");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["dialog"] == true; }))
      << "nothing is written unasked";
  ASSERT_TRUE(rests());
  window_->key("ctrl+a");
  window_->type((home() / "mine").string());
  window_->key("Return");
  ASSERT_TRUE(closed());
  const auto file = home() / "mine.wssession";
  ASSERT_TRUE(window_->until([&](const Json&) { return std::filesystem::exists(file); }));
  ASSERT_TRUE(rests());
  const auto before = std::filesystem::file_size(file);
  std::filesystem::resize_file(file, before / 2);  // what is written again is whole
  window_->key("ctrl+s");
  ASSERT_TRUE(window_->until([&](const Json&) { return std::filesystem::file_size(file) == before; }));
  EXPECT_FALSE(window_->state()["dialog"].get<bool>()) << "it has a name now";
}

TEST_F(FileDialogTest, ATypedEndingStaysAndTheSizeIsSaidBefore) {
  window_->click("toolbar.file");
  ASSERT_TRUE(shown("file.chrome"));
  ASSERT_TRUE(rests());
  window_->click("file.chrome");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["dialog"] == true; }));
  ASSERT_TRUE(says("dialog.estimate", "estimated"));
  ASSERT_TRUE(rests());
  window_->key("ctrl+a");
  window_->type((home() / "t.json").string());
  window_->key("Return");
  ASSERT_TRUE(closed());
  EXPECT_TRUE(std::filesystem::exists(home() / "t.json"));
  EXPECT_FALSE(std::filesystem::exists(home() / "t.json.trace.json"));
}

TEST_F(FileDialogTest, TheVisibleRangeIsExportedAlone) {
  const auto plot = window_->find("timeline.plot");
  ASSERT_TRUE(plot);
  const auto save_trace = [&](const char* name, bool visible) {
    window_->click("toolbar.file");
    ASSERT_TRUE(shown("file.chrome"));
    ASSERT_TRUE(rests());
    window_->click("file.chrome");
    ASSERT_TRUE(says("dialog.estimate", "estimated"));
    ASSERT_TRUE(rests());
    if (visible) {
      window_->click("dialog.visible");
      ASSERT_TRUE(says("dialog.estimate", "estimated"));
      ASSERT_TRUE(rests());
      window_->click("dialog.path");
    }
    window_->key("ctrl+a");
    window_->type((home() / name).string());
    window_->key("Return");
    ASSERT_TRUE(closed());
    ASSERT_TRUE(window_->until([&](const Json&) { return std::filesystem::exists(home() / name); }));
    ASSERT_TRUE(rests());
  };
  save_trace("whole.json", false);
  if (HasFatalFailure()) return;
  window_->wheel(plot->x(0.1), plot->y(0.5), 12);
  ASSERT_TRUE(window_->until([](const Json& state) { return state["visible"]["fitted"] == false; }));
  ASSERT_TRUE(rests());
  save_trace("part.json", true);
  if (HasFatalFailure()) return;
  const auto whole = std::filesystem::file_size(home() / "whole.json");
  const auto part = std::filesystem::file_size(home() / "part.json");
  EXPECT_LT(part, whole * 9 / 10);
  EXPECT_GT(part, 100U);
}

}  // namespace
}  // namespace warpscope::testing
