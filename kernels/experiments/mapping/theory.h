// What theory says of the mapping family's runs.
#pragma once

#include <vector>

#include "kernels/experiments/prediction.h"

namespace warpscope::mapping {

std::vector<Prediction> theory(const RunRequest& request);

}  // namespace warpscope::mapping
