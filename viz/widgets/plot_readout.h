// What is under the mouse in a plot: a crosshair that goes from point to point, and a small box with the
// values there, which never leaves the plot.
#pragma once

#include <span>

#include "viz/widgets/plot_series.h"

namespace warpscope {

struct PlotReadout {
  bool shown = false;
  double x = 0;         // of the point nearest to the mouse
  ImVec2 min{}, max{};  // of the box, in screen pixels
};

// While the mouse is over the plot: the nearest x at which a visible series has a point, and what each has
// just there (a staircase: what it holds there). A series without a value there is left out: nothing is made
// up between points. Call after everything else was drawn.
PlotReadout drawReadout(PlotFrame& plot, std::span<const PlotSeries> series, const HiddenSeries& hidden = {});
// At one point, with a text of the caller's.
PlotReadout drawReadout(PlotFrame& plot, PlotPoint at, const char* text);

}  // namespace warpscope
