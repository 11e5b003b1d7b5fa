#include "viz/widgets/svg_markup.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <iterator>

namespace warpscope {

void appendSvgNumber(std::string& to, float value) {
  const long hundredths = std::lround(static_cast<double>(value) * 100);
  if (hundredths < 0) to += '-';
  const long size = std::abs(hundredths);
  fmt::format_to(std::back_inserter(to), "{}", size / 100);
  if (size % 100 == 0) return;
  fmt::format_to(std::back_inserter(to), ".{:02}", size % 100);
  if (size % 10 == 0) to.pop_back();
}

std::string svgNumber(float value) {
  std::string text;
  appendSvgNumber(text, value);
  return text;
}

std::string svgFill(ImU32 colour) {
  std::string text =
      fmt::format(R"(fill="#{:02x}{:02x}{:02x}")", colourChannel(colour, IM_COL32_R_SHIFT),
                  colourChannel(colour, IM_COL32_G_SHIFT), colourChannel(colour, IM_COL32_B_SHIFT));
  const uint32_t alpha = colourChannel(colour, IM_COL32_A_SHIFT);
  if (alpha < 255) text += fmt::format(R"( fill-opacity="{:.3g}")", alpha / 255.0);
  return text;
}

std::string escapedXml(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) safe += c;
    }
  }
  return safe;
}

}  // namespace warpscope
