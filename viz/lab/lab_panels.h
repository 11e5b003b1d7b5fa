// The panels of the occupancy lab, one function each; every one has a .cpp file of its own.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "kernels/metrics/metric.h"
#include "kernels/metrics/metrics.h"
#include "kernels/occupancy/littles_law.h"
#include "viz/lab/lab_input.h"
#include "viz/layout/polyline.h"
#include "viz/layout/sm_slots.h"

namespace warpscope {

// An SM as its warp slots, one row per sub-partition, filled with blocks by colour and number.
struct SmPicture {
  const char* name = "";  // in widget reports: "lab.sm.first"
  std::string title, subtitle;
  const std::vector<WarpSlot>* slots = nullptr;
  uint32_t sub_partitions = 4;
  bool recorded = false;  // from a trace: slots are the hardware's own
  bool modelled = false;  // from a simulated GPU's trace
};

// `size` is in pixels. A slot shows its warp in a tooltip.
void drawSmPicture(const LabInput& input, const SmPicture& picture, ImVec2 size);

// The budgets of an SM, one bar per resource: what each resident block takes, what is left, and what one more
// block would need. `name` is "first" or "second", for widget reports.
void drawBudgetBars(const LabInput& input, const LabSide& side, const char* name, ImVec2 size);

// Suggestions with their reasons, each with a button that applies it. Returns the suggestion whose "Use it"
// was clicked, or null.
const Suggestion* drawSuggestions(const LabInput& input);

// Occupancy over one quantity, with the current point on it, which can be dragged.
struct OccupancyCurveLook {
  OccupancyAxis axis = OccupancyAxis::kBlock;
  bool launches = false;                    // dragging launches the kernel; otherwise it only asks a question
  std::optional<uint32_t> kernels_value{};  // the value of the current kernel, while the point is elsewhere
};

LabEdit drawOccupancyCurve(const LabInput& input, const OccupancyCurveLook& look, ImVec2 size);

// "threads per block", as the axis' title
const char* axisTitle(OccupancyAxis axis);

// Blocks and warps resident on one SM over time, as recorded in the trace, beside the theoretical limit.
struct ResidencyPlotInput {
  std::span<const Residency> steps;
  std::span<const PlotPoint> warps, blocks;  // residencyCurve() of the steps, kept by the caller
  std::string sm;                            // "SM 3"
  uint32_t max_warps = 64, theoretical_warps = 0;
  std::optional<MetricValue> achieved_warps;
  int64_t end_cycles = 0;  // end of the axis: as far as the trace is complete
  bool cut = false;        // the launch continued after it, unrecorded
  int64_t at_cycles = 0;   // the selected instant
  bool modelled = false;
};

std::vector<PlotPoint> residencyCurve(std::span<const Residency> steps, uint32_t Residency::*what);

// Returns the instant that the mouse selected, in cycles.
std::optional<int64_t> drawResidencyPlot(const LabInput& input, const ResidencyPlotInput& residency,
                                         ImVec2 size);

// Achieved occupancy and speed on the same axis of block sizes: high occupancy is not speed.

// One block size that has been run.
struct SpeedPoint {
  uint32_t block_threads = 0;
  double theoretical = 0;
  std::optional<MetricValue> achieved;  // occupancy, 0 to 1
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
  float taken = 0;        // of the title's line, at its right end; pixels
  bool can_sweep = true;  // false: no control sets the block size
};

// Whether the curve is of other resources, or another device, than the points that were run.
bool isWhatIf(std::span<const OccupancyPoint> curve, std::span<const SpeedPoint> points);
// Returns the block size of a point that was clicked.
LabEdit drawSpeedPlot(const LabInput& input, const SpeedPlotInput& speed, ImVec2 size);

// Little's law: warps needed against warps resident, one bar per kind of work.
void drawLittlesLaw(const LabInput& input, std::span<const LittlesLaw> laws, ImVec2 size);

}  // namespace warpscope
