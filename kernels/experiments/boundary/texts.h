// The texts, parameters and region names of the boundary family.
#pragma once

#include <array>
#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::boundary {

// The choices of "tile", in order: the side of a tile, which has the block's size.
inline constexpr std::array<uint32_t, 3> kTiles = {8, 16, 32};
inline constexpr int64_t kMostWidth = 2048;

FamilyInfo boundaryInfo();
std::vector<RegionName> boundaryRegionNames();

}  // namespace warpscope::boundary
