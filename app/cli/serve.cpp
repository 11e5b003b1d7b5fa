// `warpscope serve`: the child process that holds the CUDA context; the window and the other subcommands
// start it.
#include "kernels/device/service/serve.h"

#include <unistd.h>

#include "app/cli/commands.h"

namespace warpscope {

void addServeCommand(Command root) {
  Command command =
      root.subcommand("serve", "Answer framed requests on stdin/stdout (used by warpscope itself)");
  command.examples(
      "warpscope starts this by itself: launches live in a process of their own, so that a crashed or hung\n"
      "GPU context never takes the window down.");
  command.runs([] { return static_cast<ExitStatus>(serve(STDIN_FILENO, STDOUT_FILENO)); });
}

}  // namespace warpscope
