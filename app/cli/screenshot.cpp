// `warpscope screenshot`: renders the window, or one view of it, to PNG or SVG files.
#include <fmt/format.h>

#include <memory>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/window_options.h"

namespace warpscope {
namespace {

Expected<ExitStatus> screenshotCommand(const WindowArguments& window, ScreenshotOptions options) {
  auto start = startOptions(window);
  if (!start) return tl::unexpected(start.error());
  options.start = std::move(*start);
#ifdef WARPSCOPE_HAS_GUI
  options.written = [](const std::filesystem::path& path) {
    print("{}\n", path.string());
    flushOutput();
  };
  return takeScreenshots(options).map([] { return kExitDone; });
#else
  return noWindow();
#endif
}

}  // namespace

void addScreenshotCommand(Command root) {
  auto options = std::make_shared<ScreenshotOptions>();
  Command command = root.subcommand("screenshot", "Render the window, or one view, to PNG or SVG");
  command.examples(R"(Examples:
  warpscope screenshot --family divergence --variant even_odd --output even_odd.png
  warpscope screenshot --view timeline --theme light --window-size 1920x1080 --output timeline.png
  warpscope screenshot --view occupancy --output occupancy.svg      shapes and text, to be edited
  xvfb-run -a warpscope screenshot --all pictures      every variant, dark and light, without a display
It needs a display; 'xvfb-run -a' makes one.)");
  const auto window = addWindowOptions(command);
  command.option(
      "--view", options->view,
      "timeline, code, occupancy, states, bandwidth, counters or one of --tab's; default: the window");
  command.option("--tab", options->tab,
                 "What the lanes' panel shows: lanes, mapping, banks, sectors, shuffle, tree, tail, "
                 "operations, slots or "
                 "values; default: "
                 "the family's own view");
  command
      .option("--output", options->output, "The picture to write: an SVG where it ends in .svg, else a PNG")
      .showDefault();
  command.option("--all", options->tour_folder,
                 "A picture of every variant in both themes, or of every step of a lesson, into this folder");
  command.option("--timeout", options->timeout_s, "Seconds to wait for a run").showDefault().positive();
  command.runs([window, options] { return screenshotCommand(*window, *options); });
}

}  // namespace warpscope
