// ptxas fuses multiplications with the additions that use them, unless the text forbids it, and so does this
// simulator: the sums have one rounding less, and would differ from a real GPU's otherwise.
#pragma once

#include <vector>

#include "kernels/sim/ptx/module.h"

namespace warpscope::sim {

// The function's instructions, where each add or sub that is fused has become an fma of the same text; the
// mul stays, and has no use. As the PTX ISA allows (9.7.3: mul, add and sub without a rounding modifier), by
// the rules that ptxas 13.0 keeps for sm_90, found from the machine code that it makes (-fmad is its
// default):
//   - a mul is fused if all of its uses are additions in its own basic block, into each of them;
//   - neither has a rounding modifier, the mul has no .sat, both or neither have .ftz;
//   - of two products that are added, one with a single use goes before one with several, and the first
//     operand before the second.
// ptxas also fuses a product one of whose factors is overwritten before the sum; here it is not. Compilers do
// not write such text.
std::vector<ptx::Instruction> contracted(const ptx::Function& function);

}  // namespace warpscope::sim
