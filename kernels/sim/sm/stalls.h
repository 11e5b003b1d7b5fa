// The cycles that a compiler lets pass after each instruction (the stall counts of its control bits).
#pragma once

#include <span>
#include <vector>

#include "kernels/sim/sm/launch_model.h"

namespace warpscope::sim {

// Sets IssueOp::stall_cycles so that operands from pipes that always take the same time are ready, and that
// the pipe of two instructions in a row is free, if nothing else delays the warp. A warp lets these cycles
// pass even if it has waited for memory in between: a predicate that is 13 cycles old when its branch comes
// in the code stays so many cycles away.
void setStalls(std::vector<IssueOp>& ops, const MachineCode& machine);

}  // namespace warpscope::sim
