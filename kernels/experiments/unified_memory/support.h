// How the data of a run come to the device and back, and which devices have managed memory.
#pragma once

#include <string>

#include "kernels/run/device_description.h"

namespace warpscope::unified_memory {

enum class Way {
  kFaults,      // pages move when they are touched
  kPrefetches,  // and before, because the host says so
  kMapped,      // they stay on the host, and the device reaches them over the link
  kCopies,      // there are two memories, and copies between them
};

// Copies where the device cannot do otherwise. theory.cpp
Way wayOf(const std::string& variant, const DeviceLimits& limits);

// What others are told of a run that asks for managed memory.
std::string insteadOfManagedMemory();

}  // namespace warpscope::unified_memory
