// The application over synthetic recordings, driven in this process: no display is needed, and tests run
// beside each other, each in a folder of its own.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "tests/gui/driven_application.h"
#include "tests/gui/synthetic_recordings.h"
#include "tests/gui/test_folder.h"

namespace warpscope::testing {

// This process works in that folder meanwhile.
class InFolder {
 public:
  explicit InFolder(const std::filesystem::path& folder) : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder);
  }
  ~InFolder() { std::filesystem::current_path(before_); }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;

 private:
  std::filesystem::path before_;
};

class WindowTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // Opens the window on the recorded device, with `options` over the settings that were remembered.
  void start(StartOptions options, StartPage page = StartPage::kNever);
  void start(const std::string& family = "divergence", const std::string& variant = "even_odd",
             uint32_t width = 1400, uint32_t height = 900);
  void startAsRemembered() { start(StartOptions{}); }

  int64_t shownBlock() const { return window_->state()["run"]["parameters"]["block"].get<int64_t>(); }
  ::testing::AssertionResult shows(const std::string& variant) const;
  ::testing::AssertionResult rests() const { return window_->rests(); }
  // One click, then frames until the state fulfils the condition and the window rests.
  ::testing::AssertionResult clickFor(const std::string& widget,
                                      const std::function<bool(const Json& state)>& condition) const;
  double cycleAt(double x) const;
  double visibleCycles() const;

  TestFolder folder_holder_;
  const std::filesystem::path& folder_ = folder_holder_.path();
  std::vector<Error> warnings_;  // what the command line would print while the window goes on
  std::unique_ptr<DrivenApplication> window_;
};

}  // namespace warpscope::testing
