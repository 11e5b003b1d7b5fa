// Markers with the distance between them, and notes, on a timeline; dragging over its axis sets the markers.
#pragma once

#include <string>
#include <vector>

#include "viz/views/timeline_frame.h"

namespace warpscope {

// A line at each marker that is visible, on any time axis in cycles. Reported as "NAME.marker.0" and 1.
void drawMarkerLines(const Canvas& canvas, const Annotations& annotations, const TimeScale& scale, float top,
                     float bottom, const char* name);

// The play head, if it is visible, as "NAME.play_head".
void drawPlayHead(const Canvas& canvas, const std::optional<double>& play_head, const TimeScale& scale,
                  float top, float bottom, const char* name);

class AnnotationMarks {
 public:
  // Draws over the rows, and handles the mouse on the axis, whose upper edge is `axis_top`, and on notes.
  // To be called before the plot handles the mouse: a note lies over it.
  void draw(const ViewInput& input, ViewState& state, const TimelineFrame& frame, float axis_top);

 private:
  void handleAxis(const ViewInput& input, ViewState& state, const TimelineFrame& frame, float axis_top);
  void drawMarkers(const ViewInput& input, const ViewState& state, const TimelineFrame& frame,
                   float axis_top);
  void drawNote(const ViewInput& input, ViewState& state, const TimelineFrame& frame, float axis_top,
                size_t index);
  ImVec2 placeFor(const TimelineFrame& frame, ImVec2 wanted, ImVec2 size);

  double dragged_from_ = 0;  // cycle
  bool drags_head_ = false;
  struct Box {
    ImVec2 min, max;
  };
  std::vector<Box> labels_;  // drawn in this frame
};

}  // namespace warpscope
