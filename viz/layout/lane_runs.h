// Merges neighbouring lanes of a mask, so that fewer rectangles are drawn.
#pragma once

#include <bit>

#include "kernels/core/ids.h"

namespace warpscope {

// Calls visit(first, count) for each run of consecutive lanes in the mask.
template <class Visit>
void forEachLaneRun(LaneMask mask, Visit&& visit) {
  uint32_t bits = mask.bits;
  int lane = 0;
  while (bits != 0) {
    const int skipped = std::countr_zero(bits);
    lane += skipped;
    bits >>= skipped;
    const int count = std::countr_one(bits);
    visit(lane, count);
    lane += count;
    bits = count < kWarpSize ? bits >> count : 0;
  }
}

}  // namespace warpscope
