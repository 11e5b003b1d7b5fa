// What theory says of the boundary family's runs.
#pragma once

#include <vector>

#include "kernels/experiments/prediction.h"

namespace warpscope::boundary {

std::vector<Prediction> theory(const RunRequest& request);

}  // namespace warpscope::boundary
