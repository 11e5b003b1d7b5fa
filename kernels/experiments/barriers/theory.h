// What theory predicts for runs of the barriers family.
#pragma once

#include <vector>

#include "kernels/experiments/prediction.h"

namespace warpscope::barriers {

std::vector<Prediction> theory(const RunRequest& request);

}  // namespace warpscope::barriers
