// What theory says of the latency family's runs.
#pragma once

#include <vector>

#include "kernels/experiments/prediction.h"
#include "kernels/run/device_description.h"

namespace warpscope::latency {

std::vector<Prediction> theory(const RunRequest& request, const DeviceLimits& limits);

}  // namespace warpscope::latency
