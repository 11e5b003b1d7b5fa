// `warpscope gui`: open the window.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/exit_status.h"
#include "app/cli/window_options.h"

namespace warpscope {
namespace {

int guiCommand(const WindowArguments& window, GuiOptions options) {
  auto start = startOptions(window);
  if (!start) {
    fmt::print(stderr, "warpscope: {}\n", start.error().message);
    return exitStatus(start.error());
  }
  options.start = std::move(*start);
#ifdef WARPSCOPE_HAS_GUI
  return runGui(options);
#else
  return reportNoWindow();
#endif
}

}  // namespace

void addGuiCommand(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<GuiOptions>();
  CLI::App* command = app.add_subcommand("gui", "Open the window (what `warpscope` alone does)");
  command->footer(R"(Examples:
  warpscope gui
  warpscope gui transpose.wsrec                        look at a recording
  warpscope gui lesson.wssession                       go on where a session was saved
  warpscope gui --family reduction --variant shuffle --block 512
  warpscope gui --theme light --scale 1.5              for a projector)");
  const auto window = addWindowOptions(*command);
  command->add_option("--settings", options->settings_file,
                      "Settings file; default: ~/.config/warpscope/settings.json");
  command->add_option("--report", options->report_file,
                      "Write each frame's widgets and state to this file as JSON (for tests)");
  command->callback([window, options, &exit_status] { exit_status = guiCommand(*window, *options); });
}

}  // namespace warpscope
