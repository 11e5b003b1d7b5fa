// The long launch of the priorities family: how many blocks it has, for its plan and its theory.
#pragma once

#include <cstdint>

#include "kernels/run/device_description.h"
#include "kernels/run/run.h"

namespace warpscope::priorities {

struct Background {
  uint32_t blocks = 1;
  uint32_t slots = 1;  // blocks that fit at once on all SMs, as far as threads and block slots decide

  // Blocks that an SM's slot gets one after another.
  uint32_t waves() const { return (blocks + slots - 1) / slots; }
};
// The request must be complete.
Background background(const RunRequest& request, const DeviceLimits& limits);

}  // namespace warpscope::priorities
