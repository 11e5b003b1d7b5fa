// The mouse on a plot over the launch axis, the same in timeline and lanes: the wheel zooms at the cursor,
// dragging moves the picture. Where dragging selects, the middle button or Ctrl moves it.
#pragma once

#include "viz/layout/navigation.h"
#include "viz/layout/time_scale.h"
#include "viz/views/view.h"

namespace warpscope {

enum class PlotDrag { kMoves, kSelects };  // what dragging with the left button does

struct PlotMouse {
  bool hovered = false;  // over the plot, with no other window above it
  bool clicked = false;  // released without having dragged
  bool double_clicked = false;
  bool pressed = false;    // the left button, this frame
  bool selecting = false;  // dragging to select, this frame
  float dragged_y = 0;     // pixels, this frame, while moving the picture
};

// Makes the rectangle a widget with this name (reported), and zooms and pans the state. The wheel with Ctrl
// or Shift is left to the caller.
PlotMouse handlePlotMouse(WidgetReport& report, ViewState& state, const TimeExtent& launch,
                          const TimeScale& scale, const char* name, ImVec2 min, ImVec2 max,
                          PlotDrag drag = PlotDrag::kMoves);

// The wheel's movement, on whichever axis Shift has redirected it to.
float wheelNotches();

}  // namespace warpscope
