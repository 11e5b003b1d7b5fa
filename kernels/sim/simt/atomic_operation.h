// What atomic operations do to a value in memory, by operation and type; shared by atom, red and the bulk
// reductions. interpreter_atomic.cpp defines them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/sim/ptx/instruction.h"

namespace warpscope::sim {

// The new value of `old` in memory; `c` is the third operand of cas.
uint64_t combine(ptx::AtomOp op, ptx::Type type, uint64_t old, uint64_t b, uint64_t c, bool global);

// The same for each of the elements of that type in `bytes` bytes.
void combineElements(ptx::AtomOp op, ptx::Type type, std::byte* to, const std::byte* from, uint64_t bytes,
                     bool global);

}  // namespace warpscope::sim
