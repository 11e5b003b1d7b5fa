// The whole launch in one strip: how many lanes were resident, how many of them executed, and which part is
// visible. Clicking or dragging moves the view there.
#pragma once

#include "viz/views/view.h"

namespace warpscope {

// Draws between the corners and handles the mouse. `name` is the widget's name in reports.
void drawMinimap(const ViewInput& input, ViewState& state, ImVec2 min, ImVec2 max, const char* name);

}  // namespace warpscope
