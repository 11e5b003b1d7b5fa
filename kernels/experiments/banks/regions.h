// The regions that the banks kernels mark; shared by device and host code.
#pragma once

#include <cstdint>

namespace warpscope::banks {

enum : uint32_t { kFill, kBarrier, kRead, kStore };

}  // namespace warpscope::banks
