// The program's window as its user has it: a display of its own (Xvfb), the program on it with a report file,
// and real mouse and keyboard events (xdotool). What a gesture needs is waited for in the report: the window
// has seen the mouse there, and the button down, before the next event is sent.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/json.h"
#include "tests/gui/process.h"
#include "tests/gui/rectangle.h"
#include "tests/gui/test_folder.h"

namespace warpscope::testing {

// The reason why tests on a display cannot run here; empty if they can.
std::string missingTools();

class Display {
 public:
  Display();
  bool ready() const { return !name_.empty(); }
  const std::string& name() const { return name_; }  // ":93"

 private:
  Process server_;
  std::string name_;
};

class RealWindow {
 public:
  RealWindow(const Display& display, const std::filesystem::path& folder,
             const std::vector<std::string>& arguments);

  // The program's last report; null before the first.
  Json report() const;
  Json state() const { return report()["state"]; }
  std::optional<Rectangle> find(const std::string& widget) const;
  // Until a report fulfils it, for at most 30 s; else a failure with the last state.
  ::testing::AssertionResult until(const std::function<bool(const Json& state)>& condition) const;
  // A run of the present settings is shown, and nothing is on its way.
  ::testing::AssertionResult settled() const;
  // Nothing moves any more: no frame was drawn for a while.
  ::testing::AssertionResult rests() const;

  void move(double x, double y) const;
  void click(const std::string& widget) const;
  // All at once: between two frames of the window, most likely.
  void clickAndLeave(double x, double y, double to_x, double to_y) const;
  void drag(double from_x, double from_y, double to_x, double to_y) const;
  void wheel(double x, double y, int notches) const;  // positive: away from the user, zooms in
  void type(const std::string& text) const;
  void key(const std::string& keysym) const;
  // The exit status of a program that was asked to end.
  int wait() { return program_.wait(); }
  int end(int signal) { return program_.end(signal); }
  bool running() { return program_.running(); }

 private:
  void xdotool(std::vector<std::string> arguments) const;
  void setButton(bool down) const;

  std::string display_;
  std::filesystem::path report_;
  Process program_;
};

// The program over synthetic recordings on a display of its own; skipped where there can be none.
class RealWindowTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;
  void start(const std::vector<std::string>& arguments = {"--family", "divergence", "--variant", "even_odd",
                                                          "--window-size", "1400x900"});
  ::testing::AssertionResult shows(const std::string& variant) const;
  // The exit status of the program with these arguments, on the display.
  int runProgram(std::vector<std::string> arguments) const;

  TestFolder folder_holder_;
  const std::filesystem::path& folder_ = folder_holder_.path();
  std::unique_ptr<Display> display_;
  std::unique_ptr<RealWindow> window_;
};

}  // namespace warpscope::testing
