// The mapping between the launch axis and a range of pixels, in both directions.
#pragma once

#include <algorithm>
#include <cstdint>

namespace warpscope {

struct TimeScale {
  double begin_cycles = 0, end_cycles = 1;
  float left = 0, right = 1;  // pixels

  double cyclesPerPixel() const {
    return (end_cycles - begin_cycles) / static_cast<double>(std::max(1.0F, right - left));
  }
  double pixelsPerCycle() const {
    return static_cast<double>(std::max(1.0F, right - left)) / (end_cycles - begin_cycles);
  }
  // Clamped to slightly outside the range: far away, a float would lose precision.
  float x(double cycles) const {
    const double position = left + (cycles - begin_cycles) / cyclesPerPixel();
    return static_cast<float>(std::clamp(position, left - 8.0, right + 8.0));
  }
  double cycles(float x) const { return begin_cycles + static_cast<double>(x - left) * cyclesPerPixel(); }
};

// TimeScale::x() for very many instants: without a division for each.
class PixelsOfTime {
 public:
  explicit PixelsOfTime(const TimeScale& scale)
      : begin_(scale.begin_cycles),
        pixels_per_cycle_(scale.pixelsPerCycle()),
        left_(scale.left),
        least_(scale.left - 8.0),
        most_(scale.right + 8.0) {}
  float x(int64_t cycles) const {
    const double position = left_ + (static_cast<double>(cycles) - begin_) * pixels_per_cycle_;
    return static_cast<float>(std::clamp(position, least_, most_));
  }

 private:
  double begin_, pixels_per_cycle_, left_, least_, most_;
};

}  // namespace warpscope
