// Text over several lines, in any language.
#pragma once

#include <imgui.h>

#include <string>

#include "viz/widgets/theme.h"

namespace warpscope {

// Breaks lines for the current font; see viz/text/line_breaks.h.
std::string brokenLines(const std::string& text, float width);

// Draws at the cursor, wrapped to `width`.
void textWrapped(const std::string& text, float width);
// Draws up to the right end of the window.
void textWrapped(const std::string& text);

// The message of a view that has nothing to draw: one or two sentences, in its middle.

// Wraps the text into the rectangle and centres it.
void drawMessage(const Theme& theme, const Fonts& fonts, ImVec2 min, ImVec2 max, const std::string& text);
// The same in the rest of the current window.
void drawMessage(const Theme& theme, const Fonts& fonts, const std::string& text);

}  // namespace warpscope
