#include "app/cli/window_options.h"

#include <fmt/format.h>

#include <cstdio>

#include "app/cli/output.h"
#include "app/cli/program_arguments.h"
#include "app/cli/selection_options.h"
#include "kernels/lesson/lesson_file.h"
#include "kernels/program/program.h"
#include "kernels/recording/session_file.h"

namespace warpscope {
namespace {

Expected<void> parseSize(const std::string& text, StartOptions& options) {
  int read = 0;
  if (std::sscanf(text.c_str(), "%ux%u%n", &options.width, &options.height, &read) != 2 ||
      static_cast<size_t>(read) != text.size() || options.width < 640 || options.height < 400 ||
      options.width > 16384 || options.height > 16384) {
    return fail(ErrorKind::kBadRequest,
                "--window-size: '{}' is not possible; it must be like 1600x900, at least 640x400", text);
  }
  return {};
}

Expected<ParameterValues> startParameters(const std::string& family, const std::string& variant,
                                          const ParameterTexts& texts) {
  if (texts.empty()) return ParameterValues{};
  if (family.empty()) return fail(ErrorKind::kBadRequest, "parameters need --family");
  const auto experiment = findExperiment(family);
  if (!experiment) return tl::unexpected(experiment.error());
  const FamilyInfo& info = (*experiment)->info();
  const auto requests =
      makeRequests(info, {variant.empty() ? info.variants.front().name : variant}, texts, RunRequest{});
  if (!requests) return tl::unexpected(requests.error());
  if (requests->size() != 1)
    return fail(ErrorKind::kBadRequest, "the window takes one value per parameter, not a list or range");
  return requests->front().parameters;
}

}  // namespace

std::shared_ptr<WindowArguments> addWindowOptions(Command command) {
  auto arguments = std::make_shared<WindowArguments>();
  command
      .option("recordings", arguments->recordings,
              "Recordings (.wsrec), a session (.wssession), a lesson (.md) or kernels of your own (.cu, "
              ".ptx) to open")
      .existingFile();
  command.option("--family", arguments->family, "Family to show");
  command.option("--variant", arguments->variant, "Variant to show");
  command.option("--theme", arguments->theme, "dark, light or contrast").oneOf({"dark", "light", "contrast"});
  command
      .option("--language", arguments->language,
              "en or zh_CN (Chinese); default: the one of last time, or as LANG says")
      .oneOf({"en", "zh_CN"});
  command.option("--scale", arguments->scale, "Scale of text and controls, 0.75 to 3").between(0.75F, 3.0F);
  addSelectOption(command, arguments->select, "Select this part of the run");
  command.option("--window-size", arguments->size, "Window size in pixels, like 1600x900");
  arguments->device = addDeviceOptions(command);
  addProgramOptions(command);
  arguments->parameters = addParameterOptions(command, "");
  return arguments;
}

Expected<StartOptions> startOptions(const WindowArguments& arguments) {
  StartOptions options{.device = arguments.device->id,
                       .family = arguments.family,
                       .variant = arguments.variant,
                       .theme = arguments.theme,
                       .language = arguments.language,
                       .scale = arguments.scale,
                       .device_options = arguments.device->options};
  for (const std::string& file : arguments.recordings) {
    if (isProgramFile(file)) {
      options.program = file;
    } else if (std::filesystem::path(file).extension() == kLessonEnding) {
      options.lesson = file;
    } else if (std::filesystem::path(file).extension() != ".wssession" && !isSessionFile(file)) {
      options.recordings.emplace_back(file);
    } else if (options.session.empty()) {
      options.session = file;
    } else {
      return fail(ErrorKind::kBadRequest, "{} and {}: the window shows one session at a time",
                  options.session.string(), file);
    }
  }
  auto program_options = programOptions();
  if (!program_options) return tl::unexpected(program_options.error());
  options.program_options = std::move(*program_options);
  auto selection = selectionOf(arguments.select);
  if (!selection) return tl::unexpected(selection.error());
  if (*selection) options.selection = std::move(**selection);
  if (!arguments.size.empty()) {
    const auto size = parseSize(arguments.size, options);
    if (!size) return tl::unexpected(size.error());
  }
  auto parameters = startParameters(arguments.family, arguments.variant, *arguments.parameters);
  if (!parameters) return tl::unexpected(parameters.error());
  options.parameters = std::move(*parameters);
  return options;
}

Expected<ExitStatus> openWindow(GuiOptions options) {
#ifdef WARPSCOPE_HAS_GUI
  options.warn = [](const Error& error) { printError("warpscope: {}\n", error.message); };
  return runGui(options).map([] { return kExitDone; });
#else
  static_cast<void>(options);
  return noWindow();
#endif
}

tl::unexpected<Error> noWindow() {
  return fail(ErrorKind::kWorkFailed,
              "this program was built without the window (Dear ImGui, GLFW or glad was missing); "
              "third_party/setup.sh installs them, then build again");
}

}  // namespace warpscope
