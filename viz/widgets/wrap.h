// Text over several lines, in any language.
#pragma once

#include <string>

namespace warpscope {

// In the current font, see viz/text/line_breaks.h.
std::string brokenLines(const std::string& text, float width);

// At the cursor, wrapped to `width`.
void textWrapped(const std::string& text, float width);
// To the right end of the window.
void textWrapped(const std::string& text);

}  // namespace warpscope
