// The table in shared memory that the banks kernels read; shared by device and host code.
#pragma once

#include <cstdint>

namespace warpscope::banks {

// A power of two above 31 * kMostStride: the lanes of a warp read 32 different elements at any stride.
constexpr uint32_t kElements = 1024;
constexpr uint32_t kMostStride = 33;
constexpr uint32_t kWordFactor = 2654435761U;  // word w of the table holds w * kWordFactor

}  // namespace warpscope::banks
