// The part of the family with graphs whose steps decide which of them are needed.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/experiments/experiment.h"

namespace warpscope::graphs {

// The steps that are needed: all of a variant whose launches have no conditions.
uint32_t neededOf(const RunRequest& request);  // theory.cpp

// Says what the device lacks for conditional nodes and what the run shows instead. Empty: it lacks nothing.
std::string insteadOfConditions(const DeviceLimits& limits);

}  // namespace warpscope::graphs
