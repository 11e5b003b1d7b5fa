// What theory says of the barriers family's runs.
#pragma once

#include <vector>

#include "kernels/experiments/prediction.h"

namespace warpscope::barriers {

std::vector<Prediction> theory(const RunRequest& request);

}  // namespace warpscope::barriers
