// The regions that the streams kernel marks; shared by device and host code.
#pragma once

#include <cstdint>

namespace warpscope::streams {

enum : uint32_t { kIndex, kLoad, kCompute, kStore };

}  // namespace warpscope::streams
