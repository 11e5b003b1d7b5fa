// A trace's issued instructions as columns of bytes, and back; columns.h has those of warps and events.
// Internal to recordings.
#pragma once

#include "kernels/recording/columns.h"

namespace warpscope {

// How many instructions the warps have; only these are recorded.
size_t instructionsOfWarps(const Trace& trace);

// Fills the instruction columns. Error: a warp's instructions lie outside of the trace.
Expected<void> makeInstructionColumns(const Trace& trace, Columns& columns);

// Fills instructions and the warps' ranges of them; the warps are there. `listed`: how many instructions the
// listing has.
Expected<void> readInstructionColumns(const ColumnViews& columns, size_t instructions, size_t listed,
                                      Trace& trace);

}  // namespace warpscope
