// A trace's issued instructions as columns of bytes, and back; columns.h has those of warps and events.
// Internal to recordings.
#pragma once

#include "kernels/recording/columns.h"

namespace warpscope {

// The number of instructions that the warps have; only these are recorded.
size_t instructionsOfWarps(const Trace& trace);

// Fills the instruction columns. Fails if a warp's instructions are outside the trace.
Expected<void> makeInstructionColumns(const Trace& trace, Columns& columns);

// Fills in instructions and the warps' ranges of them; the warps must be there. `listed` is the number of
// instructions in the listing.
Expected<void> readInstructionColumns(const ColumnViews& columns, size_t instructions, size_t listed,
                                      Trace& trace);

}  // namespace warpscope
