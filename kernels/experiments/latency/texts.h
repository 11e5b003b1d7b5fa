// What the latency family tells its users: texts, parameters and region names.
#pragma once

#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::latency {

FamilyInfo latencyInfo();
std::vector<RegionName> latencyRegionNames();

}  // namespace warpscope::latency
