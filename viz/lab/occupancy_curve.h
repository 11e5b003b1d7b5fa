// Occupancy over one quantity, with the current point on it, which can be dragged.
#pragma once

#include "viz/lab/lab_input.h"

namespace warpscope {

struct OccupancyCurveLook {
  OccupancyAxis axis = OccupancyAxis::kBlock;
  bool launches = false;                    // dragging launches the kernel; otherwise it only asks a question
  std::optional<uint32_t> kernels_value{};  // the value of the current kernel, while the point is elsewhere
};

LabEdit drawOccupancyCurve(const LabInput& input, const OccupancyCurveLook& look, ImVec2 size);

// "threads per block", as the axis' title
const char* axisTitle(OccupancyAxis axis);

}  // namespace warpscope
