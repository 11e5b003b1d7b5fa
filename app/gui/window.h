// A window as the application sees it: Dear ImGui's context, theme and fonts, waiting for input, and the
// pixels of a frame. It knows nothing of what is drawn. Window::open() opens one on the desktop (GLFW and
// OpenGL); tests provide their own, whose events and clock they control (tests/gui/injected_window.h).
#pragma once

#include <imgui.h>

#include <cfloat>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/core/error.h"
#include "viz/widgets/theme.h"

namespace warpscope {

struct Language;

struct KeyPress {
  int key = 0;  // GLFW_KEY_*
  bool control = false, shift = false, alt = false;
  bool repeated = false;
  std::string text = {};  // that it typed, UTF-8
};

// What stands for the mouse in a frame, when the keyboard moves it.
struct Pointer {
  ImVec2 at;
  bool down = false;   // the left button
  bool right = false;  // the right one
  float wheel = 0;     // notches, away from the user
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
  // Opens a window on the desktop. Errors: no display, no OpenGL 3.3. One window at a time.
  static Expected<std::unique_ptr<Window>> open(const WindowOptions& options);
  virtual ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  virtual bool closing() const = 0;
  virtual ImVec2 size() const = 0;          // in pixels of the framebuffer
  virtual ImVec2 sizeOnScreen() const = 0;  // what open() takes

  // A text that will be shown and is in no catalogue: its characters are in the fonts from setTheme() on.
  void willShow(const std::string& text);
  // Loads the style, and the fonts if scale, language or that text changed; not between beginFrame and
  // endFrame.
  void setTheme(ThemeKind kind, float scale);
  const Theme& theme() const { return theme_; }
  const Fonts& fonts() const { return fonts_; }

  // Waits for input or wake(), for at most `timeout_s` (negative: without limit, 0: not at all). True if
  // there was input.
  virtual bool wait(double timeout_s) = 0;
  virtual void wake() = 0;         // from any thread
  virtual double now() const = 0;  // seconds since the window was opened
  std::vector<KeyPress> takeKeys();
  std::vector<std::string> takeDrops();  // paths of files that were dropped onto the window together

  // In the coming frames the pointer is there instead of the mouse; nullopt: the mouse again.
  void setPointer(const std::optional<Pointer>& pointer) { pointer_ = pointer; }
  // The mouse itself was moved or pressed while something stood for it; asked once.
  bool takeMouseMoved() { return std::exchange(mouse_moved_, false); }

  virtual void beginFrame() = 0;
  virtual void render() = 0;   // ends Dear ImGui's frame and draws it
  virtual void present() = 0;  // shows what was drawn
  virtual Image pixels() = 0;  // of the frame rendered last; call before present()

 protected:
  Window();  // makes Dear ImGui's context, which the destructor destroys after everything of the derived
             // window
  virtual void uploadFonts() = 0;     // the font atlas has been filled again
  void startFrame();                  // Dear ImGui's, with the pointer in its place
  void addTyped(unsigned character);  // by the last key of keys_

  std::vector<KeyPress> keys_;      // since takeKeys()
  std::vector<std::string> drops_;  // since takeDrops()

 private:
  void placeInState();  // before 1.87
  void placeInQueue();

  Theme theme_;
  Fonts fonts_;
  std::optional<Pointer> pointer_, placed_;  // the second: in the last frame
  ImVec2 mouse_{-FLT_MAX, -FLT_MAX};         // itself
  bool mouse_moved_ = false;
  bool themed_ = false;
  std::string shown_text_;
  const Language* language_ = nullptr;  // whose characters the fonts have
};

}  // namespace warpscope
