// What is possible as a tensor map, and what is said of what is not.
#include "kernels/core/tensor_map.h"

#include <gtest/gtest.h>

#include <functional>

namespace warpscope {
namespace {

using Swizzle = TensorMapDescription::Swizzle;
using Element = TensorMapDescription::Element;

// 32 columns of 4 bytes, 1,000 rows that begin 144 bytes apart; boxes of whole rows.
TensorMapDescription matrix() {
  TensorMapDescription map;
  map.rank = 2;
  map.swizzle = Swizzle::k128Bytes;
  map.sizes = {32, 1000, 1, 1, 1};
  map.strides[0] = 144;
  map.box = {32, 64, 1, 1, 1};
  return map;
}

TEST(TensorMaps, DescribeThemselves) {
  const TensorMapDescription map = matrix();
  EXPECT_EQ(describeTensorMap(map), "tensor 32x1000 of u32, boxes of 32x64, 128-byte swizzle");
  EXPECT_EQ(map.elementBytes(), 4U);
  EXPECT_EQ(map.rowBytes(), 128U);
  EXPECT_EQ(map.boxBytes(), 128U * 64);
  EXPECT_EQ(map.bytes(), 999U * 144 + 128);
}

TEST(TensorMaps, AreRefusedWithWhatIsWrong) {
  EXPECT_TRUE(checkTensorMap(matrix(), 0x7000'0000'0010));
  const auto refused = [](const std::string& words, const std::function<void(TensorMapDescription&)>& change,
                          uint64_t address = 0) {
    TensorMapDescription map = matrix();
    change(map);
    const auto possible = checkTensorMap(map, address);
    ASSERT_FALSE(possible) << words;
    EXPECT_EQ(possible.error().kind, ErrorKind::kBadRequest);
    EXPECT_NE(possible.error().message.find(words), std::string::npos) << possible.error().message;
  };
  refused(
      "0x8 is not a multiple of 16", [](auto&) {}, 8);
  refused("0 dimensions", [](auto& map) { map.rank = 0; });
  refused("6 dimensions", [](auto& map) { map.rank = 6; });
  refused("size in dimension 1", [](auto& map) { map.sizes[1] = 0; });
  refused("size in dimension 0", [](auto& map) { map.sizes[0] = (uint64_t{1} << 32) + 1; });
  refused("257 elements in dimension 1", [](auto& map) { map.box[1] = 257; });
  refused("0 elements in dimension 0", [](auto& map) { map.box[0] = 0; });
  refused("dimension 1 is 136 bytes", [](auto& map) { map.strides[0] = 136; });
  refused("below 2^40", [](auto& map) { map.strides[0] = uint64_t{1} << 40; });
  refused("a row of a box has 124 bytes; it must be a multiple of 16", [](auto& map) { map.box[0] = 31; });
  refused("has 256 bytes, but a 128-byte swizzle allows at most 128",
          [](auto& map) { map.element = Element::kF64; });
  refused("not supported here", [](auto& map) { map.element = Element::kF16; });
  TensorMapDescription largest = matrix();
  largest.sizes[0] = uint64_t{1} << 32;
  largest.strides[0] = (uint64_t{1} << 40) - 16;
  EXPECT_TRUE(checkTensorMap(largest, 0));
}

// The address bits that NVIDIA's swizzles combine: 4 to 6 with 7 to 9.
TEST(TensorMaps, SwizzlesExchangeChunksOfALine) {
  for (uint32_t line = 0; line < 16; ++line) {
    for (uint32_t chunk = 0; chunk < 8; ++chunk) {
      const uint32_t at = line * 128 + chunk * 16;
      EXPECT_EQ(swizzled(Swizzle::kNone, at), at);
      EXPECT_EQ(swizzled(Swizzle::k32Bytes, at), line * 128 + (chunk ^ line % 2) * 16);
      EXPECT_EQ(swizzled(Swizzle::k64Bytes, at), line * 128 + (chunk ^ line % 4) * 16);
      EXPECT_EQ(swizzled(Swizzle::k128Bytes, at), line * 128 + (chunk ^ line % 8) * 16);
    }
  }
}

}  // namespace
}  // namespace warpscope
