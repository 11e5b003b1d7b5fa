// What theory predicts for runs of the reduction family.
#pragma once

#include <vector>

#include "kernels/experiments/prediction.h"
#include "kernels/run/device_description.h"

namespace warpscope::reduction {

std::vector<Prediction> theory(const RunRequest& request, const DeviceLimits& limits);

}  // namespace warpscope::reduction
