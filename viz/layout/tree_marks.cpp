#include "viz/layout/tree_marks.h"

#include <algorithm>

namespace warpscope {
namespace {

constexpr float kApart = 4, kGap = 1;  // from this width on, threads are separated by a gap; pixels

}  // namespace

std::vector<TreeMark> treeMarks(const TreeStep& step, const TreeColumns& columns, float least_width) {
  std::vector<TreeMark> marks;
  const float lane_width = columns.x(1) - columns.x(0);
  for (uint32_t warp = 0; warp < step.working.size(); ++warp) {
    const uint32_t first_thread = warp * kWarpSize;
    const LaneMask working = step.working[warp];
    if (working.empty()) continue;
    if (lane_width < 1) {
      marks.push_back({columns.x(first_thread), columns.x(first_thread + kWarpSize),
                       static_cast<float>(working.count()) / float{kWarpSize}});
      continue;
    }
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if (!working.has(lane)) continue;
      int end = lane + 1;
      while (lane_width < kApart && end < kWarpSize && working.has(end)) ++end;
      const float gap = lane_width >= kApart ? kGap : 0;
      marks.push_back({columns.x(first_thread + static_cast<uint32_t>(lane)),
                       columns.x(first_thread + static_cast<uint32_t>(end)) - gap});
      lane = end - 1;
    }
  }
  for (size_t i = 0; i < marks.size(); ++i) {
    const float limit = i + 1 < marks.size() ? marks[i + 1].x0 - kGap : columns.right;
    marks[i].x1 = std::max(marks[i].x1, std::min(marks[i].x0 + least_width, limit));
  }
  return marks;
}

}  // namespace warpscope
