// The few tests that need the program's own window: the events of a real mouse and keyboard, files dropped by
// a desktop, closing, and pictures that OpenGL draws. All else is tested in this process (window_fixture.h).
#include "tests/gui/real_window.h"

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>

#include "kernels/recording/recording.h"
#include "tests/gui/desktop.h"
#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

int64_t blockOf(const Json& state) {
  return state["run"]["parameters"]["block"].get<int64_t>();
}

TEST_F(RealWindowTest, AClickChoosesAVariantAndItsUserClosesTheWindow) {
  if (const std::string missing = missingDesktop(); !missing.empty()) GTEST_SKIP() << missing;
  start();
  ASSERT_TRUE(window_->settled());
  EXPECT_EQ(blockOf(window_->state()), 256);
  window_->click("variant.warp_aligned");
  ASSERT_TRUE(shows("warp_aligned"));
  ASSERT_TRUE(closeWindow(display_->name()));
  EXPECT_EQ(window_->wait(), 0);
  start({});
  ASSERT_TRUE(window_->settled());
  EXPECT_EQ(window_->state()["run"]["variant"], "warp_aligned") << "remembered";
  EXPECT_EQ(window_->end(SIGTERM), 0) << "a signal ends it as its user does";
}

TEST_F(RealWindowTest, DraggingTheBlockSliderShowsThatRun) {
  start();
  ASSERT_TRUE(window_->settled());
  const auto slider = window_->find("control.block");
  ASSERT_TRUE(slider);
  // 256 is the third of four recorded sizes: drag from two thirds to the right end.
  window_->drag(slider->x(0.66), slider->y(), slider->x(0.99), slider->y());
  EXPECT_TRUE(window_->until([](const Json& state) { return blockOf(state) == 512; }));
  const Json run = window_->state()["run"];
  EXPECT_GT(run["latency_ms"].get<double>(), 0);
  EXPECT_GE(run["picture_ms"].get<double>(), run["latency_ms"].get<double>())
      << "the picture comes after the run";
  window_->key("ctrl+z");
  EXPECT_TRUE(window_->until([](const Json& state) { return blockOf(state) == 256; }))
      << "a drag is undone as one";
}

TEST_F(RealWindowTest, TheWheelZoomsAndADragSelects) {
  start();
  ASSERT_TRUE(window_->settled());
  const auto plot = window_->find("timeline.plot");
  ASSERT_TRUE(plot);
  const double x = std::round(plot->x(0.3)), y = plot->y(0.6);
  window_->wheel(x, y, 3);
  ASSERT_TRUE(window_->until([](const Json& state) { return state["visible"]["fitted"] == false; }));
  window_->drag(x, y, x + 100, y);
  EXPECT_TRUE(
      window_->until([&](const Json& state) { return !state["selection"].get<std::string>().empty(); }));
  window_->key("f");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["visible"]["fitted"] == true; }));
}

TEST_F(RealWindowTest, WhatHappensBetweenTwoFramesIsNotLost) {
  start();
  ASSERT_TRUE(window_->settled());
  const auto variant = window_->find("variant.warp_aligned");
  const auto plot = window_->find("timeline.plot");
  ASSERT_TRUE(variant && plot);
  window_->clickAndLeave(variant->x(), variant->y(), plot->x(), plot->y());
  EXPECT_TRUE(shows("warp_aligned")) << "pressed, released and moved on at once";
}

TEST_F(RealWindowTest, KeysActOnTheWindow) {
  start();
  ASSERT_TRUE(window_->settled());
  const auto ticket = window_->state()["run"]["ticket"].get<uint64_t>();
  window_->key("ctrl+Return");
  EXPECT_TRUE(window_->until([&](const Json& state) { return state["run"]["ticket"] > ticket; }));
  window_->key("question");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["help"] == true; }));
  window_->key("Escape");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["help"] == false; }));
  window_->key("ctrl+plus");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["scale"] > 1.0; }));
  window_->key("ctrl+0");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["scale"] == 1.0; }));
}

TEST_F(RealWindowTest, ANumberIsTyped) {
  start();
  ASSERT_TRUE(window_->settled());
  window_->click("control.block.value");
  ASSERT_TRUE(window_->until([&](const Json&) { return window_->find("control.block.input").has_value(); }));
  window_->type("64");
  window_->key("Return");
  EXPECT_TRUE(window_->until([](const Json& state) { return blockOf(state) == 64; }));
}

TEST_F(RealWindowTest, FilesAreDropped) {
  if (const std::string missing = missingDesktop(); !missing.empty()) GTEST_SKIP() << missing;
  start();
  ASSERT_TRUE(window_->settled());
  const auto recording = folder_ / "assets" / "recordings" / "divergence.wsrec";
  ASSERT_TRUE(dropFiles(display_->name(), {recording}));
  EXPECT_TRUE(
      window_->until([&](const Json& state) { return state["device"] == "file:" + recording.string(); }));
  ASSERT_TRUE(window_->settled());
  const auto other = folder_ / "assets" / "recordings" / "reduction.wsrec";
  ASSERT_TRUE(dropFiles(display_->name(), {other}));
  EXPECT_TRUE(window_->until([](const Json& state) {
    return state["page"] == "compare" && state["compare"]["kept"] == 2;
  })) << "two recordings are compared";
}

// The program looks for a font once, so that each test of what it finds needs a program of its own.
TEST_F(RealWindowTest, WithoutAChineseFontItStaysEnglishAndSaysWhatToInstall) {
  setenv("WARPSCOPE_CHINESE_FONT", "/nowhere/font.ttc", 1);
  start({"--language", "zh_CN"});
  unsetenv("WARPSCOPE_CHINESE_FONT");
  ASSERT_TRUE(window_->settled());
  const Json report = window_->report();
  EXPECT_EQ(report["state"]["language"], "en");
  EXPECT_EQ(report["texts"]["toolbar.language"], "Chinese");
  EXPECT_NE(report["state"]["notice"].get<std::string>().find("fonts-wqy-microhei"), std::string::npos);
}

TEST_F(RealWindowTest, ScreenshotsAreOfTheWindow) {
  const auto picture = folder_ / "pictures" / "even_odd.png";
  EXPECT_EQ(runProgram({"screenshot", "--device", "recorded", "--family", "divergence", "--theme", "light",
                        "--window-size", "1280x720", "--output", picture.string()}),
            0);
  const std::string head = contentOf(picture).substr(0, 24);
  ASSERT_EQ(head.size(), 24U);
  ASSERT_EQ(head.substr(1, 3), "PNG");
  const auto number = [&](size_t at) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(head[at + i]);
    return value;
  };
  EXPECT_EQ(number(16), 1280U);
  EXPECT_EQ(number(20), 720U);
}

TEST_F(RealWindowTest, AScreenshotThatEndsInSvgIsOne) {
  const auto picture = folder_ / "pictures" / "window.svg";
  EXPECT_EQ(runProgram({"screenshot", "--device", "recorded", "--family", "divergence", "--window-size",
                        "1280x720", "--output", picture.string()}),
            0);
  const std::string svg = contentOf(picture);
  EXPECT_TRUE(svg.starts_with("<?xml"));
  EXPECT_NE(svg.find("viewBox=\"0 0 1280 720\""), std::string::npos);
  EXPECT_NE(svg.find(">TIMELINE</text>"), std::string::npos);
  EXPECT_NE(svg.find(">OCCUPANCY</text>"), std::string::npos);
  EXPECT_LT(svg.size(), 5'000'000U);
}

TEST_F(RealWindowTest, AScreenshotOfARecordingShowsItsFirstRun) {
  const std::string recording =
      std::string(WARPSCOPE_SOURCE_FOLDER) + "/assets/recordings/transpose_shared.wsrec";
  const auto picture = folder_ / "pictures" / "recording.svg";
  ASSERT_EQ(runProgram({"screenshot", recording, "--view", "timeline", "--output", picture.string()}), 0);
  EXPECT_NE(contentOf(picture).find("(shared)"), std::string::npos) << "the caption names the variant";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(runProgram({"screenshot", recording, "--family", "reduction", "--output", picture.string()}), 2)
      << "a family that the user names stays";
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(40))
      << "it does not wait for a run";
}

TEST_F(RealWindowTest, AFolderInPlaceOfAFontIsNoFont) {
  setenv("WARPSCOPE_CHINESE_FONT", folder_.c_str(), 1);
  const auto picture = folder_ / "pictures" / "chinese.svg";
  EXPECT_EQ(runProgram({"screenshot", "--device", "recorded", "--family", "divergence", "--language", "zh_CN",
                        "--output", picture.string()}),
            0);
  unsetenv("WARPSCOPE_CHINESE_FONT");
  EXPECT_NE(contentOf(picture).find(">TIMELINE</text>"), std::string::npos) << "it stays English";
}

TEST_F(RealWindowTest, AnUnknownLanguageIsRefused) {
  EXPECT_EQ(runProgram({"screenshot", "--language", "tlh"}), 2);
}

TEST_F(RealWindowTest, PicturesOfASessionNeedNoWindow) {
  start();
  ASSERT_TRUE(window_->settled());
  const auto slider = window_->find("control.block");
  ASSERT_TRUE(slider);
  window_->drag(slider->x(0.66), slider->y(), slider->x(0.01), slider->y());
  ASSERT_TRUE(
      window_->until([](const Json& state) { return blockOf(state) != 256 && state["outdated"] == false; }));
  const std::string block = std::to_string(blockOf(window_->state()));
  window_->key("c");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["page"] == "compare"; }))
      << "a view is drawn wherever the session was left";
  const auto session = folder_ / "lesson.wssession";
  window_->key("ctrl+shift+s");
  ASSERT_TRUE(
      window_->until([](const Json& state) { return state["dialog"] == true && state["typing"] == true; }));
  window_->key("ctrl+a");
  // In one frame, what is typed comes before a shortcut, which would then select it, too.
  ASSERT_TRUE(window_->rests());
  window_->type(session.string());
  ASSERT_TRUE(window_->until([&](const Json&) {
    return window_->report()["texts"].value("dialog.path", "") == session.string();
  })) << window_->report()["texts"].value("dialog.path", "");
  window_->key("Return");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["dialog"] == false; }));
  EXPECT_EQ(window_->end(SIGTERM), 0);
  const auto picture_of = [&](const std::string& format, const std::filesystem::path& path) {
    return runProgram(
        {"export", session.string(), "--format", format, "--view", "timeline", "--output", path.string()});
  };
  ASSERT_EQ(picture_of("png", folder_ / "t.png"), 0);
  EXPECT_EQ(contentOf(folder_ / "t.png").substr(1, 3), "PNG");
  ASSERT_EQ(picture_of("svg", folder_ / "t.svg"), 0);
  EXPECT_NE(contentOf(folder_ / "t.svg").find("block " + block), std::string::npos) << "the session's run";
}

}  // namespace
}  // namespace warpscope::testing
