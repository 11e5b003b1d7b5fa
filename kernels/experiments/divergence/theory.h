// What theory says of the divergence family's runs.
#pragma once

#include <vector>

#include "kernels/experiments/prediction.h"

namespace warpscope::divergence {

std::vector<Prediction> theory(const RunRequest& request);

}  // namespace warpscope::divergence
