#include "app/gui/frame_loop.h"

#include <algorithm>

#include "app/gui/start.h"

namespace warpscope {
namespace {

constexpr int kFramesToSettle = 3;         // Dear ImGui settles hover, layout and scroll bars within these
constexpr double kBusyFrame_s = 1.0 / 20;  // progress needs no more
constexpr double kSaveSettingsAfter_s = 2;

double soonest(double a, double b) {
  if (a < 0) return b;
  return b < 0 ? a : std::min(a, b);
}

}  // namespace

double SettingsKeeper::dueIn(const Settings& now, double now_s) {
  if (now == saved_) {
    changed_.reset();
    return -1;
  }
  if (!changed_ || !(*changed_ == now)) {
    changed_ = now;
    changed_at_s_ = now_s;
  }
  return std::max(0.0, changed_at_s_ + kSaveSettingsAfter_s - now_s);
}

Expected<void> SettingsKeeper::save(const Settings& now) {
  saved_ = now;  // a failed save is not repeated
  changed_.reset();
  return saveSettings(path_, now);
}

Expected<std::unique_ptr<FrameLoop>> FrameLoop::start(const GuiOptions& options, const OpenWindow& open) {
  const std::filesystem::path settings_file =
      options.settings_file.empty() ? defaultSettingsFile() : options.settings_file;
  LoadedSettings loaded = loadSettings(settings_file);
  const Expected<Settings> settings = settingsFor(options.start, loaded.settings);
  if (!settings) return tl::unexpected(settings.error());
  auto window = open({.width = settings->width, .height = settings->height});
  if (!window) return tl::unexpected(window.error());
  std::unique_ptr<FrameLoop> loop(new FrameLoop(std::move(*window), options, *settings,
                                                SettingsKeeper(settings_file, std::move(loaded.settings))));
  if (!loaded.note.empty()) loop->application_.show(loaded.note, 12);
  loop->showSession();
  ScreenState& screen = loop->application_.screen();
  screen.start_page_open =
      options.start_page == StartPage::kAlways ||
      (options.start_page == StartPage::kUntilDismissed && !settings->start_page_dismissed);
  return loop;
}

FrameLoop::FrameLoop(std::unique_ptr<Window> window, const GuiOptions& options, const Settings& settings,
                     SettingsKeeper keeper)
    : options_(options),
      window_(std::move(window)),
      keeper_(std::move(keeper)),
      application_(*window_, options.start, settings),
      frames_wanted_(kFramesToSettle) {}

// Shows the command line's session before the first frame; if it cannot be read, the window starts as without
// it.
void FrameLoop::showSession() {
  const StartOptions& start = options_.start;
  if (start.session.empty()) return;
  auto opened = openSession(start.session);
  if (!opened) {
    if (options_.warn) options_.warn(opened.error());
    application_.show("✗ " + opened.error().message, 20);
    return;
  }
  if (!start.device.empty()) {  // any GPU with that id will do
    opened->session.settings.device = start.device;
    opened->session.device_name.clear();
  }
  application_.files().show(*opened);
}

bool FrameLoop::step() {
  const double save_in = keeper_.dueIn(application_.settings(keeper_.saved()), window_->now());
  const bool input = window_->wait(soonest(nextFrameIn(), save_in));
  const bool news = application_.update();
  if (input || news) frames_wanted_ = kFramesToSettle;
  if (application_.model().feed().busy()) frames_wanted_ = std::max(frames_wanted_, 1);
  // A tooltip or notice is measured in its first frame and visible in the second.
  if (application_.redrawIn() == 0) frames_wanted_ = std::max(frames_wanted_, 2);
  if (save_in == 0) {
    const auto saved = keeper_.save(application_.settings(keeper_.saved()));
    if (!saved) application_.show(saved.error().message, 8);
  }
  if (frames_wanted_ == 0) return false;
  --frames_wanted_;
  application_.frame();
  application_.savePictureIfAsked();
  window_->present();
  application_.presented();
  if (!options_.report_file.empty()) application_.writeReport(options_.report_file);
  return true;
}

double FrameLoop::nextFrameIn() const {
  if (frames_wanted_ > 0) return 0;
  return application_.model().feed().busy() ? soonest(application_.redrawIn(), kBusyFrame_s)
                                            : application_.redrawIn();
}

Expected<void> FrameLoop::finish() {
  return keeper_.save(application_.settings(keeper_.saved()));
}

}  // namespace warpscope
