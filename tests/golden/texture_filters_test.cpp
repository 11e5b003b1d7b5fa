// Linear filters, bit for bit as an H100 computed them (texture_filters_h100.txt).
#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/sim/simt/texel_fetch.h"

namespace warpscope {
namespace {

struct RecordedImage {
  ImageDescription image;
  std::vector<std::byte> texels;
};

RecordedImage imageOf(std::istringstream& words) {
  RecordedImage read;
  ImageDescription& image = read.image;
  std::string kind, texels;
  words >> image.dimensions >> image.width >> image.height >> image.depth >> kind >>
      image.texel.channel_bytes >> texels;
  image.texel.kind = kind == "float"      ? TexelFormat::Kind::kFloat
                     : kind == "unsigned" ? TexelFormat::Kind::kUnsigned
                                          : TexelFormat::Kind::kSigned;
  image.normalized_float = kind != "float";
  image.linear_filter = true;
  for (size_t at = 0; at + 1 < texels.size(); at += 2)
    read.texels.push_back(static_cast<std::byte>(std::stoul(texels.substr(at, 2), nullptr, 16)));
  return read;
}

uint32_t fetched(const RecordedImage& from, const std::array<float, 3>& point) {
  const sim::Footprint footprint = sim::footprintAt(from.image, point);
  std::array<const std::byte*, sim::kMostTexels> texels{};
  for (uint32_t i = 0; i < footprint.count; ++i)
    texels[i] = &from.texels.at(footprint.texels[i] * from.image.texel.bytes());
  return sim::fetchedValue(from.image, footprint, texels)[0];
}

TEST(TextureFilters, AreThoseOfAnH100) {
  std::ifstream file(WARPSCOPE_TEXTURE_FILTERS);
  ASSERT_TRUE(file.good());
  RecordedImage from;
  size_t images = 0, fetches = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first == "image") {
      from = imageOf(words);
      ASSERT_EQ(from.texels.size(), from.image.bytes());
      ++images;
      continue;
    }
    std::array<float, 3> point{};
    for (size_t axis = 0; axis < from.image.dimensions; ++axis) {
      point[axis] = std::bit_cast<float>(static_cast<uint32_t>(std::stoul(first, nullptr, 16)));
      words >> first;
    }
    EXPECT_EQ(fetched(from, point), std::stoul(first, nullptr, 16))
        << describeImage(from.image) << " at " << point[0] << ", " << point[1] << ", " << point[2];
    ++fetches;
  }
  EXPECT_EQ(images, 7U);
  EXPECT_EQ(fetches, 7U * 150);
}

}  // namespace
}  // namespace warpscope
