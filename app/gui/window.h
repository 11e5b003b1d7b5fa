// The operating system's window: GLFW, an OpenGL 3.3 core context, Dear ImGui's set-up, the wait for input,
// and reading pixels back. It knows nothing of what is drawn.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/core/error.h"
#include "viz/widgets/theme.h"

struct GLFWwindow;

namespace warpscope {

struct KeyPress {
  int key = 0;  // GLFW_KEY_*
  bool control = false, shift = false;
  bool repeated = false;
};

struct Image {
  uint32_t width = 0, height = 0;
  std::vector<uint8_t> rgb;  // rows from the top
};

struct WindowOptions {
  std::string title = "warpscope";
  uint32_t width = 1600, height = 900;
  bool visible = true;  // else frames go to an off-screen buffer of exactly that size
};

class Window {
 public:
  // Errors: no display, no OpenGL 3.3. One window at a time.
  static Expected<std::unique_ptr<Window>> open(const WindowOptions& options);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  bool closing() const;
  void setTitle(const std::string& title);
  ImVec2 size() const;          // in pixels of the framebuffer
  ImVec2 sizeOnScreen() const;  // what open() takes

  // Loads fonts and style anew; not between beginFrame and endFrame.
  void setTheme(ThemeKind kind, float scale);
  const Theme& theme() const { return theme_; }
  const Fonts& fonts() const { return fonts_; }

  // Waits for input or wake(), for at most `timeout_s` (negative: without end, 0: not at all).
  // True if there was input.
  bool wait(double timeout_s);
  static void wake();  // from any thread, while a window is open
  std::vector<KeyPress> takeKeys();
  double now() const;  // seconds since the window was opened

  void beginFrame();
  void render();   // ends Dear ImGui's frame and draws it
  void present();  // shows what was drawn
  Image pixels();  // of the frame rendered last; call before present()

 private:
  explicit Window(GLFWwindow* window);
  void installCallbacks();
  Expected<void> makeOffscreenBuffer(uint32_t width, uint32_t height);

  GLFWwindow* window_;
  Theme theme_;
  Fonts fonts_;
  bool themed_ = false;
  bool input_ = true;
  std::vector<KeyPress> keys_;
  uint32_t offscreen_ = 0, offscreen_colour_ = 0;  // OpenGL names; 0: draws to the window
  uint32_t offscreen_width_ = 0, offscreen_height_ = 0;
};

}  // namespace warpscope
