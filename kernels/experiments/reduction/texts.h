// The texts, parameters and region names of the reduction family.
#pragma once

#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::reduction {

FamilyInfo reductionInfo();
std::vector<RegionName> reductionRegionNames();

}  // namespace warpscope::reduction
