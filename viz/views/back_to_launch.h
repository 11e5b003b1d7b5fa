// A button over a time axis that was panned beyond its launch: the way back.
#pragma once

#include "viz/layout/navigation.h"
#include "viz/widgets/canvas.h"

namespace warpscope {

class BackToLaunch {
 public:
  // Takes the mouse, so it must be made before the plot's own mouse is handled. `name`: reported as
  // "NAME.back" while it is shown.
  BackToLaunch(const Canvas& canvas, ViewState& state, const TimeExtent& launch, const std::string& name,
               ImVec2 plot_min, ImVec2 plot_max);
  void draw(const Canvas& canvas) const;  // over the plot

 private:
  std::string text_;  // empty: the launch is in sight
  ImVec2 min_{}, max_{};
  bool hovered_ = false;
};

}  // namespace warpscope
