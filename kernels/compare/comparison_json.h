// A comparison as `warpscope compare --json` prints it. Runs are numbered from 1, as for --baseline.
#pragma once

#include "kernels/compare/compare.h"

namespace warpscope {

class Json;

Json comparisonReport(const Comparison& comparison);

}  // namespace warpscope
