// Blocks and warps resident on one SM over time, as recorded in the trace, beside the theoretical limit.
#pragma once

#include <span>

#include "kernels/metrics/metrics.h"
#include "viz/lab/lab_input.h"
#include "viz/layout/polyline.h"

namespace warpscope {

struct ResidencyPlotInput {
  std::span<const Residency> steps;
  std::span<const PlotPoint> warps, blocks;  // residencyCurve() of the steps, kept by the caller
  uint32_t sm = 0, max_warps = 64, theoretical_warps = 0;
  std::optional<double> achieved_warps;
  int64_t end_cycles = 0;  // end of the axis: as far as the trace is complete
  bool cut = false;        // the launch continued after it, unrecorded
  int64_t at_cycles = 0;   // the selected instant
  bool modelled = false;
};

std::vector<PlotPoint> residencyCurve(std::span<const Residency> steps, uint32_t Residency::*what);

// Returns the instant that the mouse selected, in cycles.
std::optional<int64_t> drawResidencyPlot(const LabInput& input, const ResidencyPlotInput& residency,
                                         ImVec2 size);

}  // namespace warpscope
