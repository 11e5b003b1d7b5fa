// `warpscope nvrtc`: the child process that compiles with NVIDIA's library; the compiling subcommands start
// it.
#include <memory>

#include "app/cli/commands.h"
#include "kernels/compile/nvrtc_library.h"

namespace warpscope {

void addNvrtcCommand(Command root) {
  struct Arguments {
    std::string input, output;
    std::vector<std::string> options;
  };
  Command command = root.subcommand("nvrtc", "Compile a file with NVIDIA's NVRTC (used by warpscope itself)");
  command.examples(
      "warpscope starts this by itself: a compiler that hangs or takes all memory is ended with its "
      "process.");
  const auto arguments = std::make_shared<Arguments>();
  command.option("input", arguments->input, "CUDA C++").required();
  command.option("output", arguments->output, "PTX, which is written").required();
  command.option("options", arguments->options, "NVRTC's options, after --");
  command.hide();
  command.runs([arguments] {
    return static_cast<ExitStatus>(
        compileInThisProcess(arguments->input, arguments->output, arguments->options));
  });
}

}  // namespace warpscope
