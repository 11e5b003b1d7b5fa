// Tensor maps on the driver that is made for tests: what it is asked for, and what is said when it cannot.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "kernels/backend/cuda/cuda_backend.h"
#include "tests/support/fake_cuda/fake_driver.h"

namespace warpscope {
namespace {

namespace fake = testing::fake_driver;

TEST(CudaTensorMaps, AreEncodedByTheDriver) {
  fake::unload();
  auto backend = openCudaBackend(0);
  ASSERT_TRUE(backend) << backend.error().message;
  TensorMapDescription map{.element = TensorMapDescription::Element::kBf16,
                           .swizzle = TensorMapDescription::Swizzle::k64Bytes,
                           .rank = 3,
                           .sizes = {50, 6, 7, 1, 1},
                           .box = {32, 2, 3, 1, 1},
                           .strides = {112, 672, 0, 0}};
  const auto made = (*backend)->encodeTensorMap(map, 0x7000'0000'0100);
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_EQ(made->size(), 128U);
  // The fake driver's maps hold what it was given: element (9: CU_TENSOR_MAP_DATA_TYPE_BFLOAT16), swizzle (2:
  // CU_TENSOR_MAP_SWIZZLE_64B), rank, address, sizes, strides, box, and whatever else was not 0 or 1.
  std::array<uint64_t, 16> words{};
  std::memcpy(words.data(), made->data(), sizeof words);
  EXPECT_EQ(words, (std::array<uint64_t, 16>{9, 2, 3, 0x7000'0000'0100, 50, 6, 7, 112, 672, 32, 2, 3}));

  fake::failAt("cuTensorMapEncodeTiled", 1, 1);
  const auto failed = (*backend)->encodeTensorMap(map, 0x7000'0000'0100);
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("making the map of a tensor 50x6x7 of bf16"), std::string::npos)
      << failed.error().message;
  map.box[0] = 33;
  const auto refused = (*backend)->encodeTensorMap(map, 0x7000'0000'0100);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kBadRequest);
  backend->reset();
  fake::unload();
}

}  // namespace
}  // namespace warpscope
