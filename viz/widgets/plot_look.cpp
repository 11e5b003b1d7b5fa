#include "viz/widgets/plot_look.h"

#include <array>
#include <cmath>

#include "kernels/core/colours.h"
#include "viz/widgets/strokes.h"

namespace warpscope {
namespace {

constexpr float kOutline = 1.5F, kKeyLine = 1.75F, kKeyDash = 3;  // pixels at 100 %

struct Outline {
  std::array<ImVec2, 4> corners;
  int count = 4;
};

// An outline with about the area of a circle of this radius.
Outline outlineOf(MarkShape shape, ImVec2 at, float radius) {
  if (shape == MarkShape::kSquare) {
    const float r = radius * 0.89F;
    return {{{{at.x - r, at.y - r}, {at.x + r, at.y - r}, {at.x + r, at.y + r}, {at.x - r, at.y + r}}}};
  }
  if (shape == MarkShape::kDiamond) {
    const float r = radius * 1.3F;
    return {{{{at.x, at.y - r}, {at.x + r, at.y}, {at.x, at.y + r}, {at.x - r, at.y}}}};
  }
  const float r = radius * 1.4F, side = r * 0.9F;
  return {{{{at.x, at.y - r}, {at.x + side, at.y + r * 0.6F}, {at.x - side, at.y + r * 0.6F}, {}}}, 3};
}

}  // namespace

MarkLook seriesLook(const Theme& theme, size_t index, bool modelled) {
  static constexpr std::array kShapes{MarkShape::kCircle, MarkShape::kSquare, MarkShape::kDiamond,
                                      MarkShape::kTriangle};
  // After the last colour of the palette colours repeat, but with another shape, so that pairs do not.
  return {theme.series(index), kShapes[(index + index / kSeriesColours) % kShapes.size()], modelled};
}

void drawMark(const Theme& theme, ImDrawList& list, ImVec2 middle, const MarkLook& look, float radius) {
  const float r = theme.px(radius);
  if (look.shape == MarkShape::kCircle) {
    if (!look.modelled) return list.AddCircleFilled(middle, r, look.colour);
    list.AddCircleFilled(middle, r, theme.background);
    return list.AddCircle(middle, r, look.colour, 0, theme.px(kOutline));
  }
  const Outline outline = outlineOf(look.shape, middle, r);
  list.AddConvexPolyFilled(outline.corners.data(), outline.count,
                           look.modelled ? theme.background : look.colour);
  if (look.modelled) {
    for (int i = 0; i < outline.count; ++i) list.PathLineTo(outline.corners[static_cast<size_t>(i)]);
    list.PathStroke(look.colour, ImDrawFlags_Closed, theme.px(kOutline));
  }
}

void drawKey(const Theme& theme, ImDrawList& list, ImVec2 middle, float width, const MarkLook& look,
             bool with_line) {
  if (with_line) {
    const float y = std::round(middle.y);
    strokeLine(list, {middle.x - width / 2, y}, {middle.x + width / 2, y},
               {look.colour, theme.px(kKeyLine), look.modelled ? theme.px(kKeyDash) : 0});
  }
  drawMark(theme, list, middle, look, 3);
}

}  // namespace warpscope
