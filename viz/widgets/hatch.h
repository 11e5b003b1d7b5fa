// Hatching: tells states apart where colour must not.
#pragma once

#include <imgui.h>

namespace warpscope {

enum class Hatch { kRising, kFalling, kCrossed, kUpright, kLevel };

// The same pattern across neighbouring rectangles: it is fixed to the screen.
void drawHatch(ImDrawList& list, Hatch kind, ImVec2 min, ImVec2 max, ImU32 colour, float spacing,
               float thickness);
// Lines rising to the right.
void drawHatch(ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 colour, float spacing, float thickness);

}  // namespace warpscope
