// Constants of the priorities kernel, shared by device and host code, and how many blocks its long launch
// has.
#pragma once

#include <cstdint>

namespace warpscope::priorities {

constexpr uint32_t kMostWork = 4096, kMostRequests = 8;
constexpr uint32_t kRequestElements = 1 << 13;

}  // namespace warpscope::priorities
