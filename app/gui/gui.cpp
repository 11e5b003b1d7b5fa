// The interactive window: open, loop, remember. Idle is idle: without input or news no frame is drawn.
#include "app/gui/gui.h"

#include <algorithm>
#include <cstdio>

#include "app/gui/application.h"
#include "app/gui/start.h"
#include "app/gui/termination.h"

namespace warpscope {
namespace {

constexpr int kFramesAfterInput = 3;       // Dear ImGui settles hover and layout within these
constexpr double kBusyFrame_s = 1.0 / 20;  // progress needs no more
constexpr double kSaveSettingsAfter_s = 2;

// Saves what is remembered once it has not changed for a moment, and at the end.
class SettingsKeeper {
 public:
  SettingsKeeper(std::filesystem::path path, Settings saved)
      : path_(std::move(path)), saved_(std::move(saved)) {}

  const Settings& saved() const { return saved_; }
  // Seconds until the next save is due; negative: nothing to save.
  double dueIn(const Settings& now, double now_s) {
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
  Expected<void> save(const Settings& now) {
    saved_ = now;  // not tried again and again where it fails
    changed_.reset();
    return saveSettings(path_, now);
  }

 private:
  std::filesystem::path path_;
  Settings saved_;
  std::optional<Settings> changed_;
  double changed_at_s_ = 0;
};

double soonest(double a, double b) {
  if (a < 0) return b;
  return b < 0 ? a : std::min(a, b);
}

void loop(Window& window, Application& application, SettingsKeeper& keeper, const GuiOptions& options) {
  int frames_wanted = kFramesAfterInput;
  const TerminationWatch termination([] { Window::wake(); });
  while (!window.closing() && !termination.requested()) {
    const double save_in = keeper.dueIn(application.settings(keeper.saved()), window.now());
    double timeout = soonest(application.redrawIn(), save_in);
    if (application.model().feed().busy()) timeout = soonest(timeout, kBusyFrame_s);
    if (window.wait(frames_wanted > 0 ? 0 : timeout)) frames_wanted = kFramesAfterInput;
    if (application.update()) frames_wanted = std::max(frames_wanted, kFramesAfterInput - 1);
    if (application.model().feed().busy()) frames_wanted = std::max(frames_wanted, 1);
    // A tooltip or notice measures itself in its first frame and is seen in the second.
    if (application.redrawIn() == 0) frames_wanted = std::max(frames_wanted, 2);
    if (save_in == 0) {
      const auto saved = keeper.save(application.settings(keeper.saved()));
      if (!saved) application.show(saved.error().message, 8);
    }
    if (frames_wanted == 0) continue;
    --frames_wanted;
    application.frame();
    application.savePictureIfAsked();
    window.present();
    if (!options.report_file.empty()) application.writeReport(options.report_file);
  }
}

// The session of the command line, before the first frame; what cannot be read leaves the window as it would
// be.
void showSession(Application& application, const StartOptions& start) {
  if (start.session.empty()) return;
  auto opened = openSession(start.session);
  if (!opened) {
    reportError(opened.error());
    application.show("✗ " + opened.error().message, 20);
    return;
  }
  if (!start.device.empty()) {  // any GPU of that id will do
    opened->session.settings.device = start.device;
    opened->session.device_name.clear();
  }
  application.files().show(*opened);
}

Expected<void> openAndLoop(const GuiOptions& options) {
  const std::filesystem::path settings_file =
      options.settings_file.empty() ? defaultSettingsFile() : options.settings_file;
  LoadedSettings loaded = loadSettings(settings_file);
  const Expected<Settings> settings = settingsFor(options.start, loaded.settings);
  if (!settings) return tl::unexpected(settings.error());
  auto window = Window::open({.width = settings->width, .height = settings->height});
  if (!window) return tl::unexpected(window.error());

  SettingsKeeper keeper(settings_file, std::move(loaded.settings));
  Application application(**window, options.start, *settings);
  if (!loaded.note.empty()) application.show(loaded.note, 12);
  showSession(application, options.start);
  loop(**window, application, keeper, options);
  const auto saved = keeper.save(application.settings(keeper.saved()));
  if (!saved) reportError(saved.error());  // the window did its work all the same
  return {};
}

}  // namespace

int runGui(const GuiOptions& options) {
  const auto done = withoutExceptions([&] { return openAndLoop(options); });
  return done ? 0 : reportError(done.error());
}

}  // namespace warpscope
