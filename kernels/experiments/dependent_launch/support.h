// Which devices can let a launch begin before the one that it depends on has ended.
#pragma once

#include <string>

#include "kernels/run/device_description.h"

namespace warpscope::dependent_launch {

// CUDA C++ Programming Guide 13.0, "Programmatic Dependent Launch and Synchronization".
inline bool hasDependentLaunches(const DeviceLimits& limits) {
  return limits.compute_capability >= ComputeCapability{9, 0};
}

// What others are told of a run that asks for them.
std::string insteadOfDependentLaunches(const DeviceLimits& limits);  // theory.cpp

}  // namespace warpscope::dependent_launch
