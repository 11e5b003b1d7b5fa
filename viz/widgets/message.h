// The message of a view that has nothing to draw: one or two sentences, in its middle.
#pragma once

#include <imgui.h>

#include <string>

#include "viz/widgets/theme.h"

namespace warpscope {

// Wraps the text into the rectangle and centres it.
void drawMessage(const Theme& theme, const Fonts& fonts, ImVec2 min, ImVec2 max, const std::string& text);
// The same in the rest of the current window.
void drawMessage(const Theme& theme, const Fonts& fonts, const std::string& text);

}  // namespace warpscope
