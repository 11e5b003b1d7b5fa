// Moving about in time and rows: zoom, pan, fit, and back. Changes ViewState only; views and keyboard call
// the same functions.
#pragma once

#include "viz/layout/trace_layout.h"
#include "viz/views/view_data.h"

namespace warpscope {

inline constexpr double kSmallestVisibleCycles = 8;

// What there is to see of the time axis: a launch, or several that lie on one axis, then in its unit.
struct TimeExtent {
  TimeExtent(double from, double to) : begin(from), end(to) {}
  TimeExtent(const TraceLayout& layout)  // NOLINT(google-explicit-constructor): a launch is its extent
      : begin(static_cast<double>(layout.begin())), end(static_cast<double>(layout.end())) {}
  double length() const { return end - begin; }

  double begin = 0, end = 1;
};

// Remembers where the view is, for goBack.
void rememberZoom(ViewState& state);
// The same, but one entry for movements that follow each other within a moment (the notches of a wheel).
void rememberGesture(ViewState& state, double now_s);

// While fitted, the visible range follows the launch.
void followFit(ViewState& state, const TimeExtent& launch);
void fit(ViewState& state);
// factor above 1 shows more; the cycle under the cursor stays under it. What would show far more than the
// launch fits instead.
void zoomAround(ViewState& state, const TimeExtent& launch, double cycle, double factor);
void zoomTo(ViewState& state, double begin_cycles, double end_cycles);
// Never further than that a part of the launch stays visible.
void panBy(ViewState& state, const TimeExtent& launch, double cycles);
// Selects the instruction that the selected warp issued before (-1) or after (+1) the selected one, else the
// first or last in sight, and brings it into sight, near enough to be told apart. False: there is none.
bool stepInstruction(ViewState& state, const TraceLayout& layout, int direction);
// Back to where the last remembered movement began; false: there is nothing to go back to.
bool goBack(ViewState& state);

}  // namespace warpscope
