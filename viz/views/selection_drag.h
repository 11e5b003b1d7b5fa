// Selecting by mouse on a timeline: dragging selects a range of time and rows, with Shift in addition to what
// is selected.
#pragma once

#include <optional>

#include "viz/layout/row_selection.h"
#include "viz/views/time_mouse.h"
#include "viz/views/timeline_frame.h"

namespace warpscope {

class SelectionDrag {
 public:
  // True while the mouse selects a range.
  bool handle(const ViewInput& input, ViewState& state, const TimelineFrame& frame, const PlotMouse& mouse);

 private:
  struct From {
    double cycle = 0, row = 0;
    TraceSelection before;  // what the range is added to
  };
  std::optional<From> from_;
};

// Fades what is not selected, and tints what is. Draws nothing if there is no selection. Reported as
// "NAME.selection.0" and so on, from top to bottom.
void drawSelectedRanges(const ViewInput& input, const ViewState& state, const TimelineFrame& frame,
                        const char* name);

}  // namespace warpscope
