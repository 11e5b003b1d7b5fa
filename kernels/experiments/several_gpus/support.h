// What a run does where a device has one GPU, or two that cannot access each other's memory.
#pragma once

#include <string>

#include "kernels/run/device_description.h"

namespace warpscope::several_gpus {

// The variant whose operations are enqueued when this one is asked for.
std::string possibleVariant(const std::string& variant, const DeviceLimits& limits);

// What is missing, and what is shown instead; empty: nothing is missing.
std::string insteadOf(const std::string& variant, const DeviceLimits& limits);

}  // namespace warpscope::several_gpus
