// Executes the blocks of a launch that a lane log is wanted of, one turn after the other on one host thread.
// The rest of the grid is executed only as far as those blocks are seen to wait for somebody (a barrier of
// the whole grid, a flag that another block sets).
#pragma once

#include <stop_token>

#include "kernels/core/error.h"
#include "kernels/run/lane_log.h"
#include "kernels/sim/simt/interpreter.h"

namespace warpscope::sim {

// The log's warps and how it ended; who knows the request, the buffers and the listing adds them. A kernel
// that fails ends its log, which keeps what was there. Errors: kCancelled; kBadRequest, an impossible launch
// or no such block.
Expected<LaneLog> recordLanes(const Launch& launch, const LaneLogOptions& options,
                              const std::stop_token& stop);

}  // namespace warpscope::sim
