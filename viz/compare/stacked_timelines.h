// The timelines of several runs over one time axis that begins where each of them starts: one zoom, one
// selection, one scroll for all.
#pragma once

#include <deque>
#include <string>

#include "viz/compare/compare_input.h"
#include "viz/views/timeline_plot.h"

namespace warpscope {

class StackedTimelines {
 public:
  // Draws into the current window. `launch`: all that is on the axis. `overlay`: baseline and the other run
  // on the same rows, instead of each on its own. `marked`: the name of a region that stands out; empty:
  // none.
  void draw(const CompareInput& input, ViewState& state, const TimeExtent& launch, bool overlay,
            const std::string& marked);

 private:
  struct Strip {
    size_t run = 0;
    ViewInput view;
    TimelineFrame frame;
  };
  void drawHead(const CompareInput& input, const Strip& strip, const ViewInput* under, float top,
                float height) const;

  std::deque<TimelinePlot> plots_;  // by the run's place
  TimelinePlot overlay_{"compare.overlay"};
  ViewInput under_;  // of this frame's overlay
};

// The region of that name; one that no run has, if this run has none: everything else steps back. Empty name:
// nullopt.
std::optional<RegionId> regionNamed(const Run& run, const std::string& name);

}  // namespace warpscope
