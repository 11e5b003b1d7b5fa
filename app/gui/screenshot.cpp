// Pictures of the real window without showing it: the same application draws into an off-screen buffer once
// its run has arrived.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "app/gui/application.h"
#include "app/gui/gui.h"
#include "app/gui/pages/pages.h"
#include "app/gui/start.h"

namespace warpscope {
namespace {

constexpr uint32_t kPictureWidth = 1600, kPictureHeight = 900;

// Lets the application work until the run of the selected variant and all bars have arrived.
Expected<void> settle(Window& window, Application& application, double timeout_s) {
  Model& model = application.model();
  const double end_s = window.now() + timeout_s;
  const auto bars_missing = [&model] {
    return std::any_of(model.feed().variants().begin(), model.feed().variants().end(),
                       [](const VariantResult& result) {
                         return result.error.empty() && (result.run == nullptr || result.stale);
                       });
  };
  while (window.now() < end_s) {
    application.update();
    if (model.problem()) {
      const Problem& problem = *model.problem();
      return fail(problem.device_failed || model.devices().description() == nullptr ? ErrorKind::kNoDevice
                                                                                    : ErrorKind::kWorkFailed,
                  "{}: {}", problem.title, problem.detail);
    }
    if (model.feed().shown().run != nullptr && !model.feed().busy() && !bars_missing()) return {};
    if (model.feed().shown().run == nullptr && !model.feed().busy() && model.impossible() != nullptr) {
      return fail(ErrorKind::kBadRequest, "{} / {} cannot run: {}", model.choice().family().name,
                  model.choice().variant().name, model.impossible()->reason);
    }
    window.wait(0.02);
  }
  if (model.feed().shown().run != nullptr && !model.feed().busy())
    return {};  // a picture with missing bars says so itself
  return fail(ErrorKind::kWorkFailed, "no run of {} / {} arrived within {} s", model.choice().family().name,
              model.choice().variant().name, timeout_s);
}

// The lab and the plots start their sweeps in the background once they are seen.
void settleSweep(Window& window, Application& application, double timeout_s) {
  const double end_s = window.now() + timeout_s;
  while (application.model().sweep().runs().missing() > 0 && window.now() < end_s) {
    window.wait(0.02);
    application.update();
  }
}

// Runs are compared on another thread, and bars that race take a moment to come to rest.
void settlePage(Window& window, Application& application, double timeout_s) {
  const double end_s = window.now() + timeout_s;
  const Page& page = application.pages().find(application.screen().page);
  while (page.isMoving(application.ui()) && window.now() < end_s) {
    window.wait(0.02);
    application.update();
    application.frame();
  }
}

// Lane logs and the numbers of a selection are requested by the first frame that needs them, and made on
// other threads.
void settleDetails(Window& window, Application& application, double timeout_s) {
  const double end_s = window.now() + timeout_s;
  const Model& model = application.model();
  while ((model.lanes().pending() || model.values().pending() || model.selection().pending()) &&
         window.now() < end_s) {
    window.wait(0.02);
    application.update();
  }
}

// A lesson shows its step once there is a device, which takes some frames.
void settleLesson(Window& window, Application& application, double timeout_s) {
  if (!application.lessons().isOpen() && !application.lessons().opening()) return;
  const double end_s = window.now() + timeout_s;
  application.frame();
  while (application.pending() && window.now() < end_s) {
    window.wait(0.02);
    application.update();
    application.frame();
  }
}

Expected<void> takePicture(Window& window, Application& application, const ScreenshotOptions& options,
                           const std::filesystem::path& path) {
  const std::string& view = options.view;
  if (!options.tab.empty()) application.model().chooseLanesTab(options.tab);
  if (Page* page = application.pages().withView(view)) {  // a session may have been left on another one
    application.screen().page = page->name();
    page->show(application.ui(), view);
    Stage& stage = application.screen().stage;
    if (stage.alone() != view) stage.showAlone(page->name(), "");
    stage.chooseTab(page->name(), view);
  }
  settleLesson(window, application, options.timeout_s);
  application.frame();
  settleDetails(window, application, options.timeout_s);
  settleSweep(window, application, options.timeout_s);
  settlePage(window, application, options.timeout_s);
  // Layout and scrolling settle in the first frames.
  for (int i = 0; i < 3; ++i) application.frame();
  auto written = application.savePicture(path, view, options.svg);
  if (written && options.written) options.written(path);
  return written;
}

Expected<void> takeTour(Window& window, Application& application, const ScreenshotOptions& options) {
  std::vector<ThemeKind> themes{ThemeKind::kDark, ThemeKind::kLight};
  if (const auto theme = findTheme(options.start.theme)) themes = {*theme};
  Model& model = application.model();
  for (const FamilyInfo* family : model.choice().families()) {
    if (!options.start.family.empty() && family->name != options.start.family) continue;
    model.selectFamily(family->name);
    for (const VariantInfo& variant : family->variants) {
      if (!options.start.variant.empty() && variant.name != options.start.variant) continue;
      model.selectVariant(variant.name);
      if (auto settled = settle(window, application, options.timeout_s); !settled) return settled;
      for (const ThemeKind theme : themes) {
        application.screen().theme = theme;
        const std::string name =
            fmt::format("{}-{}-{}.png", family->name, variant.name, themeSettingsName(theme));
        if (auto taken = takePicture(window, application, options, options.tour_folder / name); !taken) {
          return taken;
        }
      }
    }
  }
  return {};
}

// Every step, and before it the question while it is open: 03-question.png, 03.png.
Expected<void> takeLesson(Window& window, Application& application, const ScreenshotOptions& options) {
  Lessons& lessons = application.lessons();
  const auto take = [&](const std::string& suffix) {
    const std::string name =
        fmt::format("{:02}{}.{}", lessons.model().index() + 1, suffix, options.svg ? "svg" : "png");
    ScreenshotOptions of_step = options;
    const LessonScene& scene = lessons.model().step().scene;
    if (options.lesson_views) of_step.view = scene.view.empty() ? familyOf(scene).view : scene.view;
    return takePicture(window, application, of_step, options.tour_folder / name);
  };
  for (size_t i = 0; i < lessons.model().lesson().steps.size(); ++i) {
    lessons.model().go(i);
    settleLesson(window, application, options.timeout_s);
    if (lessons.model().hasOpenQuestion()) {
      if (!options.lesson_views) {
        if (auto taken = take("-question"); !taken) return taken;
      }
      lessons.model().reveal();
    }
    if (auto taken = take(""); !taken) return taken;
  }
  return {};
}

Expected<void> checkView(const char* what, const std::string& view, std::span<const char* const> names) {
  if (view.empty() || std::ranges::find(names, view) != names.end()) return {};
  return fail(ErrorKind::kBadRequest, "there is no {} '{}': there are {}", what, view,
              fmt::join(names, ", "));
}

Expected<void> takeAll(const ScreenshotOptions& options) {
  auto checked = checkView("view", options.view, Pages().viewNames()).and_then([&] {
    return checkView("tab", options.tab, lanesTabs());
  });
  if (!checked) return checked;
  if (!options.start.lesson.empty()) {
    // Kernels of its own are compiled twice, here to say what is wrong with them.
    const auto lesson = readLesson(options.start.lesson);
    if (!lesson) return tl::unexpected(lesson.error());
  }
  Settings defaults;
  defaults.width = kPictureWidth;
  defaults.height = kPictureHeight;
  defaults.live = true;  // what is chosen runs at once
  const Expected<Settings> settings = settingsFor(options.start, defaults);
  if (!settings) return tl::unexpected(settings.error());
  auto window = Window::open({.width = settings->width, .height = settings->height, .visible = false});
  if (!window) return tl::unexpected(window.error());
  Application application(**window, options.start, *settings);
  if (options.shown != nullptr) application.show(*options.shown);
  if (auto settled = settle(**window, application, options.timeout_s); !settled) return settled;
  if (options.tour_folder.empty()) return takePicture(**window, application, options, options.output);
  return application.lessons().isOpen() ? takeLesson(**window, application, options)
                                        : takeTour(**window, application, options);
}

}  // namespace

Expected<void> takeScreenshots(const ScreenshotOptions& options) {
  return withoutExceptions([&]() -> Expected<void> {
    if (options.start.session.empty()) return takeAll(options);
    auto opened = openSession(options.start.session);
    if (!opened) return tl::unexpected(opened.error());
    ScreenshotOptions of_session = options;
    of_session.shown = std::make_shared<const OpenedSession>(std::move(*opened));
    return takeAll(of_session);
  });
}

Expected<void> takePictureOfRun(const ScreenshotOptions& options) {
  return withoutExceptions([&] { return takeAll(options); });
}

}  // namespace warpscope
