// A window without a display: what a user would do is injected into Dear ImGui, the test controls the time,
// and pixels are drawn in software. The application itself is the real one.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <vector>

#include "app/gui/window.h"

namespace warpscope::testing {

class InjectedWindow : public Window {
 public:
  explicit InjectedWindow(const WindowOptions& options);
  ~InjectedWindow() override;

  // The actions of a user. Before 1.87 Dear ImGui sees how things are when a frame begins, so a frame must be
  // drawn between any two of them.
  void moveMouse(float x, float y);
  void setButton(int button, bool down);
  void turnWheel(float notches);    // positive: away from the user
  void setKey(int key, bool down);  // GLFW_KEY_*, modifiers too
  void typeCharacter(unsigned character);
  void drop(const std::vector<std::filesystem::path>& paths);

  // Sets how wait() waits without input: `real_s` for a wake(); if none comes, the clock advances to what is
  // due, by `clock_s` at most.
  void setPatience(double real_s, double clock_s);
  void passTime(double seconds) { now_s_ += seconds; }
  void resize(float width, float height);

  bool closing() const override { return false; }
  ImVec2 size() const override { return size_; }
  ImVec2 sizeOnScreen() const override { return size_; }
  bool wait(double timeout_s) override;
  void wake() override;
  double now() const override { return now_s_; }
  void beginFrame() override;
  void render() override;
  void present() override {}
  Image pixels() override;

 private:
  void uploadFonts() override;
  bool isDown(int left_key, int right_key) const;

  ImVec2 size_;
  double now_s_ = 0, last_frame_s_ = 0;
  double real_patience_s_ = 0, clock_patience_s_ = 0;
  bool input_ = false;
  std::vector<int> keys_down_;

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  bool woken_ = false;
};

}  // namespace warpscope::testing
