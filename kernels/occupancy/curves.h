// Occupancy as one thing changes and all others stay: the three curves of a calculator. And changing that one
// thing in a question.
#pragma once

#include <vector>

#include "kernels/occupancy/occupancy.h"

namespace warpscope {

enum class OccupancyAxis { kBlock, kRegisters, kShared };
inline constexpr OccupancyAxis kOccupancyAxes[]{OccupancyAxis::kBlock, OccupancyAxis::kRegisters,
                                                OccupancyAxis::kShared};

const char* axisName(OccupancyAxis axis);  // "block", "registers", "shared": of options and reports
const char* axisUnit(OccupancyAxis axis);  // "threads", "registers", "B"

// Threads of a block, registers of a thread, bytes of shared memory of a block.
uint32_t axisValue(const OccupancyQuestion& question, OccupancyAxis axis);
// Shared memory is taken from, or added to, what is dynamic of it; static shared memory only shrinks when
// less than it is asked for.
OccupancyQuestion withAxisValue(OccupancyQuestion question, OccupancyAxis axis, uint32_t value);

// The values at which occupancy can change: whole warps up to the largest block; every number of registers up
// to what a thread may have; every allocation unit of shared memory up to what a block may have.
struct AxisRange {
  uint32_t first = 0, last = 0, step = 1;
};
AxisRange axisRange(const DeviceLimits& limits, OccupancyAxis axis);

struct OccupancyPoint {
  uint32_t value = 0;
  Occupancy occupancy;
};
// Ascending, over the whole range. Impossible points are there too, with no blocks.
std::vector<OccupancyPoint> occupancyCurve(const OccupancyQuestion& question, OccupancyAxis axis);

}  // namespace warpscope
