#include "tests/gui/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

// Its warnings are not ours.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#include <stb_image.h>
#pragma GCC diagnostic pop

namespace warpscope::testing {
namespace {

int distance(const Image& a, const Image& b, size_t pixel) {
  int farthest = 0;
  for (size_t i = pixel * 3; i < pixel * 3 + 3; ++i)
    farthest = std::max(farthest, std::abs(int{a.rgb[i]} - int{b.rgb[i]}));
  return farthest;
}

bool sameSize(const Image& a, const Image& b) {
  return a.width == b.width && a.height == b.height && a.rgb.size() == b.rgb.size();
}

}  // namespace

Expected<Image> readPng(const std::filesystem::path& path) {
  int width = 0, height = 0, channels = 0;
  unsigned char* pixels = stbi_load(path.c_str(), &width, &height, &channels, 3);
  if (pixels == nullptr)
    return fail(ErrorKind::kWorkFailed, "{} cannot be read as a picture: {}", path.string(),
                stbi_failure_reason());
  Image image{static_cast<uint32_t>(width), static_cast<uint32_t>(height), {}};
  image.rgb.assign(pixels, pixels + size_t{image.width} * image.height * 3);
  stbi_image_free(pixels);
  return image;
}

PictureDifference compare(const Image& expected, const Image& actual, const Tolerance& tolerance) {
  PictureDifference difference;
  difference.same_size = sameSize(expected, actual);
  if (!difference.same_size) return difference;
  const size_t pixels = expected.rgb.size() / 3;
  size_t others = 0;
  for (size_t i = 0; i < pixels; ++i) {
    const int far = distance(expected, actual, i);
    difference.largest = std::max(difference.largest, far);
    if (far <= tolerance.channel) continue;
    const auto x = static_cast<uint32_t>(i % expected.width), y = static_cast<uint32_t>(i / expected.width);
    if (others++ == 0) difference.left = difference.right = x, difference.top = y;
    difference.left = std::min(difference.left, x);
    difference.right = std::max(difference.right, x);
    difference.bottom = y;
  }
  difference.share = pixels == 0 ? 0 : static_cast<double>(others) / static_cast<double>(pixels);
  return difference;
}

Image differenceOf(const Image& expected, const Image& actual, const Tolerance& tolerance) {
  if (!sameSize(expected, actual)) return {};
  Image image = expected;
  for (size_t i = 0; i < image.rgb.size() / 3; ++i) {
    uint8_t* pixel = image.rgb.data() + i * 3;
    if (distance(expected, actual, i) > tolerance.channel) {
      pixel[0] = 255;
      pixel[1] = pixel[2] = 0;
    } else {
      const int grey = (pixel[0] + pixel[1] + pixel[2]) / 3;
      for (int c = 0; c < 3; ++c) pixel[c] = static_cast<uint8_t>(96 + grey / 4);
    }
  }
  return image;
}

}  // namespace warpscope::testing
