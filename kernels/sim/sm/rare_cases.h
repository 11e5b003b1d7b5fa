// Divisions and roots that are rounded correctly call a subroutine where the short sequence would not do:
// where the result is zero, subnormal, infinite or no number. A quotient of zero is not rare: a table begins
// with it.
#pragma once

#include <cstdint>

#include "kernels/sim/simt/code.h"
#include "kernels/sim/simt/registers.h"

namespace warpscope::sim {

// The machine instructions that a warp issues in the subroutine.
struct RareCase {
  uint32_t issues = 0;
  uint32_t lanes = 0;  // mask of those that need it
  bool is_double = false;
  uint32_t pc = 0;
  uint8_t trip = 0;  // as WarpAccess has it
};

// For an instruction with has_rare_cases, by the results that the lanes of `mask` have just computed. No
// lanes: the short sequence did for all.
RareCase rareCaseOf(const Instruction& instruction, const Registers& registers, uint32_t mask);

}  // namespace warpscope::sim
