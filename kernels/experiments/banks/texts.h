// The texts, parameters and region names of the banks family.
#pragma once

#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::banks {

FamilyInfo banksInfo();
std::vector<RegionName> banksRegionNames();

}  // namespace warpscope::banks
