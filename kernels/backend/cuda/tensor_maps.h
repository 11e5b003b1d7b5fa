// Tensor maps of a GPU, which the driver encodes.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/backend/cuda/session.h"
#include "kernels/core/tensor_map.h"

namespace warpscope::cuda {

Expected<std::vector<std::byte>> encodeTensorMap(Session& session, const TensorMapDescription& map,
                                                 Address tensor);

}  // namespace warpscope::cuda
