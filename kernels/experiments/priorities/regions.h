// The regions that the priorities kernel marks; shared by device and host code.
#pragma once

#include <cstdint>

namespace warpscope::priorities {

enum : uint32_t { kIndex, kLoad, kCompute, kStore };

}  // namespace warpscope::priorities
