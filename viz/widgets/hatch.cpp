#include "viz/widgets/hatch.h"

#include <algorithm>
#include <cmath>

namespace warpscope {

void drawHatch(ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 colour, float spacing, float thickness) {
  // Lines x + y = k * spacing, cut at the rectangle's edges.
  const float first = std::ceil((min.x + min.y) / spacing) * spacing;
  const float last = max.x + max.y;
  for (float sum = first; sum < last; sum += spacing) {
    const float x0 = std::max(min.x, sum - max.y);
    const float x1 = std::min(max.x, sum - min.y);
    if (x1 > x0) list.AddLine({x0, sum - x0}, {x1, sum - x1}, colour, thickness);
  }
}

}  // namespace warpscope
