// What theory predicts for runs of the atomics family.
#pragma once

#include <vector>

#include "kernels/experiments/prediction.h"

namespace warpscope::atomics {

std::vector<Prediction> theory(const RunRequest& request);

}  // namespace warpscope::atomics
