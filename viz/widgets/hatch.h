// Diagonal hatching: tells states apart where colour must not.
#pragma once

#include <imgui.h>

namespace warpscope {

// Lines rising to the right, the same pattern across neighbouring rectangles (it is fixed to the screen).
void drawHatch(ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 colour, float spacing, float thickness);

}  // namespace warpscope
