// The regions that the coalescing kernels mark; shared by device and host code.
#pragma once

#include <cstdint>

namespace warpscope::coalescing {

enum : uint32_t { kIndex, kMove };

}  // namespace warpscope::coalescing
