// Finding parameters and regions by what they mean (ParameterRole, RegionRole), for code that serves all
// families. Runs do not store roles; they are looked up in this program's family of the same name, so nothing
// has a role in a run of a family that the program lacks.
#pragma once

#include <optional>
#include <string>

#include "kernels/experiments/experiment.h"

namespace warpscope {

// The first one of the variant's, in the family's order; nullptr: it has none.
const ParameterSpec* findParameter(const FamilyInfo& family, const std::string& variant, ParameterRole role);

// Whether it sets the block's shape, and with it how the work is cut up, but not the work.
bool shapesBlock(ParameterRole role);

ParameterRole roleOfParameter(const std::string& family, const std::string& parameter);
// The value of the parameter with that role; nullopt: the request has none.
std::optional<int64_t> valueOfRole(const RunRequest& request, ParameterRole role);

RegionRole roleOfRegion(const std::string& family, const Region& region);

}  // namespace warpscope
