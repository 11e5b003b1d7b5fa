// How busy a real GPU was over time, as small curves between the timeline's axis and its rows: SMs, issue, L2
// and DRAM, each as a share of the most that the hardware can do.
#pragma once

#include <memory>
#include <vector>

#include "viz/layout/time_scale.h"
#include "viz/views/view.h"

namespace warpscope {

class ActivityStrip {
 public:
  // In pixels, with the gap below it; 0: the run has no such samples, or there is no room for it.
  static float height(const ViewInput& input, float room);
  // The curves from scale.left to scale.right; their names in the column that begins at `left`.
  void draw(const ViewInput& input, const TimeScale& scale, float left, float top, float height);

 private:
  void drawNames(const ViewInput& input, float left, float right, ImVec2 top_bottom) const;
  void tell(const ViewInput& input, double ns) const;

  std::shared_ptr<const Run> read_;  // the run that the curve was made from
  std::vector<ActivityStep> curve_;
};

}  // namespace warpscope
