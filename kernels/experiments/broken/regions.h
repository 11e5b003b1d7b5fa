// The regions that the broken kernels mark, and what device and host code must agree on.
#pragma once

#include <cstdint>

namespace warpscope::broken {

enum : uint32_t { kLoad, kWait, kExchange, kColumns, kTail, kBranch, kStore };

constexpr uint32_t kTile = 32;  // of the transposing pair: values across and down

}  // namespace warpscope::broken
