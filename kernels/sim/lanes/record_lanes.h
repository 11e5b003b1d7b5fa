// Executes the blocks of a launch whose lanes are to be logged, warps taking turns on one host thread. Other
// blocks of the grid are executed only once the logged ones are seen to wait for another block (at a
// grid-wide barrier, or for a flag that another block sets).
#pragma once

#include <stop_token>

#include "kernels/core/error.h"
#include "kernels/run/lane_log.h"
#include "kernels/sim/simt/interpreter.h"

namespace warpscope::sim {

// Returns the log's warps and how the log ended; the caller, who knows the request, the buffers and the
// listing, adds those. A kernel that fails ends its log, which keeps everything up to there. Errors:
// kCancelled; kBadRequest for an impossible launch or a block that the grid does not have.
Expected<LaneLog> recordLanes(const Launch& launch, const LaneLogOptions& options,
                              const std::stop_token& stop);

}  // namespace warpscope::sim
