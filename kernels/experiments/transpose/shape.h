// Constants of the transpose kernels; shared by device and host code.
#pragma once

#include <cstdint>

namespace warpscope::transpose {

constexpr uint32_t kFoursInFlight = 4;        // 16-byte accesses of a thread, with vectors
constexpr uint32_t kVecTile = 64;             // side of shared_padded_vec's tile
constexpr uint32_t kVecPitch = kVecTile + 1;  // its rows' distance in words
constexpr uint32_t kLeastVecThreads =
    kVecTile * kVecTile / (4 * kFoursInFlight);  // of a block: they move a tile

}  // namespace warpscope::transpose
