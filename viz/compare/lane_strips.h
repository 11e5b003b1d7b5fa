// The lanes of the selected warp in every run, stacked, on the axis that the runs share.
#pragma once

#include <vector>

#include "viz/compare/compare_input.h"
#include "viz/layout/lanes_layout.h"
#include "viz/layout/navigation.h"

namespace warpscope {

class LaneStrips {
 public:
  // Draws into the current window. Without a selected warp it shows the first one that all runs have.
  void draw(const CompareInput& input, ViewState& state, const TimeExtent& launch, const std::string& marked);

 private:
  void drawStrip(const CompareInput& input, ViewState& state, const TimeExtent& launch,
                 const std::string& marked, size_t run, ImVec2 min, ImVec2 max);

  std::vector<LaneItem> items_;  // reused from frame to frame
};

}  // namespace warpscope
