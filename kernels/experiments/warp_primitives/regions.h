// The regions that the warp primitives mark; shared by device and host code.
#pragma once

#include <cstdint>

namespace warpscope::warp_primitives {

enum : uint32_t { kLoad, kPrimitive, kOutside, kStep, kStore };

}  // namespace warpscope::warp_primitives
