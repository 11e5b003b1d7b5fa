#include "app/cli/picture_of_run.h"

#include "app/gui/gui.h"
#include "kernels/recording/session_file.h"
#ifdef WARPSCOPE_HAS_GUI
#include "app/gui/session.h"
#endif

namespace warpscope {
#ifdef WARPSCOPE_HAS_GUI
namespace {

// The run, as a window would show it at first.
Session sessionWith(const Run& run, const std::filesystem::path& file) {
  Session session;
  session.settings.device = fileDeviceId(file);
  session.settings.family = run.request.family;
  session.settings.families[run.request.family] = {run.request.variant, run.request.parameters, ""};
  if (!run.trace.warps.empty()) {
    const TraceWarp& first = run.trace.warps.front();
    session.view.selected_warp = WarpKey{first.block, first.warp_in_block};
  }
  session.run = std::make_shared<const Run>(run);
  return session;
}

// A session's first run is the one that it shows.
Expected<OpenedSession> whatIsShown(const RunPicture& picture, const RecordingIndex& index) {
  if (isSessionFile(picture.file)) {
    auto opened = openSession(picture.file);
    if (!opened || picture.number == 0) return opened;
    Session session = std::move(opened->session);
    session.settings.device = fileDeviceId(picture.file);
    const size_t kept = picture.number - (session.run == nullptr ? 0 : 1);
    if (kept >= session.kept.size())
      return fail(ErrorKind::kDamagedFile, "{} was changed while it was open", picture.file.string());
    session.run = session.kept[kept];
    const RunRequest& request = session.run->request;
    session.settings.family = request.family;
    session.settings.families[request.family] = {request.variant, request.parameters, ""};
    return prepareSession(std::move(session));
  }
  const auto run = index.load(picture.number);
  if (!run) return tl::unexpected(run.error());
  return prepareSession(sessionWith(*run, picture.file));
}

}  // namespace

Expected<void> pictureOf(const RunPicture& picture, const RecordingIndex& index) {
  auto shown = whatIsShown(picture, index);
  if (!shown) return tl::unexpected(shown.error());
  // The file is the device: it does not matter which devices exist here, or whether one is busy.
  const std::string device = fileDeviceId(picture.file);
  shown->session.settings.device = device;
  shown->session.device_name.clear();
  ScreenshotOptions options;
  options.start.device = device;
  options.start.recordings = {picture.file};
  options.view = picture.view;
  options.output = picture.output;
  options.svg = picture.svg;
  options.shown = std::make_shared<const OpenedSession>(std::move(*shown));
  return takePictureOfRun(options);
}
#else
Expected<void> pictureOf(const RunPicture&, const RecordingIndex&) {
  return fail(ErrorKind::kWorkFailed,
              "this program was built without the window (Dear ImGui, GLFW or glad was missing), which draws "
              "pictures; third_party/setup.sh installs them, then build again");
}
#endif

}  // namespace warpscope
