// What theory says of the coalescing family's runs.
#pragma once

#include <vector>

#include "kernels/experiments/prediction.h"

namespace warpscope::coalescing {

std::vector<Prediction> theory(const RunRequest& request);

}  // namespace warpscope::coalescing
