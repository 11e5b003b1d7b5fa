// The regions that the boundary kernels mark; shared by device and host code.
#pragma once

#include <cstdint>

namespace warpscope::boundary {

enum : uint32_t { kCheck, kInside, kOutside, kTileOfM, kTileOfN, kBarrier, kUse, kStore };

}  // namespace warpscope::boundary
