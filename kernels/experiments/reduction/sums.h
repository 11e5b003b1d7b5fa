// Checks what the reductions write: the blocks' sums, and the total.
#pragma once

#include <cstdint>

#include "kernels/experiments/reduction/inputs.h"
#include "kernels/experiments/verification.h"

namespace warpscope::reduction {

// The elements that a block adds: chunks of `chunk` elements, the block's own and then every grid-th one.
struct Share {
  uint32_t size = 0, chunk = 0, blocks = 0;
};

struct Expectation {
  Numbers numbers;
  Share share;
  bool total_only = false;  // the kernel adds the blocks' sums, too
  uint64_t additions = 0;   // most additions that an element goes through: the depth of the tree
};

// `output` is an index into the outputs of the plan. Integers are compared exactly, floats within the error
// bound of their additions.
Verification checkSums(const Expectation& expected, Outputs outputs, size_t output);

// The bound on the error of a sum of `terms` floats that go through at most `additions` additions each,
// relative to the sum of their magnitudes (source: see sums.cpp).
double errorBound(uint64_t additions, uint64_t terms);

}  // namespace warpscope::reduction
