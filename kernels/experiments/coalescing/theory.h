// What theory predicts for runs of the coalescing family.
#pragma once

#include <vector>

#include "kernels/experiments/prediction.h"

namespace warpscope::coalescing {

std::vector<Prediction> theory(const RunRequest& request);

}  // namespace warpscope::coalescing
