// A tensor in global memory as bulk copies see it through a tensor map: its elements, and the box of them
// that one copy moves to or from shared memory. A value: backends make the opaque object that a kernel gets.
// Names and rules follow cuTensorMapEncodeTiled of NVIDIA's CUDA driver API (13.0). Only what is the same for
// all maps here is left out: nothing is interleaved, every element of a box is moved (element strides of 1),
// and what is outside of the tensor is zeros.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "kernels/core/error.h"

namespace warpscope {

struct TensorMapDescription {
  static constexpr uint32_t kMostRank = 5;
  // In the order of CUtensorMapDataType.
  enum class Element : uint8_t { kU8, kU16, kU32, kS32, kU64, kS64, kF16, kF32, kF64, kBf16 };
  static constexpr uint64_t kElements = 10;
  // Which bits of an address in shared memory a copy changes, so that 16-byte chunks of one column lie in
  // different banks; in the order of CUtensorMapSwizzle.
  enum class Swizzle : uint8_t { kNone, k32Bytes, k64Bytes, k128Bytes };
  static constexpr uint64_t kSwizzles = 4;

  Element element = Element::kU32;
  Swizzle swizzle = Swizzle::kNone;
  uint32_t rank = 1;
  // Innermost first; those beyond `rank` are 1.
  std::array<uint64_t, kMostRank> sizes{1, 1, 1, 1, 1};  // of the tensor, in elements
  std::array<uint32_t, kMostRank> box{1, 1, 1, 1, 1};    // in elements
  // Bytes from one element to the next in dimension 1, 2, ...; in dimension 0 they lie side by side.
  std::array<uint64_t, kMostRank - 1> strides{};

  uint32_t elementBytes() const;
  uint64_t rowBytes() const { return uint64_t{box[0]} * elementBytes(); }  // of a box
  uint64_t boxBytes() const;
  uint64_t bytes() const;  // from the tensor's first byte to its last one
  bool operator==(const TensorMapDescription&) const = default;
};

// The bytes of the swizzle's span: 32, 64, 128; 0: none.
uint32_t swizzleBytes(TensorMapDescription::Swizzle swizzle);
// Where the 16-byte chunk at a shared address (or offset) lies that would be at `address` without a swizzle.
inline uint32_t swizzled(TensorMapDescription::Swizzle swizzle, uint32_t address) {
  constexpr std::array<uint32_t, TensorMapDescription::kSwizzles> kMask{0, 1, 3, 7};
  return address ^ (address >> 7 & kMask[static_cast<size_t>(swizzle)]) << 4;
}

// Whether a GPU can have such a map of a tensor at `address`. Error kBadRequest: what cannot be, and what
// could.
Expected<void> checkTensorMap(const TensorMapDescription& map, uint64_t address);
// "tensor 32x1024 of u32, boxes of 32x64, 128-byte swizzle"
std::string describeTensorMap(const TensorMapDescription& map);

}  // namespace warpscope
