// A second, plain implementation of the kernels' computations, thread by thread from the plan's own inputs;
// the families' checks, which take shortcuts, are tested against it.
#pragma once

#include <vector>

#include "kernels/experiments/experiment.h"

namespace warpscope::test {

// The content of every output and in-out buffer, in order.
std::vector<Bytes> referenceOutputs(const RunRequest& request, const LaunchPlan& plan);

Verification verify(const LaunchPlan& plan, const std::vector<Bytes>& outputs);

}  // namespace warpscope::test
