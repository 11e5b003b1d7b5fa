// The file dialog: folders, places, filters, the keyboard, what it asks before it writes, and how much that
// is.
#include <fstream>
#include <functional>

#include "tests/gui/window_fixture.h"
#include "tests/support/parse_json.h"

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

TEST_F(FileDialogTest, KeysOfTheFrameInWhichItOpensReachIt) {
  const Json before = window_->state();
  window_->keyAndTextAtOnce("ctrl+o", (home() / "lessons").string() + "/");
  ASSERT_TRUE(says("dialog.folder", "lessons"));
  ASSERT_TRUE(shown("dialog.entry.first.wsrec")) << "Enter shows the folder";
  ASSERT_TRUE(rests());
  window_->type("x");
  EXPECT_TRUE(says("dialog.path", "x")) << "the cursor is behind what was typed";
  window_->key("Escape");
  ASSERT_TRUE(closed());
  for (const char* untouched : {"page", "notes_open", "variant", "help"})
    EXPECT_EQ(window_->state()[untouched], before[untouched]) << untouched;
}

TEST_F(FileDialogTest, TheWholeDialogIsInASmallWindow) {
  window_->resize(1280, 440);
  ASSERT_TRUE(rests());
  window_->click("toolbar.file");
  ASSERT_TRUE(shown("file.chrome"));
  ASSERT_TRUE(rests());
  window_->click("file.chrome");
  ASSERT_TRUE(shown("dialog"));
  ASSERT_TRUE(rests());
  const auto dialog = window_->find("dialog"), cancel = window_->find("dialog.cancel");
  ASSERT_TRUE(cancel);
  EXPECT_GE(dialog->y0, 0);
  EXPECT_LE(dialog->y1, 440);
  EXPECT_LT(cancel->y1, dialog->y1);
}

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

// Exports a trace, choosing its part, and counts the events of that file.
class ExportedPartTest : public FileDialogTest {
 protected:
  size_t saveTrace(const char* name, const std::function<void()>& choose) const {
    window_->click("toolbar.file");
    EXPECT_TRUE(shown("file.chrome"));
    EXPECT_TRUE(rests());
    window_->click("file.chrome");
    EXPECT_TRUE(says("dialog.estimate", "estimated"));
    EXPECT_TRUE(rests());
    choose();
    EXPECT_TRUE(says("dialog.estimate", "estimated"));
    EXPECT_TRUE(rests());
    window_->click("dialog.path");
    window_->key("ctrl+a");
    window_->type((home() / name).string());
    window_->key("Return");
    EXPECT_TRUE(closed());
    EXPECT_TRUE(window_->until([&](const Json&) { return std::filesystem::exists(home() / name); }));
    EXPECT_TRUE(rests());
    return sliceCount(home() / name);
  }
  static size_t sliceCount(const std::filesystem::path& file) {
    const Json trace = parseJson(contentOf(file));
    size_t slices = 0;
    for (const Json& event : trace["traceEvents"]) slices += event.value("ph", "") == "X" ? 1U : 0U;
    return slices;
  }
};

TEST_F(ExportedPartTest, TheVisibleRange) {
  const auto plot = window_->find("timeline.plot");
  ASSERT_TRUE(plot);
  const size_t whole = saveTrace("whole.json", [] {});
  window_->wheel(plot->x(0.1), plot->y(0.5), 12);
  ASSERT_TRUE(window_->until([](const Json& state) { return state["visible"]["fitted"] == false; }));
  ASSERT_TRUE(rests());
  const size_t part = saveTrace("part.json", [&] { window_->click("dialog.visible"); });
  EXPECT_LT(part, whole);
  EXPECT_GT(part, 0U);
}

TEST_F(ExportedPartTest, ATypedRange) {
  const size_t whole = saveTrace("whole.json", [] {});
  const size_t part = saveTrace("part.json", [&] {
    window_->click("dialog.typed");
    ASSERT_TRUE(shown("dialog.range"));
    ASSERT_TRUE(rests());
    window_->key("ctrl+a");
    window_->type("900..");
    window_->type("100");
    ASSERT_TRUE(says("dialog.estimate", "'900..100' is not a range of cycles"));
    window_->key("Return");
    ASSERT_TRUE(says("dialog.message", "is not a range of cycles"));
    EXPECT_TRUE(window_->state()["dialog"].get<bool>()) << "nothing is written";
    ASSERT_TRUE(rests());
    window_->click("dialog.range");
    window_->key("ctrl+a");
    window_->type("0..1");
  });
  EXPECT_LT(part, whole);
  const size_t all = saveTrace("all.json", [&] {
    window_->click("dialog.typed");
    ASSERT_TRUE(rests());
    window_->key("ctrl+a");
    window_->type("0..");
  });
  EXPECT_EQ(all, whole);
}

TEST_F(ExportedPartTest, TheSelectedRange) {
  const auto plot = window_->find("timeline.plot");
  ASSERT_TRUE(plot);
  const size_t whole = saveTrace("whole.json", [] {});
  window_->drag(plot->x(0.1), plot->y(0.2), plot->x(0.3), plot->y(0.4));
  ASSERT_TRUE(rests());
  std::string said;
  const size_t part = saveTrace("part.json", [&] {
    window_->click("dialog.selected");
    ASSERT_TRUE(says("dialog.estimate", "cycles "));
    said = text("dialog.estimate");
  });
  EXPECT_LT(part, whole);
  EXPECT_GT(part, 0U);
  EXPECT_NE(said.find(".."), std::string::npos) << said << ": the range is said before it is written";
}

TEST_F(FileDialogTest, ANewNameIsSuggestedOnceThereIsAFile) {
  const auto ask = [&] {
    window_->click("toolbar.file");
    ASSERT_TRUE(shown("file.csv"));
    ASSERT_TRUE(rests());
    window_->click("file.csv");
    ASSERT_TRUE(window_->until([](const Json& state) { return state["dialog"] == true; }));
    ASSERT_TRUE(rests());
  };
  ask();
  if (HasFatalFailure()) return;
  const std::string first = text("dialog.path");
  EXPECT_TRUE(first.ends_with(".csv")) << first;
  window_->key("ctrl+a");
  window_->type((home() / first).string());
  window_->key("Return");
  ASSERT_TRUE(closed());
  ASSERT_TRUE(window_->until([&](const Json&) { return std::filesystem::exists(home() / first); }));
  ASSERT_TRUE(rests());
  ask();  // in the folder that was used last
  if (HasFatalFailure()) return;
  EXPECT_TRUE(says("dialog.path", first.substr(0, first.size() - 4) + "-2.csv"));
}

}  // namespace
}  // namespace warpscope::testing
