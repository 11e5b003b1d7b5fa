// What the occupancy family tells its users: texts, parameters and region names.
#pragma once

#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::occupancy {

FamilyInfo occupancyInfo();
std::vector<RegionName> occupancyRegionNames();

}  // namespace warpscope::occupancy
