// What the mapping family tells its users: texts, parameters and region names.
#pragma once

#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::mapping {

FamilyInfo mappingInfo();
std::vector<RegionName> mappingRegionNames();

}  // namespace warpscope::mapping
