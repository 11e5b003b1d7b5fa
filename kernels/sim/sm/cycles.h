// The simulated SMs count time in cycles since the launch began.
#pragma once

#include <cstdint>

namespace warpscope::sim {

inline constexpr uint64_t kNever = ~uint64_t{0} >> 8;  // a cycle that never comes

}  // namespace warpscope::sim
