// Parts of a run by its warps: the first ones, from which the size of an export is estimated, or none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/run/run.h"

namespace warpscope {

// The run with all its numbers and without warps and what they did, which may be most of the memory: these
// are not copied.
Run withoutWarps(const Run& run);
// The run with at most `most_warps` of its warps; all its numbers remain.
Run firstWarpsOf(const Run& run, size_t most_warps);

// How much an export of the run writes, up to a factor: warps, events and instructions.
uint64_t recordsOf(const Run& run);

}  // namespace warpscope
