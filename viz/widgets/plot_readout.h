// The values under the mouse in a plot: a crosshair that snaps to points, and a small box with the values
// there, which always stays inside the plot.
#pragma once

#include <span>

#include "viz/widgets/plot_series.h"

namespace warpscope {

struct PlotReadout {
  bool shown = false;
  double x = 0;         // of the point nearest to the mouse
  ImVec2 min{}, max{};  // of the box, in screen pixels
};

// While the mouse is over the plot: the nearest x at which a visible series has a point, and the value of
// each series exactly there (for a staircase: the value that holds there). A series without a value there is
// omitted, since nothing is interpolated. Call after everything else was drawn.
PlotReadout drawReadout(PlotFrame& plot, std::span<const PlotSeries> series, const HiddenSeries& hidden = {});
// The same at a given point, with the caller's text.
PlotReadout drawReadout(PlotFrame& plot, PlotPoint at, const char* text);

}  // namespace warpscope
