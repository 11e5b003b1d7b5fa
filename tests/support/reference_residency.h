// The outputs that the kernels of the families latency and occupancy must write, thread by thread; see
// reference_outputs.h.
#pragma once

#include <vector>

#include "kernels/experiments/experiment.h"

namespace warpscope::test {

std::vector<Bytes> latencyOutputs(const RunRequest& request, const LaunchPlan& plan);
std::vector<Bytes> occupancyOutputs(const RunRequest& request, const LaunchPlan& plan);

}  // namespace warpscope::test
