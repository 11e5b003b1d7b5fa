// Constants of the streams kernel; shared by device and host code.
#pragma once

#include <cstdint>

namespace warpscope::streams {

// A round of work on a value: x * kFactor + kAddend (Numerical Recipes' generator).
constexpr uint32_t kFactor = 1664525, kAddend = 1013904223;
constexpr uint32_t kMostWork = 4096;
constexpr uint32_t kMostStreams = 8, kMostChunks = 32;

}  // namespace warpscope::streams
