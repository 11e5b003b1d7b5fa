// What the barriers family tells its users: texts, parameters and region names.
#pragma once

#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::barriers {

FamilyInfo barriersInfo();
std::vector<RegionName> barriersRegionNames();

}  // namespace warpscope::barriers
