// The layout of one frame of a timeline: rows and time, and where they are on screen.
#pragma once

#include <optional>

#include "viz/layout/navigation.h"
#include "viz/layout/row_geometry.h"
#include "viz/layout/time_scale.h"
#include "viz/layout/trace_layout.h"
#include "viz/views/view.h"

namespace warpscope {

inline constexpr float kTimelineScrollbarWidth = 12;  // pixels at 100 %

struct TimelineFrame {
  // Another run on the same rows, which are warps: each row's lower half is the same warp of that run.
  struct Under {
    const ViewInput* input = nullptr;
    TimeScale scale;
    double units_per_cycle = 1;
  };

  TimeScale scale;  // in cycles of the run
  RowGeometry rows;
  float left = 0, right = 0;     // from the labels' left edge to the scrollbar's right edge
  TimeExtent launch{0, 1};       // everything that can be made visible, in the state's unit
  double units_per_cycle = 1;    // unit of the state's range
  bool of_several_runs = false;  // the state's selection is made in all of them
  std::optional<Under> under;
};

}  // namespace warpscope
