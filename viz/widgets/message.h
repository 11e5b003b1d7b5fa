// What a view says in place of a picture: one or two sentences, in its middle.
#pragma once

#include <imgui.h>

#include <string>

#include "viz/widgets/theme.h"

namespace warpscope {

// Wraps into the rectangle and centres.
void drawMessage(const Theme& theme, const Fonts& fonts, ImVec2 min, ImVec2 max, const std::string& text);
// The same over all that is left of the current window.
void drawMessage(const Theme& theme, const Fonts& fonts, const std::string& text);

}  // namespace warpscope
