// The names of what limits occupancy, as JSON and tables print them. Below device/ because runs are written
// here.
#pragma once

#include "kernels/run/run.h"

namespace warpscope {

const char* limiterName(OccupancyLimiter limiter);  // "registers"

}  // namespace warpscope
