// A window of the program over synthetic recordings, on a display of its own.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "tests/gui/driven_window.h"
#include "tests/gui/synthetic_recordings.h"

namespace warpscope::testing {

class WindowTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = missingTools(); !missing.empty())
      GTEST_SKIP() << "no window test: " << missing;
    folder_ = std::filesystem::temp_directory_path() / fmt::format("warpscope-window-{}", getpid());
    std::filesystem::remove_all(folder_);
    ASSERT_TRUE(writeSyntheticAssets(folder_ / "assets", {"divergence", "reduction"}));
    display_ = std::make_unique<Display>();
    ASSERT_TRUE(display_->ready()) << "Xvfb did not start";
  }
  void TearDown() override {
    window_.reset();
    display_.reset();
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  void start(std::vector<std::string> arguments = {"--family", "divergence", "--variant", "even_odd",
                                                   "--window-size", "1400x900"}) {
    window_ = std::make_unique<DrivenWindow>(*display_, folder_, arguments);
  }
  int64_t shownBlock() const { return window_->state()["run"]["parameters"]["block"].get<int64_t>(); }
  bool shows(const std::string& variant) const {
    return window_->until(
        [&](const Json& state) { return state.contains("run") && state["run"]["variant"] == variant; });
  }
  // No frame for a while: everything has come to rest.
  bool rests() const {
    for (int i = 0; i < 100; ++i) {
      const uint64_t before = window_->frames();
      std::this_thread::sleep_for(std::chrono::milliseconds(600));
      if (window_->frames() == before) return true;
    }
    return false;
  }
  // A machine too busy to draw between press and release misses a click, as it would a user's.
  template <class Condition>
  bool clickUntil(const std::string& widget, Condition condition) const {
    for (int i = 0; i < 8; ++i) {
      window_->click(widget);
      if (!rests()) return false;
      if (condition(window_->state())) return true;
    }
    return false;
  }
  double cycleAt(double x) const {
    const auto plot = window_->find("timeline.plot");
    const Json visible = window_->state()["visible"];
    const double begin = visible["begin_cycles"].get<double>();
    const double end = visible["end_cycles"].get<double>();
    return begin + (x - plot->x0) / (plot->x1 - plot->x0) * (end - begin);
  }
  double visibleCycles() const {
    const Json visible = window_->state()["visible"];
    return visible["end_cycles"].get<double>() - visible["begin_cycles"].get<double>();
  }

  std::filesystem::path folder_;
  std::unique_ptr<Display> display_;
  std::unique_ptr<DrivenWindow> window_;
};

}  // namespace warpscope::testing
