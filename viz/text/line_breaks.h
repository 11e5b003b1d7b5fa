// Where lines of a text end. Dear ImGui breaks them at spaces, which Chinese does not write: there a line may
// end after any character, but not before a comma or after an opening bracket.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace warpscope {

using TextMeasure = std::function<float(std::string_view text)>;  // its width

// With line ends where a text with Chinese must break to be no wider; texts without are as they were, for
// Dear ImGui to wrap.
std::string brokenLines(const std::string& text, float width, const TextMeasure& width_of);

}  // namespace warpscope
