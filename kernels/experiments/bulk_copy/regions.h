// The regions that the bulk_copy kernels mark, and what device and host code must agree on.
#pragma once

#include <cstdint>

namespace warpscope::bulk_copy {

enum : uint32_t { kPrepare, kCopy, kWaitFull, kCompute, kWaitEmpty, kStore, kMeet };

// Elements of 4 bytes that a thread that computes takes of a tile: the 16 bytes of a cp.async.
constexpr uint32_t kElementsPerThread = 4;
// Tiles that a block works through, one after another.
constexpr uint32_t kTilesPerBlock = 16;
constexpr uint32_t kMostStages = 8;
// Rows of a box that one bulk copy of a tensor moves.
constexpr uint32_t kMostBoxRows = 256;

}  // namespace warpscope::bulk_copy
