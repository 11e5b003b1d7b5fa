// What theory predicts for runs of the broken family.
#pragma once

#include <vector>

#include "kernels/experiments/experiment.h"
#include "kernels/experiments/prediction.h"

namespace warpscope::broken {

std::vector<Prediction> theory(const RunRequest& request, const VariantInfo& variant);

}  // namespace warpscope::broken
