// The regions that the barriers kernels mark, and what device and host code must agree on.
#pragma once

#include <cstdint>

namespace warpscope::barriers {

enum : uint32_t { kLoad, kWork, kWait, kExchange, kStore };

constexpr uint32_t kTileThreads =
    128;  // of tile_wide: 1,024 threads are 8 of the 16 barriers that a block has

// Work is this step, repeated: Knuth's 64-bit generator's little brother (Numerical Recipes).
constexpr uint32_t kFactor = 1664525, kSummand = 1013904223;
constexpr uint32_t kShares = 8;
constexpr uint32_t kWarpStep = 5, kRoundStep = 3;  // odd: warps and rounds go through all shares

}  // namespace warpscope::barriers
