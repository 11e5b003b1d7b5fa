// Divisions and roots that are rounded correctly call a subroutine where the short sequence would not do:
// where the result is zero, subnormal, infinite or no number. A quotient of zero is not rare: a table begins
// with it.
#pragma once

#include <cstdint>

#include "kernels/sim/simt/code.h"
#include "kernels/sim/simt/registers.h"

namespace warpscope::sim {

// What the subroutine adds to a warp.
struct RareCase {
  uint32_t issues = 0;
  uint32_t lanes = 0;  // mask of those that need it
};

// After the lanes of `mask` have executed an instruction that has rare cases.
RareCase rareCaseOf(const Instruction& instruction, const Registers& registers, uint32_t mask);

}  // namespace warpscope::sim
