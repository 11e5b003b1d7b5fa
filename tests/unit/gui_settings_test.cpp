// The window's settings file: what is written is read back, and no file, however damaged, stops the program.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "app/gui/settings.h"

namespace warpscope {
namespace {

class SettingsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("warpscope-settings-{}", getpid());
    std::filesystem::remove_all(folder_);
    file_ = folder_ / "deep" / "settings.json";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& text) {
    std::filesystem::create_directories(file_.parent_path());
    std::ofstream(file_) << text;
  }

  std::filesystem::path folder_, file_;
};

Settings unusual() {
  Settings settings;
  settings.theme = "light";
  settings.language = "zh_CN";
  settings.scale = 1.5F;
  settings.width = 1280;
  settings.height = 720;
  settings.device = "cuda:1";
  settings.family = "reduction";
  settings.families["reduction"] = {"shuffle", {{"block", 512}, {"size", 1 << 24}}};
  settings.live = false;
  settings.rows = {.kind = RowKind::kSlots, .sort = RowSort::kDuration, .filter = {.sms = NumberRange{1, 2}}};
  settings.instructions = true;
  settings.checks = true;
  settings.counters = false;
  settings.upper_tab = "states";
  settings.lower_tab = "counters";
  settings.panels.timeline_share = 0.25F;
  settings.panels.controls_width = 300;
  return settings;
}

TEST_F(SettingsTest, WhatIsWrittenIsReadAgain) {
  ASSERT_TRUE(saveSettings(file_, unusual()));
  const LoadedSettings loaded = loadSettings(file_);
  EXPECT_EQ(loaded.note, "");
  EXPECT_EQ(loaded.settings, unusual());
}

TEST_F(SettingsTest, AFolderInItsPlaceGivesTheDefaultsAndAnErrorWhenSaved) {
  std::filesystem::create_directories(file_);
  const LoadedSettings loaded = loadSettings(file_);
  EXPECT_EQ(loaded.settings, Settings{});
  EXPECT_NE(loaded.note.find(file_.string()), std::string::npos) << loaded.note;
  const auto saved = saveSettings(file_, unusual());
  ASSERT_FALSE(saved);
  EXPECT_NE(saved.error().message.find(file_.string()), std::string::npos) << saved.error().message;
}

TEST_F(SettingsTest, WritingLeavesNoOtherFile) {
  ASSERT_TRUE(saveSettings(file_, unusual()));
  ASSERT_TRUE(saveSettings(file_, Settings{}));
  const auto entries = std::filesystem::directory_iterator(file_.parent_path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
  EXPECT_EQ(loadSettings(file_).settings, Settings{});
}

TEST_F(SettingsTest, NoFileIsTheFirstStart) {
  const LoadedSettings loaded = loadSettings(file_);
  EXPECT_EQ(loaded.note, "");
  EXPECT_EQ(loaded.settings, Settings{});
}

TEST_F(SettingsTest, EveryTruncationIsToleratedWithANote) {
  ASSERT_TRUE(saveSettings(file_, unusual()));
  std::ifstream in(file_);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  for (size_t length = 0; length + 2 < whole.size(); ++length) {
    write(whole.substr(0, length));
    const LoadedSettings loaded = loadSettings(file_);
    EXPECT_NE(loaded.note.find("settings.json"), std::string::npos) << length;
    EXPECT_EQ(loaded.settings, Settings{}) << length;
  }
}

TEST_F(SettingsTest, WrongValuesTakeTheirDefaultsAndTheRestIsKept) {
  write(
      R"({"theme": "pink", "language": "tlh", "scale": 900, "width": "wide", "height": 700, "live": 3, "family": ["x"],
            "device": "recorded", "panels": {"lanes_share": -1, "code_share": 0.3}, "families":
            {"a": 7, "b": {"variant": 1, "parameters": {"block": "big", "size": 64}}}})");
  const LoadedSettings loaded = loadSettings(file_);
  const Settings defaults;
  EXPECT_EQ(loaded.settings.theme, defaults.theme);
  EXPECT_EQ(loaded.settings.language, defaults.language);
  EXPECT_EQ(loaded.settings.scale, defaults.scale);
  EXPECT_EQ(loaded.settings.width, defaults.width);
  EXPECT_EQ(loaded.settings.live, defaults.live);
  EXPECT_EQ(loaded.settings.family, defaults.family);
  EXPECT_EQ(loaded.settings.panels.lanes_share, defaults.panels.lanes_share);
  EXPECT_EQ(loaded.settings.height, 700U);
  EXPECT_EQ(loaded.settings.device, "recorded");
  EXPECT_FLOAT_EQ(loaded.settings.panels.code_share, 0.3F);
  EXPECT_EQ(loaded.settings.families.at("b").parameters, (ParameterValues{{"size", 64}}));
  for (const char* wrong :
       {"theme", "scale", "width", "live", "family", "panels", "families.a", "families.b"}) {
    EXPECT_NE(loaded.note.find(wrong), std::string::npos) << wrong;
  }
}

TEST_F(SettingsTest, JsonThatIsNoObjectIsNoSettingsFile) {
  for (const char* text : {"", "[]", "3", "null", "\"x\"", "\x00\xff\xfe", "{\"a\":"}) {
    write(text);
    EXPECT_NE(loadSettings(file_).note, "") << text;
  }
}

TEST_F(SettingsTest, AFolderThatCannotBeMadeIsAnErrorThatNamesIt) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ / "deep") << "a file where a folder is needed";
  const auto saved = saveSettings(file_, Settings{});
  ASSERT_FALSE(saved);
  EXPECT_NE(saved.error().message.find("deep"), std::string::npos);
}

}  // namespace
}  // namespace warpscope
