// Text over several lines, in any language.
#pragma once

#include <string>

namespace warpscope {

// Breaks lines for the current font; see viz/text/line_breaks.h.
std::string brokenLines(const std::string& text, float width);

// Draws at the cursor, wrapped to `width`.
void textWrapped(const std::string& text, float width);
// Draws up to the right end of the window.
void textWrapped(const std::string& text);

}  // namespace warpscope
