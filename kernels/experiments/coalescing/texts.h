// What the coalescing family tells its users: texts, parameters and region names.
#pragma once

#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::coalescing {

FamilyInfo coalescingInfo();
std::vector<RegionName> coalescingRegionNames();

}  // namespace warpscope::coalescing
