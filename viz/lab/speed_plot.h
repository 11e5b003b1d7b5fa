// Achieved occupancy and speed on the same axis of block sizes: high occupancy is not speed.
#pragma once

#include <map>

#include "viz/lab/lab_input.h"

namespace warpscope {

// One block size that has been run.
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
  uint32_t block_threads = 0;          // the current block size
  bool modelled = false;
  bool as_time = false;   // µs instead of GB/s
  size_t missing = 0;     // how many are still to be run
  std::string title;      // what the points belong to
  bool can_sweep = true;  // false: no control sets the block size
};

// Returns the block size of a point that was clicked.
LabEdit drawSpeedPlot(const LabInput& input, const SpeedPlotInput& speed, ImVec2 size);

}  // namespace warpscope
