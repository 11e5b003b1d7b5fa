// What theory predicts for runs of the mapping family.
#pragma once

#include <vector>

#include "kernels/experiments/prediction.h"

namespace warpscope::mapping {

std::vector<Prediction> theory(const RunRequest& request);

}  // namespace warpscope::mapping
