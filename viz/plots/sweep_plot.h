// The results of runs over the values of one control, with a curve for each variant.
#pragma once

#include "viz/plots/plots_input.h"

namespace warpscope {

struct PlottedRun {
  int64_t value = 0;  // of the control
  double x = 0;       // position of the value on the axis
  double y = 0, low = 0, high = 0;
  std::string problem;  // why there is no result: then there is no y
  bool wrong = false;   // the run's result is wrong
};

struct SweepCurve {
  std::string name, label;         // of the variant; the text that is shown
  size_t look = 0;                 // index within the family
  std::vector<PlottedRun> points;  // ascending
};

struct SweepPlotInput {
  std::span<const SweepCurve> curves;
  PlotAxis x, y;
  std::vector<PlotLevel> levels;
  std::optional<double> present;  // position of the current setting
  bool modelled = false;
  std::string message;  // shown while no curve has a point
};

// A point that was clicked: indices of the curve and the point.
struct SweepChoice {
  size_t curve = 0, point = 0;
};
std::optional<SweepChoice> drawSweepPlot(const PlotsInput& input, const SweepPlotInput& sweep, ImVec2 size);

}  // namespace warpscope
