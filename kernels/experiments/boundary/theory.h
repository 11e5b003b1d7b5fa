// What theory predicts for runs of the boundary family.
#pragma once

#include <vector>

#include "kernels/experiments/prediction.h"

namespace warpscope::boundary {

std::vector<Prediction> theory(const RunRequest& request);

}  // namespace warpscope::boundary
