// A reference for a user's kernel that runs on the host: a function of the same file with the kernel's
// parameters, compiled by the host's compiler and called in a child process, which a crash or an endless loop
// does not outlive.
#pragma once

#include <string>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/experiments/experiment.h"
#include "kernels/run/program.h"

namespace warpscope {

// Calls `function` with the plan's arguments, pointers to copies of its buffers in place of device addresses.
// Returns the content of every output and in-out buffer afterwards, in order. Errors: there is no compiler,
// it refuses the file, there is no such function, it crashes or takes too long.
Expected<std::vector<Bytes>> callHostFunction(const Program& program, const std::string& function,
                                              const LaunchPlan& plan);

}  // namespace warpscope
