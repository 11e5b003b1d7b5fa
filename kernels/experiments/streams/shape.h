// Constants of the streams kernel; shared by device and host code.
#pragma once

#include <cstdint>

namespace warpscope::streams {

constexpr uint32_t kMostWork = 4096;
constexpr uint32_t kMostStreams = 8, kMostChunks = 32;

}  // namespace warpscope::streams
