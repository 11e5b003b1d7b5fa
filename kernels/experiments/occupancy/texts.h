// The texts, parameters and region names of the occupancy family.
#pragma once

#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::occupancy {

FamilyInfo occupancyInfo();
std::vector<RegionName> occupancyRegionNames();

}  // namespace warpscope::occupancy
