// What runs took or reached over the values of one control, a curve for each variant.
#pragma once

#include "viz/plots/plots_input.h"

namespace warpscope {

struct PlottedRun {
  int64_t value = 0;  // of the control
  double x = 0;       // where that is on the axis
  double y = 0, low = 0, high = 0;
  std::string problem;  // why there is none: then there is no y
  bool wrong = false;   // the run's result is
};

struct SweepCurve {
  std::string name, label;         // of the variant; what is shown of it
  size_t look = 0;                 // its place in the family
  std::vector<PlottedRun> points;  // ascending
};

struct SweepPlotInput {
  std::span<const SweepCurve> curves;
  PlotAxis x, y;
  std::vector<PlotLevel> levels;
  std::optional<double> present;  // the place of the present setting
  bool modelled = false;
  std::string message;  // what stands there while no curve has a point
};

// A point that was clicked: indices into curves and its points.
struct SweepChoice {
  size_t curve = 0, point = 0;
};
std::optional<SweepChoice> drawSweepPlot(const PlotsInput& input, const SweepPlotInput& sweep, ImVec2 size);

}  // namespace warpscope
