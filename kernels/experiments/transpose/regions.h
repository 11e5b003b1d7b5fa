// The regions that the transpose kernels mark; shared by device and host code.
#pragma once

#include <cstdint>

namespace warpscope::transpose {

enum : uint32_t { kMove, kLoadTile, kBarrier, kStoreTile };

}  // namespace warpscope::transpose
