// The operating system's window: GLFW, an OpenGL 3.3 core context, Dear ImGui's set-up, the wait for input,
// and reading pixels back. It knows nothing of what is drawn.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/error.h"
#include "viz/widgets/theme.h"

struct GLFWwindow;

namespace warpscope {

struct Language;

struct KeyPress {
  int key = 0;  // GLFW_KEY_*
  bool control = false, shift = false;
  bool repeated = false;
};

// What happens to keys and buttons between two frames, kept in order. Before 1.87 Dear ImGui looks only at
// how things are when a frame begins: where drawing one takes longer than a key is held, or than a click and
// the next move, it would miss them. Later versions queue everything themselves, and this stays empty.
struct HeldInput {
  std::vector<int> pressed;            // keys, since the last frame
  std::vector<int> released, due;      // of those: the coming frame still sees them down; the next does not
  std::optional<ImVec2> mouse;         // after the last movement
  std::vector<ImVec2> button_changes;  // where the mouse was at each; a frame takes one
  bool waits() const { return !released.empty() || !due.empty() || !button_changes.empty(); }
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

  // Loads style, and fonts where scale or language changed, anew; not between beginFrame and endFrame.
  void setTheme(ThemeKind kind, float scale);
  const Theme& theme() const { return theme_; }
  const Fonts& fonts() const { return fonts_; }

  // Waits for input or wake(), for at most `timeout_s` (negative: without end, 0: not at all).
  // True if there was input.
  bool wait(double timeout_s);
  static void wake();  // from any thread, while a window is open
  std::vector<KeyPress> takeKeys();
  std::vector<std::string> takeDrops();  // paths of files that were dropped onto the window together
  double now() const;                    // seconds since the window was opened

  void beginFrame();
  void render();   // ends Dear ImGui's frame and draws it
  void present();  // shows what was drawn
  Image pixels();  // of the frame rendered last; call before present()

 private:
  explicit Window(GLFWwindow* window);
  void installCallbacks();
  bool holdsRelease(int key, int action);  // the coming frame must still see it down
  Expected<void> makeOffscreenBuffer(uint32_t width, uint32_t height);

  GLFWwindow* window_;
  Theme theme_;
  Fonts fonts_;
  bool themed_ = false;
  const Language* language_ = nullptr;  // whose characters the fonts have
  bool input_ = true;
  std::vector<KeyPress> keys_;
  std::vector<std::string> drops_;
  HeldInput held_;
  uint32_t offscreen_ = 0, offscreen_colour_ = 0;  // OpenGL names; 0: draws to the window
  uint32_t offscreen_width_ = 0, offscreen_height_ = 0;
};

}  // namespace warpscope
