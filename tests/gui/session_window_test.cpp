// Sessions in the window: saved by key, opened by argument, by key, from the list of recent ones and by
// dropping; notes; exports; and what happens where a file cannot be read or written.
#include <fstream>

#include "kernels/recording/recording.h"
#include "tests/gui/window_fixture.h"
#include "tests/support/parse_json.h"

namespace warpscope::testing {
namespace {

// The state that must be the same when the window is opened again.
Json picture(const Json& state) {
  Json seen;
  for (const char* part : {"device", "family", "variant", "parameters", "live", "checks", "visible", "tabs",
                           "page", "lanes_tab", "selected_warp", "selected_region", "selected_steps",
                           "instructions", "grouping", "notes", "notes_open", "outdated"}) {
    if (state.contains(part)) seen[part] = state[part];
  }
  seen["run"] = state["run"];
  seen["run"].erase("ticket");
  seen["run"].erase("latency_ms");
  seen["run"].erase("picture_ms");
  return seen;
}

class SessionWindowTest : public WindowTest {
 protected:
  std::filesystem::path session() const { return folder_ / "lesson.wssession"; }
  StartOptions withSession(const std::filesystem::path& path) const {
    StartOptions options;
    options.device = "recorded";
    options.width = 1400;
    options.height = 900;
    options.session = path;
    return options;
  }
  // In the dialog that is open: its field takes what is typed instead of what it suggests.
  ::testing::AssertionResult typePath(const std::filesystem::path& path) const {
    if (const auto open = window_->until([](const Json& state) { return state["dialog"] == true; }); !open)
      return open;
    if (const auto still = rests(); !still) return still;
    window_->key("ctrl+a");
    window_->type(path.string());
    return window_->until(
        [&](const Json&) { return window_->report()["texts"].value("dialog.path", "") == path.string(); });
  }
  ::testing::AssertionResult notices(const std::string& text) const {
    return window_->until([&](const Json& state) {
      return state["notice"].get<std::string>().find(text) != std::string::npos;
    });
  }
  ::testing::AssertionResult dialogSays(const std::string& text) const {
    return window_->until([&](const Json&) {
      return window_->report()["texts"].value("dialog.message", "").find(text) != std::string::npos;
    });
  }
  // Zooms, selects, chooses a block, writes a note: nothing is as it is at first.
  void makeOnesOwn() const {
    const auto slider = window_->find("control.block");
    ASSERT_TRUE(slider);
    window_->drag(slider->x(0.66), slider->y(), slider->x(0.01), slider->y());
    ASSERT_TRUE(window_->until([&](const Json& state) {
      return state["run"]["parameters"]["block"] != 256 && state["outdated"] == false;
    }));
    ASSERT_TRUE(rests());
    const auto row = window_->find("timeline.row.3");
    ASSERT_TRUE(row);
    window_->wheel(row->x(0.1), row->y(), 5);
    ASSERT_TRUE(window_->until([](const Json& state) { return state["visible"]["fitted"] == false; }));
    const Json first = window_->state()["selected_warp"];
    window_->click(row->x(0.1), row->y());
    ASSERT_TRUE(rests());
    ASSERT_NE(window_->state()["selected_warp"], first);
  }
  void save() const {
    window_->key("ctrl+shift+s");
    ASSERT_TRUE(typePath(session()));
    window_->key("Return");
    ASSERT_TRUE(notices("Saved " + session().string()));
    ASSERT_TRUE(window_->until([](const Json& state) { return state["dialog"] == false; }));
    ASSERT_TRUE(rests());
  }
};

TEST_F(SessionWindowTest, TheSamePictureIsThereAgain) {
  start();
  ASSERT_TRUE(window_->settled());
  makeOnesOwn();
  if (HasFatalFailure()) return;
  window_->key("n");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["notes_open"] == true; }));
  ASSERT_TRUE(rests());
  window_->type("half of them wait");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["notes"] == "half of them wait"; }));
  save();  // while the cursor is in the notes
  if (HasFatalFailure()) return;
  const Json before = picture(window_->state());
  EXPECT_EQ(window_->close(), 0);

  std::filesystem::remove_all(folder_ / "config");  // what it remembers by itself must not help
  start(withSession(session()));
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  EXPECT_EQ(picture(window_->state()), before);
  EXPECT_EQ(window_->state()["run"]["ticket"], 0) << "nothing was launched for it";
  EXPECT_EQ(window_->state()["recent"], Json::array({session().string()}));

  // And work continues from there: a change launches, and is undone to what was saved.
  window_->click("variant.warp_aligned");
  ASSERT_TRUE(shows("warp_aligned"));
  EXPECT_NE(window_->state()["run"]["ticket"], 0);
  ASSERT_TRUE(rests());
  window_->key("ctrl+z");
  ASSERT_TRUE(shows("even_odd"));
  ASSERT_TRUE(window_->settled());
  EXPECT_EQ(window_->state()["run"]["parameters"], before["run"]["parameters"]);
  EXPECT_EQ(window_->state()["visible"], before["visible"]);
}

TEST_F(SessionWindowTest, TheTimelineIsTheSameToThePixel) {
  start();
  ASSERT_TRUE(window_->settled());
  makeOnesOwn();
  if (HasFatalFailure()) return;
  window_->move(5, 700);  // over nothing that lights up
  ASSERT_TRUE(rests());
  save();
  if (HasFatalFailure()) return;
  const auto path = [&](const char* name) { return folder_ / name; };
  const auto take = [&](const std::filesystem::path& png) {
    ASSERT_TRUE(window_->until([](const Json& state) { return state["notice"].get<std::string>().empty(); }));
    window_->move(5, 700);
    ASSERT_TRUE(rests());
    window_->rightClick("view.timeline.title");
    ASSERT_TRUE(window_->until([&](const Json&) { return window_->find("view.timeline.save").has_value(); }));
    ASSERT_TRUE(rests());
    window_->click("view.timeline.save");
    ASSERT_TRUE(window_->until([](const Json& state) { return state["dialog"] == true; }));
    ASSERT_TRUE(rests());
    window_->key("Return");
    ASSERT_TRUE(notices("Saved "));
    const std::string saved = window_->state()["notice"].get<std::string>().substr(6);
    std::filesystem::copy_file(saved, png);
    std::filesystem::remove(saved);
  };
  take(path("before.png"));
  if (HasFatalFailure()) return;
  EXPECT_EQ(window_->close(), 0);
  std::filesystem::remove_all(folder_ / "config");
  start(withSession(session()));
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  take(path("after.png"));
  if (HasFatalFailure()) return;
  const std::string before = contentOf(path("before.png"));
  ASSERT_GT(before.size(), 1000U);
  EXPECT_TRUE(before == contentOf(path("after.png"))) << "the pictures differ";
}

TEST_F(SessionWindowTest, NotesThatNoSessionHasAreNotLost) {
  start();
  ASSERT_TRUE(window_->settled());
  save();  // without notes
  if (HasFatalFailure()) return;
  window_->key("n");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["notes_open"] == true; }));
  ASSERT_TRUE(rests());
  window_->type("mine");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["notes"] == "mine"; }));
  window_->key("Escape");
  ASSERT_TRUE(rests());
  window_->key("ctrl+o");
  ASSERT_TRUE(typePath(session()));
  window_->key("Return");
  ASSERT_TRUE(notices("on the clipboard"));
  EXPECT_EQ(window_->state()["notes"], "");
  EXPECT_EQ(window_->state()["notes_open"], false);
  ASSERT_TRUE(rests());
  window_->key("n");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["notes_open"] == true; }));
  ASSERT_TRUE(rests());
  window_->key("ctrl+v");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["notes"] == "mine"; }));
}

TEST_F(SessionWindowTest, TypingNotesIsNoShortcut) {
  start();
  ASSERT_TRUE(window_->settled());
  const Json before = picture(window_->state());
  window_->key("n");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["notes_open"] == true; }));
  ASSERT_TRUE(rests());
  window_->type("2 tolf n?");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["notes"] == "2 tolf n?"; }));
  window_->key("Escape");  // leaves the field, and what was typed stays
  ASSERT_TRUE(rests());
  Json now = picture(window_->state());
  EXPECT_EQ(now["notes"], "2 tolf n?");
  EXPECT_EQ(now["notes_open"], true);
  for (const char* part : {"notes", "notes_open"}) now[part] = before[part];
  EXPECT_EQ(now, before);
  EXPECT_FALSE(window_->state()["help"].get<bool>());
  window_->key("n");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["notes_open"] == false; }));
  EXPECT_EQ(window_->state()["notes"], "2 tolf n?");
}

TEST_F(SessionWindowTest, WhatIsDamagedIsSaidAndChangesNothing) {
  start();
  ASSERT_TRUE(window_->settled());
  save();
  if (HasFatalFailure()) return;
  makeOnesOwn();
  if (HasFatalFailure()) return;
  std::string bytes = contentOf(session());
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  std::ofstream(folder_ / "damaged.wssession", std::ios::binary) << bytes;
  const Json before = picture(window_->state());
  window_->key("ctrl+o");
  ASSERT_TRUE(typePath(folder_ / "damaged.wssession"));
  window_->key("Return");
  EXPECT_TRUE(notices("damaged.wssession"));
  EXPECT_NE(window_->state()["notice"].get<std::string>().find("checksum"), std::string::npos);
  ASSERT_TRUE(rests());
  EXPECT_EQ(picture(window_->state()), before);
  EXPECT_EQ(window_->state()["recent"], Json::array({session().string()}));

  // One that is not there is said where it was typed.
  window_->key("ctrl+o");
  ASSERT_TRUE(typePath(folder_ / "none.wssession"));
  window_->key("Return");
  EXPECT_TRUE(dialogSays("There is no file"));
  ASSERT_TRUE(rests());
  window_->key("Escape");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["dialog"] == false; }));
  EXPECT_EQ(picture(window_->state()), before);
}

// The window goes on without it; whoever started it hears why, too.
TEST_F(SessionWindowTest, OneThatCannotBeReadAtTheStartIsAWarning) {
  std::ofstream(session(), std::ios::binary) << "this is not one";
  start(withSession(session()));
  EXPECT_TRUE(notices("lesson.wssession"));
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_EQ(warnings_[0].kind, ErrorKind::kDamagedFile);
  EXPECT_NE(warnings_[0].message.find("lesson.wssession"), std::string::npos) << warnings_[0].message;
  EXPECT_TRUE(window_->settled());
}

TEST_F(SessionWindowTest, RecentOnesAreAClickAway) {
  start();
  ASSERT_TRUE(window_->settled());
  save();
  if (HasFatalFailure()) return;
  window_->click("variant.warp_aligned");
  ASSERT_TRUE(shows("warp_aligned"));
  ASSERT_TRUE(rests());
  window_->key("ctrl+o");
  ASSERT_TRUE(window_->until([&](const Json&) { return window_->find("dialog.recent.0").has_value(); }));
  ASSERT_TRUE(rests());
  window_->click("dialog.recent.0");
  EXPECT_TRUE(shows("even_odd"));
  EXPECT_TRUE(notices("Opened "));
  ASSERT_TRUE(rests());

  window_->click("variant.warp_aligned");
  ASSERT_TRUE(shows("warp_aligned"));
  ASSERT_TRUE(rests());
  window_->key("ctrl+o");
  ASSERT_TRUE(typePath(folder_ / "less"));
  window_->key("Tab");  // completes what is there
  EXPECT_TRUE(window_->until([&](const Json&) {
    return window_->report()["texts"].value("dialog.path", "") == session().string();
  }));
  window_->key("Return");
  EXPECT_TRUE(shows("even_odd"));
  ASSERT_TRUE(rests());
  EXPECT_EQ(window_->close(), 0);
  start();  // remembered
  ASSERT_TRUE(window_->settled());
  EXPECT_EQ(window_->state()["recent"], Json::array({session().string()}));
}

TEST_F(SessionWindowTest, WhatCannotBeWrittenIsSaidAndAskedAgain) {
  start();
  ASSERT_TRUE(window_->settled());
  window_->key("ctrl+shift+s");
  ASSERT_TRUE(typePath(folder_ / "none" / "x.wssession"));
  window_->key("Return");
  EXPECT_TRUE(dialogSays("There is no folder"));
  ASSERT_TRUE(rests());
  // A disk that is full, under a name that ends as it must.
  const auto full = folder_ / "full.wssession";
  std::filesystem::create_symlink("/dev/full", full);
  ASSERT_TRUE(typePath(full));
  window_->key("Return");
  EXPECT_TRUE(dialogSays("already exists"));
  ASSERT_TRUE(rests());
  window_->click("dialog.accept");
  EXPECT_TRUE(dialogSays("No space left"));
  EXPECT_EQ(window_->state()["dialog"], true);
  ASSERT_TRUE(rests());
  ASSERT_TRUE(typePath(session()));
  window_->key("Return");
  EXPECT_TRUE(notices("Saved " + session().string()));
  EXPECT_TRUE(std::filesystem::exists(session()));
}

TEST_F(SessionWindowTest, OverwritingAsks) {
  start();
  ASSERT_TRUE(window_->settled());
  save();
  if (HasFatalFailure()) return;
  const std::string first = contentOf(session());
  window_->click("variant.warp_aligned");
  ASSERT_TRUE(shows("warp_aligned"));
  ASSERT_TRUE(rests());
  window_->key("ctrl+shift+s");
  ASSERT_TRUE(typePath(folder_ / "lesson"));  // the ending comes by itself
  window_->key("Return");
  EXPECT_TRUE(dialogSays("already exists"));
  EXPECT_EQ(contentOf(session()), first);
  ASSERT_TRUE(rests());
  window_->key("Return");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["dialog"] == false; }));
  EXPECT_NE(contentOf(session()), first);
}

TEST_F(SessionWindowTest, FilesAreDropped) {
  start();
  ASSERT_TRUE(window_->settled());
  save();
  if (HasFatalFailure()) return;
  window_->click("variant.warp_aligned");
  ASSERT_TRUE(shows("warp_aligned"));
  ASSERT_TRUE(rests());
  window_->drop({session()});
  EXPECT_TRUE(shows("even_odd"));
  EXPECT_TRUE(notices("Opened " + session().string()));
  ASSERT_TRUE(rests());

  const auto recording = folder_ / "assets" / "recordings" / "divergence.wsrec";
  window_->drop({recording});
  EXPECT_TRUE(
      window_->until([&](const Json& state) { return state["device"] == "file:" + recording.string(); }));
  ASSERT_TRUE(window_->settled());
  const auto other = folder_ / "assets" / "recordings" / "reduction.wsrec";
  window_->drop({other});
  EXPECT_TRUE(window_->until([](const Json& state) {
    return state["page"] == "compare" && state["compare"]["kept"] == 2;
  })) << "two recordings are compared";
  EXPECT_EQ(window_->state()["device"], "file:" + recording.string());
  EXPECT_TRUE(window_->until([](const Json& state) { return state["compare"]["runs"].size() >= 2; }));
  ASSERT_TRUE(rests());

  // A file that is not a recording is refused, and the device stays.
  std::ofstream(folder_ / "broken.wsrec") << "no recording";
  window_->drop({folder_ / "broken.wsrec"});
  EXPECT_TRUE(notices("broken.wsrec"));
  EXPECT_EQ(window_->state()["device"], "file:" + recording.string());
}

TEST_F(SessionWindowTest, WhereTheDeviceIsNotHereTheFileIsTheDevice) {
  std::filesystem::copy_file(folder_ / "assets" / "recordings" / "divergence.wsrec", folder_ / "moved.wsrec");
  StartOptions options;
  options.device = "file:" + (folder_ / "moved.wsrec").string();
  options.family = "divergence";
  options.variant = "even_odd";
  options.width = 1400;
  options.height = 900;
  options.recordings = {folder_ / "moved.wsrec"};
  start(options);
  ASSERT_TRUE(window_->settled());
  save();
  if (HasFatalFailure()) return;
  Json before = picture(window_->state());
  EXPECT_EQ(window_->close(), 0);
  std::filesystem::remove(folder_ / "moved.wsrec");
  std::filesystem::remove_all(folder_ / "config");
  start();
  ASSERT_TRUE(window_->settled());
  window_->key("ctrl+o");
  ASSERT_TRUE(typePath(session()));
  window_->key("Return");
  ASSERT_TRUE(
      window_->until([&](const Json& state) { return state["device"] == "file:" + session().string(); }));
  ASSERT_TRUE(window_->settled());
  EXPECT_TRUE(notices("does not exist here"));
  EXPECT_EQ(window_->state()["problem"], "");
  Json now = picture(window_->state());
  before["device"] = now["device"];
  EXPECT_EQ(now, before);
}

TEST_F(SessionWindowTest, TheFileMenuExports) {
  start();
  ASSERT_TRUE(window_->settled());
  ASSERT_TRUE(rests());
  const auto export_to = [&](const std::string& item, const std::filesystem::path& path) {
    window_->click("toolbar.file");
    ASSERT_TRUE(window_->until([&](const Json&) { return window_->find("file." + item).has_value(); }));
    ASSERT_TRUE(rests());
    window_->click("file." + item);
    ASSERT_TRUE(typePath(path));
    window_->key("Return");
    ASSERT_TRUE(notices("Saved " + path.string())) << window_->state()["notice"];
    ASSERT_TRUE(rests());
  };
  for (const auto& [item, name, sign] :
       {std::tuple{"chrome", "a.trace.json", "traceEvents"},
        std::tuple{"chrome", "a.trace.json.gz", "\x1F\x8B"},
        std::tuple{"perfetto", "a.perfetto-trace", "even_odd"}, std::tuple{"csv", "a.csv", "even_odd"},
        std::tuple{"json", "a.json", "even_odd"}, std::tuple{"html", "a.html", "<html"},
        std::tuple{"svg", "a.svg", "<svg"}, std::tuple{"png", "a.png", "PNG"}}) {
    export_to(item, folder_ / name);
    if (HasFatalFailure()) return;
    EXPECT_NE(contentOf(folder_ / name).find(sign), std::string::npos) << name;
  }
  const Json rows = testing::parseJson(contentOf(folder_ / "a.json"));
  EXPECT_GT(rows.size(), 1U) << "the other variants at these settings, too";
  EXPECT_EQ(rows[0]["variant"], "even_odd");
}

}  // namespace
}  // namespace warpscope::testing
