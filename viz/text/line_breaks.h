// Line breaking. Dear ImGui breaks lines at spaces, which Chinese does not use: there a line may end after
// any character, but not before a comma or after an opening bracket. It also breaks them after any comma or
// point, within numbers, too: "4,416" must stay in one line, and "33.8 µs", too, if there is room.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope {

using TextMeasure = std::function<float(std::string_view text)>;  // returns the width of the text

// The text in pieces that must each stay in one line; a line break is a piece of its own.
std::vector<std::string_view> unbrokenPieces(std::string_view text);

// Returns the text with line breaks inserted where it must break to stay within the width.
std::string brokenLines(const std::string& text, float width, const TextMeasure& width_of);

}  // namespace warpscope
