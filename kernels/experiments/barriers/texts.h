// The texts, parameters and region names of the barriers family.
#pragma once

#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::barriers {

FamilyInfo barriersInfo();
std::vector<RegionName> barriersRegionNames();

}  // namespace warpscope::barriers
