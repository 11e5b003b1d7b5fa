// Strong types for small integers that are easily mixed up, and the mask of a warp's lanes.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>

namespace warpscope {

inline constexpr int kWarpSize = 32;

template <class Tag>
struct Id {
  uint32_t value = 0;
  auto operator<=>(const Id&) const = default;
};

using SmId = Id<struct SmTag>;        // physical SM, %smid
using BlockId = Id<struct BlockTag>;  // linear block index: x + gridDim.x * (y + gridDim.y * z)
using RegionId = Id<struct RegionTag>;

// A set of a warp's 32 lanes; bit i is lane i.
struct LaneMask {
  uint32_t bits = 0;

  int count() const { return std::popcount(bits); }
  bool has(int lane) const { return ((bits >> lane) & 1U) != 0; }
  bool empty() const { return bits == 0; }
  int lowest() const { return std::countr_zero(bits); }  // 32 when empty

  friend LaneMask operator&(LaneMask a, LaneMask b) { return {a.bits & b.bits}; }
  friend LaneMask operator|(LaneMask a, LaneMask b) { return {a.bits | b.bits}; }
  friend LaneMask operator~(LaneMask a) { return {~a.bits}; }
  bool operator==(const LaneMask&) const = default;
};

inline constexpr LaneMask kFullMask{0xFFFFFFFFU};

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

}  // namespace warpscope
