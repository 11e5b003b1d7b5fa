// The names of what limits occupancy, as JSON and tables print them. They are in this folder because runs are
// written here.
#pragma once

#include "kernels/run/run.h"

namespace warpscope {

const char* limiterName(OccupancyLimiter limiter);  // "registers"

}  // namespace warpscope
