// The completion for a shell, made from the command line's description of itself.
#pragma once

#include <string>

#include "app/cli/command.h"

namespace warpscope {

// A script for bash to source: subcommands, options, families, and the choices of options that have some.
std::string bashCompletion(const CommandDescription& program);

}  // namespace warpscope
