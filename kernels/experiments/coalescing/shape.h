// Constants of the coalescing kernels; shared by device and host code.
#pragma once

#include <cstdint>

namespace warpscope::coalescing {

constexpr uint32_t kFields = 4;  // of a record, 4 bytes each
constexpr int32_t kLeastOffset = -2, kMostOffset = 31;
constexpr uint32_t kMostStride = 32;
constexpr uint32_t kGuard = 32;  // elements of the input before and behind those that `offset` moves: a line

}  // namespace warpscope::coalescing
