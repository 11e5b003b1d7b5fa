// The texts, parameters and region names of the mapping family.
#pragma once

#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::mapping {

FamilyInfo mappingInfo();
std::vector<RegionName> mappingRegionNames();

}  // namespace warpscope::mapping
