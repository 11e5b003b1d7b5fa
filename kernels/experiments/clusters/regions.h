// The regions that the clusters kernels mark, and what device and host code must agree on.
#pragma once

#include <cstdint>

namespace warpscope::clusters {

enum : uint32_t { kClear, kLoad, kBarrier, kCount, kFlush, kPush, kReceive };

// So many elements a thread counts before the bins are added to those in global memory.
constexpr uint32_t kElementsPerThread = 8;

}  // namespace warpscope::clusters
