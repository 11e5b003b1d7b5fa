// The regions that the several_gpus kernel marks; shared by device and host code.
#pragma once

#include <cstdint>

namespace warpscope::several_gpus {

enum : uint32_t { kIndex, kLoad, kCompute, kStore };

}  // namespace warpscope::several_gpus
