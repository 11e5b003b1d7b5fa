// One warp of a lane log as tables and as JSON.
#pragma once

#include <string>

#include "kernels/run/lane_log.h"

namespace warpscope {

class Json;

// One row per request or exchange, in order.
std::string warpTable(const LaneLog& log, const LoggedWarp& warp);
// One row per lane of one of them; empty: there is no such step, or it was not kept.
std::string stepTable(const LaneLog& log, const LoggedWarp& warp, uint32_t step);
Json lanesReport(const LaneLog& log, const LoggedWarp& warp);

}  // namespace warpscope
