#include "viz/widgets/hatch.h"

#include <algorithm>
#include <cmath>

namespace warpscope {

namespace {

float firstLine(float from, float spacing) {
  return std::ceil(from / spacing) * spacing;
}

// Lines x + y = k * spacing, clipped at the rectangle's edges.
void drawRising(ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 colour, float spacing, float thickness) {
  const float last = max.x + max.y;
  for (float sum = firstLine(min.x + min.y, spacing); sum < last; sum += spacing) {
    const float x0 = std::max(min.x, sum - max.y);
    const float x1 = std::min(max.x, sum - min.y);
    if (x1 > x0) list.AddLine({x0, sum - x0}, {x1, sum - x1}, colour, thickness);
  }
}

// Lines x - y = k * spacing.
void drawFalling(ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 colour, float spacing, float thickness) {
  const float last = max.x - min.y;
  for (float difference = firstLine(min.x - max.y, spacing); difference < last; difference += spacing) {
    const float x0 = std::max(min.x, difference + min.y);
    const float x1 = std::min(max.x, difference + max.y);
    if (x1 > x0) list.AddLine({x0, x0 - difference}, {x1, x1 - difference}, colour, thickness);
  }
}

}  // namespace

void drawHatch(ImDrawList& list, Hatch kind, ImVec2 min, ImVec2 max, ImU32 colour, float spacing,
               float thickness) {
  if (kind == Hatch::kRising || kind == Hatch::kCrossed)
    drawRising(list, min, max, colour, spacing, thickness);
  if (kind == Hatch::kFalling || kind == Hatch::kCrossed)
    drawFalling(list, min, max, colour, spacing, thickness);
  if (kind == Hatch::kUpright) {
    for (float x = firstLine(min.x, spacing); x + thickness <= max.x; x += spacing)
      list.AddRectFilled({x, min.y}, {x + thickness, max.y}, colour);
  }
  if (kind == Hatch::kLevel) {
    for (float y = firstLine(min.y, spacing); y + thickness <= max.y; y += spacing)
      list.AddRectFilled({min.x, y}, {max.x, y + thickness}, colour);
  }
}

void drawHatch(ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 colour, float spacing, float thickness) {
  drawRising(list, min, max, colour, spacing, thickness);
}

}  // namespace warpscope
