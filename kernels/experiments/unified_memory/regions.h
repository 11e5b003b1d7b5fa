// The regions that the unified_memory kernel marks; shared by device and host code.
#pragma once

#include <cstdint>

namespace warpscope::unified_memory {

enum : uint32_t { kIndex, kLoad, kCompute, kStore };

}  // namespace warpscope::unified_memory
