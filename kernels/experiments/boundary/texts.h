// What the boundary family tells its users: texts, parameters and region names.
#pragma once

#include <array>
#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::boundary {

// The choices of "tile", in order: sides of a tile, which is as large as the block.
inline constexpr std::array<uint32_t, 3> kTiles = {8, 16, 32};
inline constexpr int64_t kMostWidth = 2048;

FamilyInfo boundaryInfo();
std::vector<RegionName> boundaryRegionNames();

}  // namespace warpscope::boundary
