// The regions that the atomics kernels mark, and what device and host code must agree on.
#pragma once

#include <cstdint>

namespace warpscope::atomics {

enum : uint32_t { kLoad, kClear, kAtomic, kBarrier, kFlush, kStore };

// So many elements a thread add to a block's own histogram before it is added to the one in global memory.
constexpr uint32_t kElementsPerThread = 8;

}  // namespace warpscope::atomics
