// The positions of 32 equally wide columns between two edges: a warp's lanes, or the banks of shared memory.
#pragma once

#include <algorithm>
#include <optional>

#include "kernels/core/ids.h"

namespace warpscope {

struct LaneColumns {
  float left = 0, right = 1;

  float width() const { return (right - left) / float{kWarpSize}; }
  float edge(int column) const { return left + width() * static_cast<float>(column); }
  float centre(int column) const { return edge(column) + width() / 2; }
  std::optional<int> at(float x) const {
    if (x < left || x >= right) return std::nullopt;
    return std::min(kWarpSize - 1, static_cast<int>((x - left) / width()));
  }
  // Every how many columns a number is written, so that `text_width` fits.
  int labelStep(float text_width) const {
    int step = 1;
    while (step < kWarpSize && width() * static_cast<float>(step) < text_width) step *= 2;
    return step;
  }
};

}  // namespace warpscope
