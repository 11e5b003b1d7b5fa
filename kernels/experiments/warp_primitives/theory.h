// What theory predicts for runs of the warp primitives family.
#pragma once

#include <vector>

#include "kernels/experiments/prediction.h"

namespace warpscope::warp_primitives {

std::vector<Prediction> theory(const RunRequest& request);

}  // namespace warpscope::warp_primitives
