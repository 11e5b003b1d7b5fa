// `warpscope screenshot`: render the window, or one view of it, to PNG or SVG files.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/exit_status.h"
#include "app/cli/window_options.h"

namespace warpscope {
namespace {

int screenshotCommand(const WindowArguments& window, ScreenshotOptions options) {
  auto start = startOptions(window);
  if (!start) {
    fmt::print(stderr, "warpscope: {}\n", start.error().message);
    return exitStatus(start.error());
  }
  options.start = std::move(*start);
#ifdef WARPSCOPE_HAS_GUI
  return takeScreenshots(options);
#else
  return reportNoWindow();
#endif
}

}  // namespace

void addScreenshotCommand(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<ScreenshotOptions>();
  CLI::App* command = app.add_subcommand("screenshot", "Render the window, or one view, to PNG or SVG");
  command->footer(R"(Examples:
  warpscope screenshot --family divergence --variant even_odd --output even_odd.png
  warpscope screenshot --view timeline --theme light --window-size 1920x1080 --output timeline.png
  warpscope screenshot --view occupancy --output occupancy.svg      shapes and text, to be edited
  xvfb-run -a warpscope screenshot --all pictures      every variant, dark and light, without a display
It needs a display; `xvfb-run -a` makes one.)");
  const auto window = addWindowOptions(*command);
  command->add_option(
      "--view", options->view,
      "timeline, code, occupancy, states, bandwidth, counters or one of --tab's; default: the window");
  command->add_option(
      "--tab", options->tab,
      "What the lanes' panel shows: lanes, mapping, banks, sectors, shuffle, tree or tail; default: "
      "the family's own view");
  command
      ->add_option("--output", options->output,
                   "The picture to write: an SVG where it ends in .svg, else a PNG")
      ->capture_default_str();
  command->add_option("--all", options->tour_folder,
                      "A picture of every variant in both themes, into this folder");
  command->add_option("--timeout", options->timeout_s, "Seconds to wait for a run")->capture_default_str();
  command->callback([window, options, &exit_status] { exit_status = screenshotCommand(*window, *options); });
}

}  // namespace warpscope
