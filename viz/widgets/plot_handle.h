// A point of a plot that can be dragged along x, such as the current block size.
#pragma once

#include <optional>

#include "viz/widgets/plot_frame.h"

namespace warpscope {

struct PlotHandle {
  const char* name = "handle";  // distinguishes the handles of a plot
  PlotPoint at{};
  MarkLook look{};
  // If true, a press anywhere in the area moves the point there; otherwise only a press on the point counts,
  // within 10 pixels at 100 %. Draw such a handle last: a press belongs to the first handle that takes it.
  bool anywhere = false;
};

struct HandleAnswer {
  bool hovered = false, held = false;
  // While held: where it was dragged to, in data, within the axis. The caller rounds it to a possible value.
  std::optional<double> moved_to;
  ImVec2 min{}, max{};  // the area that can be pressed, in screen pixels
};

// The plot must have an id. Draws the point with a ring that grows under the mouse; the mouse cursor changes,
// too.
HandleAnswer drawHandle(PlotFrame& plot, const PlotHandle& handle);

}  // namespace warpscope
