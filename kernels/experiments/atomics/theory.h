// What theory says of the atomics family's runs.
#pragma once

#include <vector>

#include "kernels/experiments/prediction.h"

namespace warpscope::atomics {

std::vector<Prediction> theory(const RunRequest& request);

}  // namespace warpscope::atomics
