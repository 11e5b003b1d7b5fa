// How large a grid and a block can be in each dimension, on every compute capability so far: CUDA C++
// Programming Guide 13.0, "Technical Specifications per Compute Capability". What depends on the device is in
// DeviceLimits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "kernels/core/ids.h"

namespace warpscope {

inline constexpr Dim3 kMaxGrid{2147483647, 65535, 65535};
inline constexpr Dim3 kMaxBlock{1024, 1024, 64};

struct Dimension {
  char name = 'x';
  uint32_t asked = 1, most = 1;
};

// The first dimension that is 0 or too large.
inline std::optional<Dimension> outside(const Dim3& shape, const Dim3& most) {
  const std::array<Dimension, 3> dimensions{
      {{'x', shape.x, most.x}, {'y', shape.y, most.y}, {'z', shape.z, most.z}}};
  for (const Dimension& each : dimensions) {
    if (each.asked == 0 || each.asked > each.most) return each;
  }
  return std::nullopt;
}

}  // namespace warpscope
