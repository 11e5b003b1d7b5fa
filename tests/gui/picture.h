// Pictures that tests compare: read from and written to PNG files, and compared with each other.
#pragma once

#include <filesystem>

#include "app/gui/window.h"

namespace warpscope::testing {

Expected<Image> readPng(const std::filesystem::path& path);

// The differences that are allowed between equal pictures: fonts are rasterized with floating-point numbers,
// which other processors round otherwise.
struct Tolerance {
  int channel = 8;        // of 255, in any channel of a pixel
  double share = 0.0002;  // of all pixels that differ by more
};

struct PictureDifference {
  bool same_size = true;
  double share = 0;  // of pixels that differ by more than the tolerance's channel
  int largest = 0;   // in any channel
  // The rectangle around them: first and last column and row; empty if there are none.
  uint32_t left = 0, right = 0, top = 0, bottom = 0;
  bool within(const Tolerance& tolerance) const { return same_size && share <= tolerance.share; }
};

PictureDifference compare(const Image& expected, const Image& actual, const Tolerance& tolerance);
// A picture of the differences: the expected picture, faint, and over it in red each pixel that is another.
// Empty if the sizes differ.
Image differenceOf(const Image& expected, const Image& actual, const Tolerance& tolerance);

}  // namespace warpscope::testing
