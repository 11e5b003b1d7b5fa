// The texts, parameters and region names of the latency family.
#pragma once

#include <vector>

#include "kernels/experiments/family.h"

namespace warpscope::latency {

FamilyInfo latencyInfo();
std::vector<RegionName> latencyRegionNames();

}  // namespace warpscope::latency
