// The ticks of a time axis, so that at least two of them have a label where that is possible: one alone says
// nothing about the scale.
#pragma once

#include "kernels/core/units.h"
#include "viz/layout/time_scale.h"

namespace warpscope {

// Labels in a font whose characters are all as wide; pixels.
struct TickLabels {
  float character = 7;
  float gap = 4;        // from a tick to its label, which is at its right
  float generous = 90;  // room for a label, where there is enough for all

  float end(const TimeScale& scale, double units_per_cycle, const Ticks& ticks, int tick) const;
};

// `smallest_step`: as niceTicks() takes it, in units of the axis.
Ticks timeTicks(const TimeScale& scale, double units_per_cycle, double smallest_step,
                const TickLabels& labels);

}  // namespace warpscope
