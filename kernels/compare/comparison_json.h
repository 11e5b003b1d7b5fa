// A comparison as `warpscope compare --json` prints it. Runs are numbered from 1, as --baseline takes them.
#pragma once

#include "kernels/compare/compare.h"
#include "kernels/core/json_fwd.h"

namespace warpscope {

Json comparisonReport(const Comparison& comparison);

}  // namespace warpscope
