// The mapping between the launch axis and a range of pixels, in both directions.
#pragma once

#include <algorithm>

namespace warpscope {

struct TimeScale {
  double begin_cycles = 0, end_cycles = 1;
  float left = 0, right = 1;  // pixels

  double cyclesPerPixel() const {
    return (end_cycles - begin_cycles) / static_cast<double>(std::max(1.0F, right - left));
  }
  // Clamped to slightly outside the range: far away, a float would lose precision.
  float x(double cycles) const {
    const double position = left + (cycles - begin_cycles) / cyclesPerPixel();
    return static_cast<float>(std::clamp(position, left - 8.0, right + 8.0));
  }
  double cycles(float x) const { return begin_cycles + static_cast<double>(x - left) * cyclesPerPixel(); }
};

}  // namespace warpscope
