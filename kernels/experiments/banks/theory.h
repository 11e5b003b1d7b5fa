// What theory predicts for runs of the banks family.
#pragma once

#include <vector>

#include "kernels/experiments/prediction.h"

namespace warpscope::banks {

std::vector<Prediction> theory(const RunRequest& request);

}  // namespace warpscope::banks
