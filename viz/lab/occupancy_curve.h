// Occupancy over one thing that can change, with the present point on it, which can be dragged.
#pragma once

#include "viz/lab/lab_input.h"

namespace warpscope {

struct OccupancyCurveLook {
  OccupancyAxis axis = OccupancyAxis::kBlock;
  bool launches = false;                    // dragging launches; else it is a question only
  std::optional<uint32_t> kernels_value{};  // where the kernel at hand is, while the point is elsewhere
};

LabEdit drawOccupancyCurve(const LabInput& input, const OccupancyCurveLook& look, ImVec2 size);

// "threads a block", as the axis' title
const char* axisTitle(OccupancyAxis axis);

}  // namespace warpscope
