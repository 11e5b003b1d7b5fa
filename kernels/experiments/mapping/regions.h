// The regions that the mapping kernels mark; shared by device and host code.
#pragma once

#include <cstdint>

namespace warpscope::mapping {

enum : uint32_t { kPlace, kStore };

}  // namespace warpscope::mapping
