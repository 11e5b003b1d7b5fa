// Classifies instructions by the part of the interpreter that executes them, and says which end a segment.
#pragma once

#include "kernels/sim/ptx/instruction.h"
#include "kernels/sim/simt/code.h"

namespace warpscope::sim {

// As its opcode says. Operands may say more: a load of a kernel's own parameter, a function that is provided.
Kind kindOf(const ptx::Instruction& in);
// By kind, and by whether a load is strong: see Segment.
bool endsSegment(const Instruction& in);
bool tellsTime(ptx::Special special);

}  // namespace warpscope::sim
