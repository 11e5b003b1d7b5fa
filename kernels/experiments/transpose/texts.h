// The texts, parameters and region names of the transpose family.
#pragma once

#include <array>
#include <vector>

#include "kernels/core/ids.h"
#include "kernels/experiments/family.h"

namespace warpscope::transpose {

// The choices of "block", in order: width (and the tile's side) x height.
inline constexpr std::array<Dim3, 4> kBlockShapes = {Dim3{32, 8}, Dim3{32, 16}, Dim3{32, 32}, Dim3{16, 16}};

FamilyInfo transposeInfo();
std::vector<RegionName> transposeRegionNames();

}  // namespace warpscope::transpose
