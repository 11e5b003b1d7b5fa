// What the broken family tells its users: texts, parameters and region names.
#pragma once

#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::broken {

FamilyInfo brokenInfo();
std::vector<RegionName> brokenRegionNames();

}  // namespace warpscope::broken
