// What theory says of the banks family's runs.
#pragma once

#include <vector>

#include "kernels/experiments/prediction.h"

namespace warpscope::banks {

std::vector<Prediction> theory(const RunRequest& request);

}  // namespace warpscope::banks
