// The texts, parameters and region names of the atomics family.
#pragma once

#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::atomics {

FamilyInfo atomicsInfo();
std::vector<RegionName> atomicsRegionNames();

}  // namespace warpscope::atomics
