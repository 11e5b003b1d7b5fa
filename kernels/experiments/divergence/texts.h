// What the divergence family tells its users: texts, parameters and region names.
#pragma once

#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::divergence {

FamilyInfo divergenceInfo();
std::vector<RegionName> divergenceRegionNames();

}  // namespace warpscope::divergence
