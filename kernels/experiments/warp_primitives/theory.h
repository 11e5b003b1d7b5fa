// What theory says of the warp primitives family's runs.
#pragma once

#include <vector>

#include "kernels/experiments/prediction.h"

namespace warpscope::warp_primitives {

std::vector<Prediction> theory(const RunRequest& request);

}  // namespace warpscope::warp_primitives
