// A point of a plot that can be dragged along x: "the block size of now".
#pragma once

#include <optional>

#include "viz/widgets/plot_frame.h"

namespace warpscope {

struct PlotHandle {
  const char* name = "handle";  // tells the handles of a plot apart
  PlotPoint at{};
  MarkLook look{};
  // A press anywhere in the area takes it there; else only one on the point, within 10 pixels at 100 %. Of
  // several handles such a one is drawn last: a press belongs to the first that takes it.
  bool anywhere = false;
};

struct HandleAnswer {
  bool hovered = false, held = false;
  // While held: where it was dragged to, in data, within the axis. The caller rounds it to what there is.
  std::optional<double> moved_to;
  ImVec2 min{}, max{};  // what can be grasped, in screen pixels
};

// The plot must have an id. Draws the point with a ring that grows under the mouse; the mouse's shape tells
// too.
HandleAnswer drawHandle(PlotFrame& plot, const PlotHandle& handle);

}  // namespace warpscope
