// What a texture fetch reads and how it is put together, for one lane: addressing, filtering and conversion
// as the "CUDA C++ Programming Guide" defines them in "Texture Fetching". Knows neither warps nor memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/core/image.h"
#include "kernels/sim/simt/texel_filter.h"

namespace warpscope::sim {

struct Footprint {
  std::array<uint64_t, kMostTexels> texels;  // indices in the image
  uint8_t border = 0;  // a bit for each texel that lies outside and is zeros: its index is the nearest one's
  std::array<int32_t, kMostTexels> weights;  // they add up to kWholeWeight
  uint32_t count = 1;
  bool isBorder(uint32_t texel) const { return (border >> texel & 1U) != 0; }
};

// A fetch at a point, as address modes apply. The coordinates beyond the image's dimensions do not matter.
Footprint footprintAt(const ImageDescription& image, const std::array<float, 3>& point);
// A fetch of one texel by its indices. Address modes do not apply: linear memory has zeros around it. Arrays
// have zeros for tex, too, and for tex.level their nearest texel; no document says so, and no function of
// CUDA C++ fetches from them by indices (H100 80GB HBM3, driver 580.159.04, 2026-11-23).
Footprint footprintOf(const ImageDescription& image, const std::array<int32_t, 3>& indices, bool has_level);

// The four results of a fetch as the bits of 32-bit registers. `texels` points to the bytes of each texel of
// the footprint, null for the border. Channels that the texel lacks are zeros, as on an H100 (CUDA does not
// say).
std::array<uint32_t, 4> fetchedValue(const ImageDescription& image, const Footprint& footprint,
                                     const std::array<const std::byte*, kMostTexels>& texels);

}  // namespace warpscope::sim
