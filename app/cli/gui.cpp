// `warpscope gui`: opens the window.
#include <fmt/format.h>

#include <memory>

#include "app/cli/commands.h"
#include "app/cli/window_options.h"

namespace warpscope {
namespace {

Expected<ExitStatus> guiCommand(const WindowArguments& window, bool start_page, GuiOptions options) {
  auto start = startOptions(window);
  if (!start) return tl::unexpected(start.error());
  options.start = std::move(*start);
  // Whoever names what to show wants to see that.
  const StartOptions& asked = options.start;
  const bool named = !asked.family.empty() || !asked.variant.empty() || !asked.session.empty() ||
                     !asked.recordings.empty() || !asked.program.empty() || !options.report_file.empty();
  options.start_page = start_page ? StartPage::kAlways
                       : named    ? StartPage::kNever
                                  : StartPage::kUntilDismissed;
  return openWindow(std::move(options));
}

}  // namespace

void addGuiCommand(Command root) {
  auto options = std::make_shared<GuiOptions>();
  Command command = root.subcommand("gui", "Open the window (what 'warpscope' alone does)");
  command.examples(R"(Examples:
  warpscope gui
  warpscope gui transpose.wsrec                        look at a recording
  warpscope gui mine.cu                                write a kernel of your own, and see its warps
  warpscope gui lesson.wssession                       continue where a session was saved
  warpscope gui --family reduction --variant shuffle --block 512
  warpscope gui --theme light --scale 1.5              for a projector)");
  const auto window = addWindowOptions(command);
  command.option("--settings", options->settings_file,
                 "Settings file; default: ~/.config/warpscope/settings.json");
  command.option("--report", options->report_file,
                 "Write each frame's widgets and state to this file as JSON (for tests)");
  const auto start_page = std::make_shared<bool>(false);
  command.flag("--start-page", *start_page, "Show the start page, even if it was closed before");
  command.runs([window, start_page, options] { return guiCommand(*window, *start_page, *options); });
}

}  // namespace warpscope
