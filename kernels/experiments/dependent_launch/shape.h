// Constants of the dependent_launch kernel, shared by device and host code.
#pragma once

#include <cstdint>

namespace warpscope::dependent_launch {

constexpr uint32_t kMostRounds = 1 << 15, kMostLaunches = 8;

// When a block lets the next launch begin.
enum Trigger : uint32_t { kNoTrigger, kTriggerEarly, kTriggerLate };

}  // namespace warpscope::dependent_launch
