// A comparison as `warpscope compare --json` prints it. Runs are numbered from 1, as --baseline takes them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "kernels/compare/compare.h"

namespace warpscope {

nlohmann::json comparisonReport(const Comparison& comparison);

}  // namespace warpscope
