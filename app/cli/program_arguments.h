// A user's own file in place of a family: `warpscope run mine.cu --n 2^20`. The file is read before options
// are, as its parameters become options.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "kernels/core/error.h"
#include "kernels/program/program.h"

namespace warpscope {

// Adds the programs that the arguments of a subcommand name, and puts the names of their families in place of
// the files. `warpscope mine.cu` becomes `warpscope gui mine.cu`. Other arguments stay as they are.
// Errors: those of loadProgram. Warnings of the compiler go to standard error.
Expected<std::vector<std::string>> withPrograms(std::vector<std::string> arguments);

// The options of programs, for the subcommands that take files. withPrograms() reads them before they are
// parsed.
void addProgramOptions(Command command);
// The options that were parsed. The window asks for them, because it compiles files itself.
Expected<LoadOptions> programOptions();

}  // namespace warpscope
