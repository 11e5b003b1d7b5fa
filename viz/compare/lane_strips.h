// The lanes of the selected warp in every run, stacked: on an axis that fits this warp, or on that of the
// timelines above.
#pragma once

#include <vector>

#include "viz/compare/compare_input.h"
#include "viz/layout/lanes_layout.h"
#include "viz/layout/navigation.h"

namespace warpscope {

class LaneStrips {
 public:
  // Draws into the current window. Without a selected warp it shows the first one that all runs have.
  // `linked`: on the timelines' axis, whose range `state` has; a button changes it.
  void draw(const CompareInput& input, ViewState& state, bool& linked, const TimeExtent& launch,
            const std::string& marked);

 private:
  void drawLink(const CompareInput& input, bool& linked) const;
  void drawStrip(const CompareInput& input, const WarpKey& key, ViewState& axis, const TimeExtent& extent,
                 const std::string& marked, size_t run, ImVec2 min, ImVec2 max);

  ViewState own_;                   // the axis that fits the warp
  std::optional<WarpKey> warp_;     // that it was for in the last frame
  std::vector<LanesLayout> lanes_;  // of that warp, by run
  std::vector<LaneItem> items_;     // reused from frame to frame
};

}  // namespace warpscope
