// Constants of the several_gpus kernel; shared by device and host code.
#pragma once

#include <cstdint>

namespace warpscope::several_gpus {

constexpr uint32_t kMostWork = 4096;

}  // namespace warpscope::several_gpus
