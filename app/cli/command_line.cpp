#include "app/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>

#include "app/cli/commands.h"
#include "app/cli/exit_status.h"
#include "app/gui/gui.h"

namespace warpscope {
namespace {

constexpr const char* kExamples = R"(Examples:
  warpscope                                     the window
  warpscope devices                             what can run here, and why the rest cannot
  warpscope run reduction --variant all         every variant at the default settings
  warpscope run divergence --variant even_odd,warp_aligned --block 256 --json
  warpscope record transpose --output t.wsrec   keep runs in a file
  warpscope show t.wsrec                        and look at their numbers
  warpscope compare reduction                   a race of all variants, and why the slow ones are slow
  warpscope sweep reduction --block 32..1024:32 --output blocks    a grid of settings; goes on after a stop
Each subcommand has --help with more.)";

#ifdef WARPSCOPE_HAS_GUI
bool hasDisplay() {
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  return set("DISPLAY") || set("WAYLAND_DISPLAY");
}
#endif

int withoutSubcommand(const CLI::App& app) {
#ifdef WARPSCOPE_HAS_GUI
  if (hasDisplay()) return runGui({});
#endif
  fmt::print("{}\nThere is no display here, so no window; `warpscope run`, `record` and `show` need none.\n",
             app.help());
  return kExitDone;
}

}  // namespace

int runCommandLine(int argc, char** argv) {
  // A file that grows over the limit of `ulimit -f` is an error as a full disk is, not a signal that kills.
  std::signal(SIGXFSZ, SIG_IGN);
  int exit_status = kExitDone;
  CLI::App app("warpscope shows how the warps of CUDA kernels really execute.", "warpscope");
  app.footer(kExamples);
  app.set_version_flag("--version", "warpscope " WARPSCOPE_VERSION);
  app.require_subcommand(0, 1);
  for (const auto add :
       {addGuiCommand, addDevicesCommand, addListCommand, addRunCommand, addExecCommand, addLanesCommand,
        addRecordCommand, addShowCommand, addCompareCommand, addSweepCommand, addMergeCommand,
        addExportCommand, addOccupancyCommand, addCheckCommand, addScreenshotCommand, addCalibrateCommand,
        addPtxCommand, addServeCommand}) {
    add(app, exit_status);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11 prints help on stdout and errors on stderr; every error of the command line is a bad request.
    return app.exit(error) == 0 ? kExitDone : kExitBadRequest;
  }
  return app.get_subcommands().empty() ? withoutSubcommand(app) : exit_status;
}

}  // namespace warpscope
