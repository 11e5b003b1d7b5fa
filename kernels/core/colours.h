// Every colour there is, and the only place that names one: of regions, of runs, blocks and warps, of what a
// warp waits for, and of the page around them. The window's theme and the files that runs are exported to
// take theirs from here. Regions are Okabe-Ito, ordered so that neighbours differ in lightness, too.
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
  Rgb ok, warning, error;  // always with a symbol or a word
  bool on_white = false;   // regions are dark enough for a white background
};
extern const PageColours kDarkPage, kLightPage, kHighContrastPage;

// The colour of the region with this index in Run::regions: the same region has the same colour everywhere.
Rgb regionColour(size_t index, const PageColours& page);
// The colour of what else there are several of (runs, blocks, warps), which may be on one page with regions:
// hues that no region has. It repeats after kSeriesColours.
inline constexpr size_t kSeriesColours = 8;
Rgb seriesColour(size_t index, const PageColours& page);
// Muted tones that no region has: indigo, teal, slate, olive, rose, brown.
inline constexpr size_t kWaitTones = 6;
Rgb waitColour(size_t tone, const PageColours& page);
Rgb textOn(Rgb colour);                         // black or white, whichever is readable on it
Rgb mixColours(Rgb from, Rgb to, float share);  // share 0: from, 1: to
std::string hexColour(Rgb colour);              // "#56b4e9"

}  // namespace warpscope
