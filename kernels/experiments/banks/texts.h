// What the banks family tells its users: texts, parameters and region names.
#pragma once

#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::banks {

FamilyInfo banksInfo();
std::vector<RegionName> banksRegionNames();

}  // namespace warpscope::banks
