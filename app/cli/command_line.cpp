#include "app/cli/command_line.h"

#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/program_arguments.h"
#include "app/cli/window_options.h"

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
  warpscope run mine.cu --n 2^20                a kernel of your own, in CUDA C++ or PTX
  warpscope sweep reduction --block 32..1024:32 --output blocks    a grid of settings; can be resumed
Each subcommand has --help with more.)";

// In the order in which the help lists them.
constexpr void (*kSubcommands[])(Command root) = {
    addGuiCommand,        addDevicesCommand,   addListCommand,      addRunCommand,     addExecCommand,
    addLanesCommand,      addRecordCommand,    addShowCommand,      addCompareCommand, addSweepCommand,
    addMergeCommand,      addExportCommand,    addOccupancyCommand, addCheckCommand,   addPairsCommand,
    addScreenshotCommand, addCalibrateCommand, addPtxCommand,       addServeCommand,   addNvrtcCommand,
    addLessonCommand,     addHelpCommand};

#ifdef WARPSCOPE_HAS_GUI
bool hasDisplay() {
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  return set("DISPLAY") || set("WAYLAND_DISPLAY");
}
#endif

Expected<ExitStatus> withoutSubcommand(const Command& root) {
#ifdef WARPSCOPE_HAS_GUI
  if (hasDisplay()) return openWindow({.start_page = StartPage::kUntilDismissed});
#endif
  print("{}\nThere is no display here, so no window; 'warpscope run', 'record' and 'show' need none.\n",
        root.help());
  return kExitDone;
}

Expected<ExitStatus> runSubcommand(int argc, char** argv) {
  const auto arguments = withPrograms({argv, argv + argc});
  if (!arguments) return tl::unexpected(arguments.error());
  CommandLine line("warpscope", "warpscope shows how the warps of CUDA kernels really execute.",
                   "warpscope " WARPSCOPE_VERSION);
  Command root = line.root();
  root.examples(kExamples);
  for (const auto add : kSubcommands) add(root);
  root.runs([root] { return withoutSubcommand(root); });
  std::vector<const char*> given;
  for (const std::string& argument : *arguments) given.push_back(argument.c_str());
  const auto action = line.parse(static_cast<int>(given.size()), given.data());
  if (!action) return tl::unexpected(action.error());
  return (*action)();
}

// Errors are values here; an exception is a defect of this program or of a library, or a lack of memory. Even
// then the user reads what happened, and scripts see an exit status.
Expected<ExitStatus> withoutExceptions(int argc, char** argv) {
  try {
    return runSubcommand(argc, argv);
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::kWorkFailed, "there is not enough memory for this");
  } catch (const std::exception& exception) {
    return fail(ErrorKind::kWorkFailed, "this is a defect of warpscope: {}", exception.what());
  } catch (...) {
    return fail(ErrorKind::kWorkFailed, "this is a defect of warpscope: an unknown exception");
  }
}

int reported(const Error& error) {
  printError("warpscope: {}\n", error.message);
  return exitStatus(error);
}

}  // namespace

int runCommandLine(int argc, char** argv) {
  openStandardStreams();
  // A file that grows beyond the limit of `ulimit -f` is an error like a full disk, not a signal that kills.
  std::signal(SIGXFSZ, SIG_IGN);
  const auto done = withoutExceptions(argc, argv);
  const int status = done ? *done : reported(done.error());
  const auto written = finishOutput();
  // The first failure determines the exit status.
  if (!written) return status == kExitDone ? reported(written.error()) : (reported(written.error()), status);
  return status;
}

}  // namespace warpscope
