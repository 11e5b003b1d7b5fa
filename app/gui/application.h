// The program without its window: the model, the screen and what connects them (settings, report, pictures).
// The interactive window and the off-screen screenshots are the same application, driven differently.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/gui/actions.h"
#include "app/gui/files.h"
#include "app/gui/find/finder.h"
#include "app/gui/focus.h"
#include "app/gui/gui.h"
#include "app/gui/lesson/lessons.h"
#include "app/gui/model/model.h"
#include "app/gui/pages/pages.h"
#include "app/gui/programs.h"
#include "app/gui/settings.h"
#include "app/gui/window.h"

namespace warpscope {

class Json;

class Application {
 public:
  Application(Window& window, const StartOptions& options, const Settings& settings);

  Model& model() { return model_; }
  const Model& model() const { return model_; }
  const Report& report() const { return report_; }
  ScreenState& screen() { return state_; }
  const Pages& pages() const { return pages_; }
  const Actions& actions() const { return actions_; }
  Ui ui();  // what pages get
  Files& files() { return files_; }
  Programs& programs() { return programs_; }
  Lessons& lessons() { return lessons_; }
  Session session() const;  // what is on screen
  void show(const OpenedSession& opened);

  // Takes what the workers have brought; true if there is something to draw.
  bool update();
  // Work is in progress on another thread: a later update() will take its result.
  bool pending() const;
  // Draws one frame without presenting it. `edges`: hard for an SVG, else smooth.
  enum class Edges { kSmooth, kHard };
  void frame(Edges edges = Edges::kSmooth);
  void presented();  // to be called after the frame was presented
  // For tests: what is chosen, shown and in progress, the number of the last frame, and its widgets'
  // rectangles and texts.
  Json state() const;
  Json describe() const;
  uint64_t frames() const { return frames_; }
  void writeReport(const std::filesystem::path& path);  // the same as a file; a failure is shown, once
  void savePictureIfAsked();
  // Saves the view of that name, or the whole window (""), as the last frame drew it: as SVG if the path ends
  // so or `svg` is true, else as PNG. An SVG draws another frame. Errors: the view was not drawn; the file
  // cannot be written.
  Expected<void> savePicture(const std::filesystem::path& path, const std::string& view, bool svg = false);
  // Seconds until a frame must be drawn even without input; negative: none must.
  double redrawIn() const;
  Settings settings(const Settings& before) const;
  void show(const std::string& notice, double seconds);
  double frameMedian_ms() const;

 private:
  bool compareFiles(const std::vector<std::filesystem::path>& paths);  // false: one cannot be read
  void changeLanguage();  // to the requested one, or shows why that is impossible

  Window& window_;
  Model model_;
  Pages pages_;
  Actions actions_;
  ScreenState state_;
  Report report_;
  Focus focus_;
  Files files_;
  Programs programs_;
  Lessons lessons_;
  Finder finder_;
  TraceSelection selection_over_session_;  // asked for at the start, until the session is shown
  uint64_t frames_ = 0;
  double first_frame_ms_ = 0;
  const Run* pictured_ = nullptr;  // the run of the last presented frame; only compared
  uint64_t pictured_ticket_ = 0;
  std::vector<double> frame_cpu_ms_;  // the last hundred, as a ring
  bool report_failed_ = false;
  int picture_waits_frames_ = 0;  // until the menu that asked for it is gone
};

// Milliseconds since this process was started.
double sinceProcessStart_ms();

}  // namespace warpscope
