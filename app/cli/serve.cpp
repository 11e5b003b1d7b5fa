// `warpscope serve`: the child process that holds the CUDA context; started by the window and the other
// subcommands.
#include "kernels/device/service/serve.h"

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "app/cli/commands.h"

namespace warpscope {

void addServeCommand(CLI::App& app, int& exit_status) {
  CLI::App* command =
      app.add_subcommand("serve", "Answer framed requests on stdin/stdout (used by warpscope itself)");
  command->footer(
      "warpscope starts this by itself: launches live in a process of their own, so that a crashed or hung\n"
      "GPU context never takes the window down.");
  command->callback([&exit_status] { exit_status = serve(STDIN_FILENO, STDOUT_FILENO); });
}

}  // namespace warpscope
