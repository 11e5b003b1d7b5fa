// Executes a plan on a simulated GPU, as fast as the host can and without a clock, to know what it computes.
#pragma once

#include <stop_token>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/experiments/experiment.h"

namespace warpscope {

struct SimulationLimits {
  double seconds = 5;
  uint64_t bytes = uint64_t{1} << 30;  // of buffers
};

// The content of every output and in-out buffer, in order. Errors say why the kernel cannot be executed
// there: kWorkFailed also if it takes longer, or needs more, than the limits.
Expected<std::vector<Bytes>> simulatePlan(const LaunchPlan& plan, const SimulationLimits& limits = {});

}  // namespace warpscope
