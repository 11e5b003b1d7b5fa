// The man page, made from the command line's description of itself.
#pragma once

#include <string>

#include "app/cli/command.h"

namespace warpscope {

// In the man macros of groff, section 1.
std::string manPage(const CommandDescription& program, const std::string& version);

}  // namespace warpscope
