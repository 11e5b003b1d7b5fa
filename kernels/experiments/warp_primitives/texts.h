// The texts, parameters and region names of the warp primitives family.
#pragma once

#include <array>
#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::warp_primitives {

// The values of the choices `members` and `width`.
constexpr std::array<uint32_t, 5> kMembers = {0xFFFFFFFFU, 0x0000FFFFU, 0x55555555U, 0xFFFFFFFEU,
                                              0x11111111U};
constexpr std::array<uint32_t, 6> kWidths = {32, 16, 8, 4, 2, 1};

FamilyInfo warpPrimitivesInfo();
std::vector<RegionName> warpPrimitivesRegionNames();

}  // namespace warpscope::warp_primitives
