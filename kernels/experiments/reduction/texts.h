// What the reduction family tells its users: texts, parameters and region names.
#pragma once

#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::reduction {

FamilyInfo reductionInfo();
std::vector<RegionName> reductionRegionNames();

}  // namespace warpscope::reduction
