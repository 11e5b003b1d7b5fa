// The program: everything is a subcommand of one binary.
#include "app/cli/command_line.h"

int main(int argc, char** argv) {
  return warpscope::runCommandLine(argc, argv);
}
