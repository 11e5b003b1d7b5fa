#include "kernels/core/tensor_map.h"

#include <fmt/format.h>

#include <span>

namespace warpscope {
namespace {

using Element = TensorMapDescription::Element;

constexpr uint64_t kUnit = 16;  // bytes: addresses, strides and rows of a box are multiples of it
constexpr uint64_t kMostSize = uint64_t{1} << 32, kStrideEnd = uint64_t{1} << 40;
constexpr uint32_t kMostBox = 256;

constexpr std::array<const char*, TensorMapDescription::kElements> kNames{"u8",  "u16", "u32", "s32", "u64",
                                                                          "s64", "f16", "f32", "f64", "bf16"};

template <class Number>
std::string sides(std::span<const Number> each) {
  return fmt::format("{}", fmt::join(each, "x"));
}

}  // namespace

uint32_t TensorMapDescription::elementBytes() const {
  switch (element) {
    case Element::kU8:
      return 1;
    case Element::kU16:
    case Element::kF16:
    case Element::kBf16:
      return 2;
    case Element::kU64:
    case Element::kS64:
    case Element::kF64:
      return 8;
    default:
      return 4;
  }
}

uint64_t TensorMapDescription::boxBytes() const {
  uint64_t elements = 1;
  for (const uint32_t side : box) elements *= side;
  return elements * elementBytes();
}

uint64_t TensorMapDescription::bytes() const {
  uint64_t last = sizes[0] * elementBytes();
  for (uint32_t i = 1; i < rank; ++i) last += (sizes[i] - 1) * strides[i - 1];
  return last;
}

uint32_t swizzleBytes(TensorMapDescription::Swizzle swizzle) {
  constexpr std::array<uint32_t, TensorMapDescription::kSwizzles> kBytes{0, 32, 64, 128};
  return kBytes[static_cast<size_t>(swizzle)];
}

std::string describeTensorMap(const TensorMapDescription& map) {
  const size_t rank = std::min(map.rank, TensorMapDescription::kMostRank);
  std::string text =
      fmt::format("tensor {} of {}, boxes of {}", sides(std::span(map.sizes).first(rank)),
                  kNames[static_cast<size_t>(map.element)], sides(std::span(map.box).first(rank)));
  if (const uint32_t span = swizzleBytes(map.swizzle); span != 0)
    text += fmt::format(", {}-byte swizzle", span);
  return text;
}

Expected<void> checkTensorMap(const TensorMapDescription& map, uint64_t address) {
  const auto no = [&](const std::string& why) {
    return fail(ErrorKind::kBadRequest, "{}: {}", describeTensorMap(map), why);
  };
  if (map.rank == 0 || map.rank > TensorMapDescription::kMostRank)
    return no(fmt::format("it has {} dimensions; a tensor map has 1 to {}", map.rank,
                          TensorMapDescription::kMostRank));
  if (address % kUnit != 0)
    return no(fmt::format("the tensor's address {:#x} is not a multiple of {}", address, kUnit));
  for (uint32_t i = 0; i < map.rank; ++i) {
    if (map.sizes[i] == 0 || map.sizes[i] > kMostSize)
      return no(fmt::format("its size in dimension {} must be from 1 to 2^32 elements", i));
    if (map.box[i] == 0 || map.box[i] > kMostBox)
      return no(fmt::format("a box has {} elements in dimension {}; 1 to {} are possible", map.box[i], i,
                            kMostBox));
    const uint64_t stride = i == 0 ? 0 : map.strides[i - 1];
    if (stride % kUnit != 0 || stride >= kStrideEnd)
      return no(fmt::format("the stride of dimension {} is {} bytes; it must be a multiple of {} below 2^40",
                            i, stride, kUnit));
  }
  if (map.rowBytes() % kUnit != 0)
    return no(fmt::format("a row of a box has {} bytes; it must be a multiple of {}", map.rowBytes(), kUnit));
  const uint32_t span = swizzleBytes(map.swizzle);
  if (span != 0 && map.rowBytes() > span)
    return no(fmt::format("a row of a box has {} bytes, but a {}-byte swizzle allows at most {}",
                          map.rowBytes(), span, span));
  if (span != 0 && map.rowBytes() < span) {
    return no(fmt::format(
        "a row of a box has {} bytes: rows that are shorter than the {} bytes of the swizzle are possible on "
        "a GPU but not supported here",
        map.rowBytes(), span));
  }
  return {};
}

}  // namespace warpscope
