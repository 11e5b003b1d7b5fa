// Navigation in time and rows: zoom, pan, fit, and back. It changes only ViewState; views and keyboard call
// the same functions.
#pragma once

#include "viz/layout/trace_layout.h"
#include "viz/views/view_data.h"

namespace warpscope {

inline constexpr double kSmallestVisibleCycles = 8;

// The visible extent of the time axis: a launch, or several on one axis, in the unit of that axis.
struct TimeExtent {
  TimeExtent(double from, double to) : begin(from), end(to) {}
  TimeExtent(const TraceLayout& layout)  // NOLINT(google-explicit-constructor): a launch is its extent
      : begin(static_cast<double>(layout.begin())), end(static_cast<double>(layout.end())) {}
  double length() const { return end - begin; }

  double begin = 0, end = 1;
};

// Remembers the current position for goBack.
void rememberZoom(ViewState& state);
// The same, but with one entry for movements in quick succession (the notches of a wheel).
void rememberGesture(ViewState& state, double now_s);

// While the view is fitted, the visible range follows the launch.
void followFit(ViewState& state, const TimeExtent& launch);
void fit(ViewState& state);
// A factor above 1 shows more; the cycle under the cursor keeps its position. A range far larger than the
// launch becomes a fit instead.
void zoomAround(ViewState& state, const TimeExtent& launch, double cycle, double factor);
void zoomTo(ViewState& state, double begin_cycles, double end_cycles);
// Limited so that a part of the launch stays visible.
void panBy(ViewState& state, const TimeExtent& launch, double cycles);
// Pans as far as is needed to see this time, or its begin if it is longer than what is visible.
void showTime(ViewState& state, const TimeExtent& launch, int64_t begin_cycles, int64_t end_cycles);
// Selects the instruction that the selected warp issued before (-1) or after (+1) the selected one, otherwise
// the first or last visible one, and makes it visible, zoomed in far enough to distinguish it. Returns false
// if there is none.
bool stepInstruction(ViewState& state, const TraceLayout& layout, int direction);
// Returns to where the last remembered movement began, in the end to the whole launch; returns false if there
// is nothing to go back to.
bool goBack(ViewState& state);
// Where the launch is, if it fills less than half of the visible axis: -1 to the left, +1 to the right of the
// middle. 0: it is in sight.
int launchOutOfSight(const ViewState& state, const TimeExtent& launch);

}  // namespace warpscope
