// The first warps of a run, from which the size of an export is estimated.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/run/run.h"

namespace warpscope {

// The run with at most `most_warps` of its warps; all its numbers remain. The rest of the trace, which may be
// most of the memory, is not copied.
Run firstWarpsOf(const Run& run, size_t most_warps);

// How much an export of the run writes, up to a factor: warps, events and instructions.
uint64_t recordsOf(const Run& run);

}  // namespace warpscope
