// What theory predicts for runs of the latency family.
#pragma once

#include <vector>

#include "kernels/experiments/prediction.h"
#include "kernels/run/device_description.h"

namespace warpscope::latency {

std::vector<Prediction> theory(const RunRequest& request, const DeviceLimits& limits);

}  // namespace warpscope::latency
