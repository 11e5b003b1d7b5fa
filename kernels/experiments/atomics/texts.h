// What the atomics family tells its users: texts, parameters and region names.
#pragma once

#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::atomics {

FamilyInfo atomicsInfo();
std::vector<RegionName> atomicsRegionNames();

}  // namespace warpscope::atomics
