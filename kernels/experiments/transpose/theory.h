// What theory predicts for runs of the transpose family.
#pragma once

#include <string>
#include <vector>

#include "kernels/core/ids.h"
#include "kernels/experiments/prediction.h"

namespace warpscope::transpose {

// Empty if some tiles are not full: at the edges, requests are smaller.
std::vector<Prediction> theory(const std::string& variant, const Dim3& block, uint32_t rows,
                               uint32_t columns);

}  // namespace warpscope::transpose
