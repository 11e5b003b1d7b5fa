// The regions that the graphs kernel marks; shared by device and host code.
#pragma once

#include <cstdint>

namespace warpscope::graphs {

enum : uint32_t { kIndex, kGather, kStore, kDecide };

}  // namespace warpscope::graphs
