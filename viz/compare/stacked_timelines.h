// The timelines of several runs above one time axis, on which all runs start at zero: one zoom, one
// selection, one scroll position for all.
#pragma once

#include <deque>
#include <string>

#include "viz/compare/compare_input.h"
#include "viz/views/timeline_plot.h"

namespace warpscope {

// The regions under the mouse and clicked in a legend, by name; empty: none.
struct NamedRegions {
  std::string hovered, clicked;
};

class StackedTimelines {
 public:
  // Draws into the current window, below a legend of the regions. `launch` is everything that the axis
  // covers. `overlay` draws baseline and other run on the same rows, instead of each on its own. `marked` is
  // the name of a region to emphasise, or empty.
  NamedRegions draw(const CompareInput& input, ViewState& state, const TimeExtent& launch, bool overlay,
                    const std::string& marked);

 private:
  struct Strip {
    size_t run = 0;
    ViewInput view;
    TimelineFrame frame;
  };
  void drawHead(const CompareInput& input, const Strip& strip, const ViewInput* under, float top,
                float height) const;

  std::deque<TimelinePlot> plots_;  // one per run
  std::vector<RowOrderCache> orders_;
  TimelinePlot overlay_{"compare.overlay"};
  ViewInput under_;  // the input of this frame's overlay
};

// The region with that name. If this run has none, an id that no region has, so that everything else is
// dimmed. nullopt for an empty name.
std::optional<RegionId> regionNamed(const Run& run, const std::string& name);

}  // namespace warpscope
