// The arithmetic of a linear filter. The "CUDA C++ Programming Guide" gives its formula, and weights of 8
// bits behind the point; how the sums are rounded was found on an NVIDIA H100 80GB HBM3 (driver 580.159.04,
// 2026-11-23), where all of 65,536 fetches each from lines of f32, f16, u8 and s16 and from planes of f32 are
// reproduced.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/core/image.h"

namespace warpscope::sim {

inline constexpr uint32_t kMostTexels = 8;  // of a fetch with linear filter from three dimensions
inline constexpr int32_t kWholeWeight = 256;

// In 1/256, of the texels of a footprint, x first, then y, then z. `second`: of each axis's second texel. The
// weights of a plane add up to 256 because one is rounded and the others are what it leaves. Of a volume only
// the last texel's weight is known (1 of 65,536 differs): that of x and z, times y, rounded; so are the
// others here.
std::array<int32_t, kMostTexels> filterWeights(const std::array<int32_t, 3>& second, uint32_t dimensions);

// The channel as the bits of an f32: of a float texel, or of an integer one that is read as 0 .. 1 or -1
// .. 1.
//   Floats: all texels that count are cut to 4 bits below the last bit of the largest, and the weighted sum
//   is rounded to a number of the texels' format, halves away from zero. Integers: they are taken as 16 bits;
//   the sum is rounded to 16 bits, halves upwards, and then divided.
// `texels` are null for the border, which counts as zeros, as do texels without weight, even infinite ones.
uint32_t filteredChannel(const TexelFormat& format, uint32_t count,
                         const std::array<const std::byte*, kMostTexels>& texels,
                         const std::array<int32_t, kMostTexels>& weights, uint32_t channel);

// An integer channel, sign-extended to 32 bits, or the bits of a float one.
uint32_t channelBits(const TexelFormat& format, const std::byte* texel, uint32_t channel);

}  // namespace warpscope::sim
