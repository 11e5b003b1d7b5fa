// Hatching, which distinguishes states without relying on colour.
#pragma once

#include <imgui.h>

namespace warpscope {

enum class Hatch { kRising, kFalling, kCrossed, kUpright, kLevel };

// The pattern is continuous across neighbouring rectangles, because it is fixed to the screen.
void drawHatch(ImDrawList& list, Hatch kind, ImVec2 min, ImVec2 max, ImU32 colour, float spacing,
               float thickness);
// Draws lines that rise to the right.
void drawHatch(ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 colour, float spacing, float thickness);

}  // namespace warpscope
