// Occupancy as one quantity changes and all others stay the same: the three curves of a calculator. Also
// changes that quantity in a question.
#pragma once

#include <vector>

#include "kernels/occupancy/occupancy.h"

namespace warpscope {

enum class OccupancyAxis { kBlock, kRegisters, kShared };
inline constexpr OccupancyAxis kOccupancyAxes[]{OccupancyAxis::kBlock, OccupancyAxis::kRegisters,
                                                OccupancyAxis::kShared};

const char* axisName(OccupancyAxis axis);  // "block", "registers", "shared": for options and reports
const char* axisUnit(OccupancyAxis axis);  // "threads", "registers", "B"

// Threads per block, registers per thread, or bytes of shared memory per block.
uint32_t axisValue(const OccupancyQuestion& question, OccupancyAxis axis);
// Shared memory is added to, or removed from, the dynamic part; static shared memory shrinks only if less
// than its size is asked for.
OccupancyQuestion withAxisValue(OccupancyQuestion question, OccupancyAxis axis, uint32_t value);

// The values at which occupancy can change: whole warps up to the largest block; every register count up to
// the limit per thread; every allocation unit of shared memory up to the limit per block.
struct AxisRange {
  uint32_t first = 0, last = 0, step = 1;
};
AxisRange axisRange(const DeviceLimits& limits, OccupancyAxis axis);

struct OccupancyPoint {
  uint32_t value = 0;
  Occupancy occupancy;
};
// Ascending, over the whole range. Includes impossible points, with 0 blocks.
std::vector<OccupancyPoint> occupancyCurve(const OccupancyQuestion& question, OccupancyAxis axis);

}  // namespace warpscope
