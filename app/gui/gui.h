// The window, as the command line starts it: `gui` opens it, `screenshot` renders it off-screen to PNG or SVG
// files. Nothing is printed: what there is to say is returned, or handed to the caller's functions. This
// header hides Dear ImGui, GLFW and OpenGL.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/metrics/selection.h"
#include "kernels/program/program.h"
#include "kernels/run/run.h"

namespace warpscope {

struct OpenedSession;  // app/gui/session.h

// The window's content at the start. A member left empty takes the value from when the window was last
// closed, or the default.
struct StartOptions {
  std::string device;  // DeviceDescription::id: "cuda:0", "recorded"
  std::string family, variant;
  ParameterValues parameters;      // of that family; values that are not offered move to the nearest that are
  std::string theme;               // "dark", "light", "contrast"
  std::string language;            // "en", "zh_CN"
  float scale = 0;                 // 0.75 .. 3; 0: not given
  uint32_t width = 0, height = 0;  // pixels; 0: not given
  DeviceOptions device_options;
  std::vector<std::filesystem::path> recordings;  // .wsrec files, each offered as a device of its own
  std::filesystem::path session;                  // .wssession to show; empty: none
  TraceSelection selection;                       // of the timeline; empty: as the session has it
  // A file of kernels to open; empty: none. The variant is then one of its kernels.
  std::filesystem::path program{};
  LoadOptions program_options{};   // of this and every other file
  std::filesystem::path lesson{};  // a lesson to play; empty: none
};

// Three things to try and recent files, over the views.
enum class StartPage { kNever, kUntilDismissed, kAlways };

struct GuiOptions {
  StartOptions start;
  StartPage start_page = StartPage::kNever;
  // Empty: $XDG_CONFIG_HOME/warpscope/settings.json (or ~/.config/...).
  std::filesystem::path settings_file;
  // Not empty: after each frame this file is replaced by a JSON of widget rectangles and state, for tests.
  std::filesystem::path report_file;
  // Hears of what failed although the window goes on, or was closed as usual; may be empty.
  std::function<void(const Error&)> warn{};
};

struct ScreenshotOptions {
  StartOptions start;  // settings are neither read nor written; size 1600 x 900 and scale 1 if not given
  std::string view;    // Pages::viewNames(); empty: the whole window
  std::string tab;     // what the lanes' panel shows: lanesTabs(); empty: the family's own view
  std::filesystem::path output = "warpscope.png";  // "x.svg": an SVG
  bool svg = false;                                // an SVG whatever the name
  // Not empty: a tour into this folder, FAMILY-VARIANT-THEME.png for every family (or the given one) in the
  // dark and the light theme (or the given one), one picture per variant; `output` is not used.
  std::filesystem::path tour_folder;
  double timeout_s = 60;  // for a run to arrive
  bool lesson_views =
      false;  // of a lesson's tour: each step's view in place of the window, without open questions
  // Shown instead of what `start` chooses, from which only the appearance is taken then; null: nothing. If it
  // has no file, the run's recording must be the only one in `start`.
  std::shared_ptr<const OpenedSession> shown;
  std::function<void(const std::filesystem::path&)> written;  // hears of each file; may be empty
};

// Errors of both: kWorkFailed (no display, a run failed, disk full), kBadRequest (unknown family, theme,
// view), kNoDevice.
Expected<void> runGui(const GuiOptions& options);
Expected<void> takeScreenshots(const ScreenshotOptions& options);
// Draws a picture of `shown` in a window that is not visible. Errors: no such view; no display or OpenGL.
Expected<void> takePictureOfRun(const ScreenshotOptions& options);

}  // namespace warpscope
