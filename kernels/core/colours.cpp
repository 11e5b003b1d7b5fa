#include "kernels/core/colours.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace warpscope {
namespace {

constexpr size_t kPaletteSize = 8;
using Palette = std::array<Rgb, kPaletteSize>;

// M. Okabe and K. Ito, "Color Universal Design" (jfly.uni-koeln.de/color), with black replaced by a grey;
// ordered so that neighbours also differ in lightness, and can be distinguished in greyscale and on a
// washed-out projector.
constexpr Palette kOkabeIto{{
    {0x56, 0xB4, 0xE9},  // sky blue
    {0xD5, 0x5E, 0x00},  // vermillion
    {0xF0, 0xE4, 0x42},  // yellow
    {0x00, 0x9E, 0x73},  // bluish green
    {0xE6, 0x9F, 0x00},  // orange
    {0x00, 0x72, 0xB2},  // blue
    {0xCC, 0x79, 0xA7},  // reddish purple
    {0xC4, 0xC8, 0xCE},  // grey
}};

// The same hues, dark enough for a white background.
constexpr Palette kOkabeItoOnWhite{{
    {0x3A, 0x9F, 0xDA},
    {0xC0, 0x4F, 0x00},
    {0xD8, 0xBE, 0x00},
    {0x00, 0x82, 0x5E},
    {0xDD, 0x92, 0x00},
    {0x00, 0x5C, 0x94},
    {0xBF, 0x5F, 0x95},
    {0x6E, 0x74, 0x7C},
}};

// Between the hues of the regions; neighbours differ in lightness, too.
constexpr std::array<Rgb, kSeriesColours> kSeries{{
    {0xA7, 0x8B, 0xFA},  // violet
    {0xB6, 0xE0, 0x4A},  // lime
    {0xFF, 0x9E, 0x9E},  // pink
    {0x3F, 0xE0, 0xCC},  // turquoise
    {0x9C, 0x6B, 0x43},  // brown
    {0xFF, 0xE0, 0xB8},  // peach
    {0x7A, 0x4F, 0xD0},  // purple
    {0x7F, 0x8F, 0x2E},  // olive
}};
constexpr std::array<Rgb, kSeriesColours> kSeriesOnWhite{{
    {0x7C, 0x4D, 0xDB},
    {0x6F, 0x9A, 0x00},
    {0xE0, 0x56, 0x6B},
    {0x0F, 0xA7, 0x9A},
    {0x7A, 0x4E, 0x2A},
    {0x2B, 0x2B, 0x3C},
    {0xB7, 0x9B, 0xFF},
    {0x4D, 0x5C, 0x12},
}};

constexpr std::array<Rgb, kWaitTones> kWaits{{
    {0x8C, 0x82, 0xD8},
    {0x5F, 0xB3, 0xB3},
    {0x7F, 0x8A, 0x9A},
    {0x9B, 0xA3, 0x5A},
    {0xC4, 0x7A, 0x8C},
    {0xB0, 0x8D, 0x6E},
}};
constexpr std::array<Rgb, kWaitTones> kWaitsOnWhite{{
    {0x5A, 0x4F, 0xB0},
    {0x2F, 0x85, 0x85},
    {0x6A, 0x74, 0x84},
    {0x6F, 0x7A, 0x2A},
    {0xA3, 0x4E, 0x63},
    {0x83, 0x60, 0x3F},
}};

}  // namespace

const PageColours kDarkPage{.background = {0x10, 0x12, 0x17},
                            .panel = {0x19, 0x1C, 0x23},
                            .border = {0x33, 0x39, 0x45},
                            .grid_line = {0x26, 0x2B, 0x34},
                            .text = {0xE6, 0xE9, 0xEE},
                            .text_quiet = {0x9A, 0xA3, 0xB2},
                            .accent = {0x7A, 0xA2, 0xF7},
                            .ok = {0x6F, 0xD0, 0x8C},
                            .warning = {0xF2, 0xC1, 0x4E},
                            .error = {0xFF, 0x7B, 0x72}};

const PageColours kLightPage{.background = {0xFF, 0xFF, 0xFF},
                             .panel = {0xF3, 0xF4, 0xF7},
                             .border = {0xC3, 0xC9, 0xD3},
                             .grid_line = {0xE3, 0xE6, 0xEB},
                             .text = {0x17, 0x1A, 0x20},
                             .text_quiet = {0x57, 0x60, 0x6E},
                             .accent = {0x1F, 0x5F, 0xD0},
                             .ok = {0x17, 0x7A, 0x3C},
                             .warning = {0x8F, 0x5F, 0x00},
                             .error = {0xC0, 0x21, 0x21},
                             .on_white = true};

const PageColours kHighContrastPage{.background = {0, 0, 0},
                                    .panel = {0, 0, 0},
                                    .border = {0xB4, 0xB4, 0xB4},
                                    .grid_line = {0x4A, 0x4A, 0x4A},
                                    .text = {0xFF, 0xFF, 0xFF},
                                    .text_quiet = {0xD8, 0xD8, 0xD8},
                                    .accent = {0x9C, 0xC4, 0xFF},
                                    .ok = {0x7C, 0xFF, 0xA0},
                                    .warning = {0xFF, 0xD8, 0x4D},
                                    .error = {0xFF, 0x9A, 0x92}};

Rgb mixColours(Rgb from, Rgb to, float share) {
  const float part = std::clamp(share, 0.0F, 1.0F);
  const auto mixed = [&](uint8_t a, uint8_t b) {
    return static_cast<uint8_t>(
        std::lround(static_cast<float>(a) * (1 - part) + static_cast<float>(b) * part));
  };
  return {mixed(from.red, to.red), mixed(from.green, to.green), mixed(from.blue, to.blue)};
}

Rgb regionColour(size_t index, const PageColours& page) {
  const Rgb base = (page.on_white ? kOkabeItoOnWhite : kOkabeIto)[index % kPaletteSize];
  // After the last colour the hues repeat, alternately closer to the text's colour and to the background's.
  const size_t round = index / kPaletteSize;
  if (round == 0) return base;
  const size_t pair = (round - 1) / 2;
  const float step = std::min(0.65F, 0.4F + 0.125F * static_cast<float>(pair));
  return mixColours(base, round % 2 == 1 ? page.text : page.background, step);
}

Rgb seriesColour(size_t index, const PageColours& page) {
  return (page.on_white ? kSeriesOnWhite : kSeries)[index % kSeriesColours];
}

Rgb waitColour(size_t tone, const PageColours& page) {
  return (page.on_white ? kWaitsOnWhite : kWaits).at(tone);
}

Rgb textOn(Rgb colour) {
  const float luma = 0.299F * static_cast<float>(colour.red) + 0.587F * static_cast<float>(colour.green) +
                     0.114F * static_cast<float>(colour.blue);
  return luma > 120 ? Rgb{0, 0, 0} : Rgb{255, 255, 255};
}

std::string hexColour(Rgb colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

}  // namespace warpscope
