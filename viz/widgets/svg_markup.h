// Pieces of SVG text: numbers, colours, and escaped characters.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace warpscope {

// `shift`: IM_COL32_R_SHIFT ...; 0 to 255.
inline uint32_t colourChannel(ImU32 colour, int shift) {
  return colour >> shift & 0xFFU;
}

// Rounded to hundredths, in the shortest form: "12", "0.5".
void appendSvgNumber(std::string& to, float value);
std::string svgNumber(float value);
// fill="#ff8000" fill-opacity="0.5"
std::string svgFill(ImU32 colour);
// Escapes markup and drops characters that XML does not allow.
std::string escapedXml(std::string_view text);

}  // namespace warpscope
