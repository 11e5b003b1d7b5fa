// The texts, parameters and region names of the broken family.
#pragma once

#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::broken {

FamilyInfo brokenInfo();
std::vector<RegionName> brokenRegionNames();

}  // namespace warpscope::broken
