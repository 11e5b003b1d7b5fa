// Makes one trace of those of a run's launches, on the axis of the run (kernels/run/stream_log.h).
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/run/trace.h"

namespace warpscope {

struct LaunchTrace {
  uint32_t operation = 0;    // the launch among the operations
  uint32_t first_block = 0;  // the number of its first block in the run
  Trace trace;
};

// For launches that were executed one after another, whose report says where each block would have run
// (StreamReport::placed). Warps get slots of their own among those of the SM that they were placed on; those
// of blocks that the report does not place are left out. `cycles_per_ns`: of the SMs.
Trace joinPlaced(const std::vector<LaunchTrace>& launches, const StreamReport& report, double cycles_per_ns);

}  // namespace warpscope
