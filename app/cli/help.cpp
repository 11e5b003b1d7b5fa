// `warpscope help`: a subcommand's help; and the man page and the shell completion, which the package
// installs.
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/shell_files.h"

namespace warpscope {
namespace {

struct HelpArguments {
  std::string command, shell;
  bool man_page = false;
};

Expected<ExitStatus> helpCommand(const Command& root, const HelpArguments& arguments) {
  if (arguments.man_page) {
    print("{}", manPage(root.describe(), WARPSCOPE_VERSION));
  } else if (!arguments.shell.empty()) {
    print("{}", bashCompletion(root.describe()));
  } else {
    const auto help = root.helpOf(arguments.command);
    if (!help) return fail(ErrorKind::kBadRequest, "there is no subcommand '{}'", arguments.command);
    print("{}", *help);
  }
  return kExitDone;
}

}  // namespace

void addHelpCommand(Command root) {
  auto arguments = std::make_shared<HelpArguments>();
  Command command =
      root.subcommand("help", "Print the help of a subcommand, the man page or shell completion");
  command.examples(R"(Examples:
  warpscope help run
  warpscope help --man | man -l -
  source <(warpscope help --completion bash))");
  command.hide();
  command.option("command", arguments->command, "Subcommand; default: the program");
  Option man_page = command.flag("--man", arguments->man_page, "Print the man page");
  command.option("--completion", arguments->shell, "Print the completion of this shell")
      .oneOf({"bash"})
      .excludes(man_page);
  command.runs([root, arguments] { return helpCommand(root, *arguments); });
}

}  // namespace warpscope
