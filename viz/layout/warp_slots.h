// The warp slot of each recorded warp on its SM: the hardware's own where the trace has them, otherwise slots
// assigned so that warps which lived at the same time never share one.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/run/trace.h"

namespace warpscope {

struct WarpSlots {
  std::vector<uint32_t> of_warp;  // by index in Trace::warps
  bool assigned = false;          // not the hardware's own
};

// The trace's own slots are used unless two warps that lived at the same time are in one slot: then the trace
// does not really have them. Otherwise each warp, in the order of begins, gets the lowest slot of its SM that
// is free, which takes as few slots as there ever were warps at once.
WarpSlots warpSlots(const Trace& trace);

}  // namespace warpscope
