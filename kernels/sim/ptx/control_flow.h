// The control flow of one function: basic blocks, their successors, and immediate post-dominators, where
// diverged lanes reconverge. The result is a plain value; building it cannot fail.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/sim/ptx/module.h"

namespace warpscope::ptx {

struct BasicBlock {
  uint32_t first = 0, count = 0;     // instruction indices
  std::vector<uint32_t> successors;  // block indices; the exit is not among them
  bool reaches_exit = false;         // ends with ret, exit, trap, or falls off the end
};

struct ControlFlow {
  std::vector<BasicBlock> blocks;  // in the order of the PTX text
  std::vector<uint32_t> block_of;  // block index by instruction index
  static constexpr uint32_t kExit = 0xFFFFFFFFU;
  std::vector<uint32_t>
      post_dominator;  // by block: its immediate post-dominator, or kExit for the function's end
  // By block: where those of its lanes meet that leave none of the loops around it, nor the function, nor go
  // to the post-dominator, in between; from the innermost loop outwards, as far as these places lie before
  // the post-dominator.
  std::vector<std::vector<uint32_t>> earlier_meetings;
};

ControlFlow controlFlow(const Function& function);

}  // namespace warpscope::ptx
