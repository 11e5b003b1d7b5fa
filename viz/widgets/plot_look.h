// The look of a series wherever it is shown: its curve, its points, its key in legend and readout. Readers
// distinguish series by shape as well as by colour, and measured from modelled by filled against outlined.
#pragma once

#include <imgui.h>

#include <cstddef>

#include "viz/widgets/theme.h"

namespace warpscope {

enum class MarkShape { kCircle, kSquare, kDiamond, kTriangle };

struct MarkLook {
  ImU32 colour = 0;
  MarkShape shape = MarkShape::kCircle;
  bool modelled = false;  // dashed and outlined: simulated values never look like measured ones
};

// The look of the i-th series of a plot: neighbours differ in colour and shape.
MarkLook seriesLook(const Theme& theme, size_t index, bool modelled = false);

// A point of a series. All shapes look equally large.
void drawMark(const Theme& theme, ImDrawList& list, ImVec2 middle, const MarkLook& look, float radius = 3.5F);
// Draws the key: a piece of the curve with a point on it (or only the point), with this width around
// `middle`.
void drawKey(const Theme& theme, ImDrawList& list, ImVec2 middle, float width, const MarkLook& look,
             bool with_line);

}  // namespace warpscope
