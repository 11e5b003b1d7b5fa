// The texts, parameters and region names of the divergence family.
#pragma once

#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::divergence {

// The choices of "data", in order.
enum class Order : int64_t { kRandom, kSorted, kStriped };

FamilyInfo divergenceInfo();
std::vector<RegionName> divergenceRegionNames();

}  // namespace warpscope::divergence
