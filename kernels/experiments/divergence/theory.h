// What theory predicts for runs of the divergence family.
#pragma once

#include <vector>

#include "kernels/experiments/prediction.h"

namespace warpscope::divergence {

std::vector<Prediction> theory(const RunRequest& request);

}  // namespace warpscope::divergence
