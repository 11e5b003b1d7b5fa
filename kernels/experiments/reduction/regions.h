// The regions that the reduction kernels mark; shared by device and host code.
#pragma once

#include <cstdint>

namespace warpscope::reduction {

enum : uint32_t { kStart, kLoad, kLoadBarrier, kStep, kAdd, kBarrier, kFirstWarp, kLastStep, kWrite };

// Elements that a thread of unroll8 adds before the tree.
enum : uint32_t { kUnroll = 8 };

}  // namespace warpscope::reduction
