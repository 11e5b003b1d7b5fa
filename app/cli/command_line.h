// The command line: an explicit list of subcommands, one file each. To add one: its file, a line in
// commands.h and in command_line.cpp, and a test in tests/unit/cli_test.cpp.
#pragma once

namespace warpscope {

// Returns the exit status (exit_status.h).
int runCommandLine(int argc, char** argv);

}  // namespace warpscope
