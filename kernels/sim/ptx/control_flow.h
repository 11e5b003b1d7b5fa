// Control flow of one function: basic blocks, their successors, and immediate post-dominators, where diverged
// lanes reconverge.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/sim/ptx/module.h"

namespace warpscope::ptx {

struct BasicBlock {
  uint32_t first = 0, count = 0;     // instructions
  std::vector<uint32_t> successors;  // block indices; the exit is not among them
  bool reaches_exit = false;         // ends with ret, exit, trap, or falls off the end
};

struct ControlFlow {
  std::vector<BasicBlock> blocks;  // in the order of the text
  std::vector<uint32_t> block_of;  // by instruction
  static constexpr uint32_t kExit = 0xFFFFFFFFU;
  std::vector<uint32_t> post_dominator;  // by block: its immediate post-dominator; kExit: the function's end
};

ControlFlow controlFlow(const Function& function);

}  // namespace warpscope::ptx
