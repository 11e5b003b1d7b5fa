// The texts, parameters and region names of the coalescing family.
#pragma once

#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::coalescing {

FamilyInfo coalescingInfo();
std::vector<RegionName> coalescingRegionNames();

}  // namespace warpscope::coalescing
