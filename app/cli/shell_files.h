// The man page and the shell completion, made from the command line's description of itself.
#pragma once

#include <string>

#include "app/cli/command.h"

namespace warpscope {

// The man page, in the man macros of groff, section 1.
std::string manPage(const CommandDescription& program, const std::string& version);

// A script for bash to source, which completes subcommands, options, families, and the choices of options
// that have some.
std::string bashCompletion(const CommandDescription& program);

}  // namespace warpscope
