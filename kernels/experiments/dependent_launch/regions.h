// The regions that the dependent_launch kernel marks; shared by device and host code.
#pragma once

#include <cstdint>

namespace warpscope::dependent_launch {

enum : uint32_t { kPreamble, kWait, kLoad, kCompute, kStore };

}  // namespace warpscope::dependent_launch
