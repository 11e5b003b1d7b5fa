// Runs a window from its start to its end: loads the settings, draws frames while there is something to draw,
// and saves the settings. While it is idle, without input or news, no frame is drawn. runGui() steps it until
// the user closes the window; window tests step it themselves, with a window of their own.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "app/gui/application.h"

namespace warpscope {

// Saves the settings once they have not changed for a moment, and at the end.
class SettingsKeeper {
 public:
  SettingsKeeper(std::filesystem::path path, Settings saved)
      : path_(std::move(path)), saved_(std::move(saved)) {}

  const Settings& saved() const { return saved_; }
  // Seconds until the next save is due; negative: there is nothing to save.
  double dueIn(const Settings& now, double now_s);
  Expected<void> save(const Settings& now);

 private:
  std::filesystem::path path_;
  Settings saved_;
  std::optional<Settings> changed_;
  double changed_at_s_ = 0;
};

class FrameLoop {
 public:
  using OpenWindow = std::function<Expected<std::unique_ptr<Window>>(const WindowOptions&)>;

  // Errors: an option names something that does not exist; no window can be opened.
  static Expected<std::unique_ptr<FrameLoop>> start(const GuiOptions& options, const OpenWindow& open);

  // Waits for input, news or the next due time, then draws a frame if there is something to draw. True: it
  // drew one.
  bool step();
  // Seconds until it draws again without input or news; negative: it does not.
  double nextFrameIn() const;
  // Saves the settings.
  Expected<void> finish();

  Window& window() { return *window_; }
  Application& application() { return application_; }
  const Application& application() const { return application_; }

 private:
  FrameLoop(std::unique_ptr<Window> window, const GuiOptions& options, const Settings& settings,
            SettingsKeeper keeper);
  void showSession();

  GuiOptions options_;
  std::unique_ptr<Window> window_;
  SettingsKeeper keeper_;
  Application application_;
  int frames_wanted_;
};

}  // namespace warpscope
