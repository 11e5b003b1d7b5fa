// The colours of regions and of the page around them, for everything that draws: the window, and exported
// files. The colours of regions are Okabe-Ito's, ordered so that neighbours differ in lightness, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace warpscope {

struct Rgb {
  uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Rgb&) const = default;
};

struct PageColours {
  Rgb background, panel, border, grid_line;
  Rgb text, text_quiet, accent;
  Rgb ok, warning, error;  // always with a sign or a word
  bool on_white = false;   // regions are dark enough for a white background
};
extern const PageColours kDarkPage, kLightPage, kHighContrastPage;

// The colour of the region with this index in Run::regions: the same region has the same colour everywhere.
Rgb regionColour(size_t index, const PageColours& page);
Rgb textOn(Rgb colour);                         // black or white, whichever is readable on it
Rgb mixColours(Rgb from, Rgb to, float share);  // share 0: from, 1: to
std::string hexColour(Rgb colour);              // "#56b4e9"

}  // namespace warpscope
