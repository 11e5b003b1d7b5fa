// Achieved occupancy and speed on the same axis of block sizes: high occupancy is not speed.
#pragma once

#include <map>

#include "viz/lab/lab_input.h"

namespace warpscope {

// One block size that was run.
struct SpeedPoint {
  uint32_t block_threads = 0;
  double theoretical = 0;
  std::optional<double> achieved;  // occupancy, 0 to 1
  double median_us = 0, min_us = 0, max_us = 0;
  double gb_per_s = 0;
  bool verified = false;
};

struct SpeedPlotInput {
  std::span<const SpeedPoint> points;  // ascending
  uint32_t last_block = 1024;          // end of the axis
  uint32_t block_threads = 0;          // the present one
  bool modelled = false;
  bool as_time = false;   // µs instead of GB/s
  size_t missing = 0;     // still to be run
  std::string title;      // of what
  bool can_sweep = true;  // false: there is no control that sets the block
};

// A click on a point chooses that block.
LabEdit drawSpeedPlot(const LabInput& input, const SpeedPlotInput& speed, ImVec2 size);

}  // namespace warpscope
