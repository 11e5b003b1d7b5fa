// Recordings in the window: however one is opened, its first run is seen, and nothing that lies in the way of
// settings ends the window.
#include "tests/gui/window_fixture.h"

namespace warpscope::testing {
namespace {

class RecordingWindowTest : public WindowTest {
 protected:
  // A bundled recording, of a family that the window's other recordings lack.
  static std::filesystem::path transposed() {
    return std::filesystem::path(WARPSCOPE_SOURCE_FOLDER) / "assets/recordings/transpose_shared.wsrec";
  }
  [[nodiscard]] ::testing::AssertionResult showsTheTransposedRun() const {
    const auto shown = window_->until([](const Json& state) {
      return state.contains("run") && state["run"]["family"] == "transpose" &&
             state["run"]["variant"] == "shared" && state["busy"] == false;
    });
    if (!shown) return shown;
    const Json state = window_->state();
    if (state.contains("impossible")) return ::testing::AssertionFailure() << state["impossible"];
    if (state["family"] != "transpose" || state["variant"] != "shared")
      return ::testing::AssertionFailure() << "the selection stayed at " << state["family"];
    if (state["parameters"] != state["run"]["parameters"])
      return ::testing::AssertionFailure() << "the controls do not follow: " << state["parameters"];
    return ::testing::AssertionSuccess();
  }
};

TEST_F(RecordingWindowTest, OneOfTheCommandLineIsSeen) {
  StartOptions options;
  options.device = "file:" + transposed().string();
  options.recordings = {transposed()};
  start(options);
  EXPECT_TRUE(showsTheTransposedRun());
  EXPECT_TRUE(window_->find("view.timeline"));
}

TEST_F(RecordingWindowTest, ADroppedOneIsSeen) {
  start("divergence", "even_odd");
  ASSERT_TRUE(window_->settled());
  window_->drop({transposed()});
  EXPECT_TRUE(showsTheTransposedRun());
}

TEST_F(RecordingWindowTest, OneThatIsOpenedByItsPathIsSeen) {
  start("divergence", "even_odd");
  ASSERT_TRUE(window_->settled());
  window_->key("ctrl+o");
  ASSERT_TRUE(window_->until([](const Json& state) { return state["dialog"] == true; }));
  window_->type(transposed().string());
  window_->key("Return");
  EXPECT_TRUE(showsTheTransposedRun());
}

TEST_F(RecordingWindowTest, AFolderInPlaceOfTheSettingsIsSaidAndEndsNothing) {
  std::filesystem::create_directories(folder_ / "config" / "warpscope" / "settings.json");
  start("divergence", "even_odd");
  ASSERT_TRUE(window_->settled());
  EXPECT_NE(window_->state()["notice"].get<std::string>().find("settings.json"), std::string::npos)
      << window_->state()["notice"];
  window_->key("t");
  EXPECT_TRUE(window_->until([](const Json& state) { return state["theme"] == "light"; }));
  EXPECT_TRUE(window_->running()) << "what cannot be saved ends nothing";
}

}  // namespace
}  // namespace warpscope::testing
