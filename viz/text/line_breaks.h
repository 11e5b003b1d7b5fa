// Line breaking. Dear ImGui breaks lines at spaces, which Chinese does not use: there a line may end after
// any character, but not before a comma or after an opening bracket.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace warpscope {

using TextMeasure = std::function<float(std::string_view text)>;  // returns the width of the text

// Returns the text with line breaks inserted where Chinese text must break to stay within the width. Texts
// without Chinese are unchanged, since Dear ImGui wraps them.
std::string brokenLines(const std::string& text, float width, const TextMeasure& width_of);

}  // namespace warpscope
