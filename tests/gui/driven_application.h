// The application under test, in this process: the real frame loop over an InjectedWindow. Gestures are made
// of single changes with a frame after each; a condition is waited for by drawing frames, never by sleeping.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/frame_loop.h"
#include "kernels/core/json.h"
#include "tests/gui/injected_window.h"
#include "tests/gui/rectangle.h"

namespace warpscope::testing {

class DrivenApplication {
 public:
  explicit DrivenApplication(const GuiOptions& options);

  const std::string& failure() const { return failure_; }  // why it did not start; empty: it did
  Json report() const { return loop_->application().describe(); }
  Json state() const { return loop_->application().state(); }
  std::string text(const std::string& widget) const;
  std::optional<Rectangle> find(const std::string& widget) const;
  const Application& application() const { return loop_->application(); }
  uint64_t frames() const { return loop_->application().frames(); }
  const Report& lastReport() const { return loop_->application().report(); }
  // What settings, menus and keys change, for tests of what the window looks like then.
  ScreenState& screen() { return loop_->application().screen(); }
  Ui ui() { return loop_->application().ui(); }  // what pages get
  void resize(double width, double height);
  void draw(int frames);  // whether or not something happened
  double now() const { return window_->now(); }
  Image pixels() { return window_->pixels(); }

  // Draws frames until the state fulfils it. What is due later (a notice that ends, a tooltip that comes) is
  // due at once while nothing works in the background. Fails, with the state, once nothing can change any
  // more, or after 30 s.
  ::testing::AssertionResult until(const std::function<bool(const Json& state)>& condition);
  // A run of the present settings is shown, and nothing is on its way.
  ::testing::AssertionResult settled();
  // Nothing works in the background, and no frame is due soon: the window stays as it is until somebody does
  // something.
  ::testing::AssertionResult rests();
  // Lets the clock of the window move on, drawing the frames that are due meanwhile.
  void passTime(double seconds);

  void move(double x, double y);
  void click(double x, double y);
  void click(const std::string& widget);  // a failure where it is not on screen
  void controlClick(const std::string& widget);
  void doubleClick(double x, double y);
  void rightClick(double x, double y);
  void rightClick(const std::string& widget);
  void type(const std::string& text);  // printable ASCII
  // A key, then text, then Enter, all before the next frame.
  void keyAndTextAtOnce(const std::string& key, const std::string& text);
  // `with`: held meanwhile: "shift", "ctrl", or "middle" for that button in place of the left one.
  void shiftClick(double x, double y);
  void press(double x, double y);  // the left button, until release()
  void release();
  void drag(double from_x, double from_y, double to_x, double to_y, const std::string& with = "");
  void wheel(double x, double y, int notches);  // positive: away from the user, zooms in
  void key(const std::string& name);            // X's names of keys: "ctrl+shift+z", "Escape", "question"
  void drop(const std::vector<std::filesystem::path>& paths);
  // Draws frames when something happens.
  bool running();
  // Ends as it does when its user closes the window; the exit status.
  int close();

 private:
  bool step(double real_s, double clock_s);  // true: it drew a frame
  void settleGesture();                      // draws what follows from the last change
  ::testing::AssertionResult gaveUp(const char* why) const;

  std::string failure_;
  InjectedWindow* window_ = nullptr;  // the loop's
  std::unique_ptr<FrameLoop> loop_;
};

}  // namespace warpscope::testing
