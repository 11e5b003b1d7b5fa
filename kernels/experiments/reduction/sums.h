// The numbers that the reductions add up, their exact sums, with which checks and the precision panel
// compare, and the check of what the reductions write: the blocks' sums, and the total.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/experiments/experiment.h"
#include "kernels/experiments/verification.h"

namespace warpscope::reduction {

struct Numbers {
  bool floats = false;
  bool copies = false;  // copies of 1.23f or of 1; else random: ints from -128 to 127, floats from 0 to 1
  auto operator<=>(const Numbers&) const = default;
};

std::shared_ptr<const Bytes> makeInput(Numbers numbers, uint32_t size);

// The sum of the whole input in float32, added up sequentially; cached for the next run.
float sequentialFloatSum(Numbers numbers, uint32_t size);

// Exact sums of any range of the first `size` numbers. All numbers are whole multiples of a unit, so that
// int64 and float64 hold every sum exactly: 2^28 x 2^24 units.
class RangeSums {
 public:
  RangeSums(Numbers numbers, uint32_t size);

  int64_t units(uint32_t begin, uint32_t end) const { return upTo(end) - upTo(begin); }
  double unit() const { return unit_; }

 private:
  int64_t upTo(uint32_t end) const;

  Numbers numbers_;
  double unit_ = 1;
  // [g]: the sum of the numbers before group g of 32; only for random numbers.
  std::shared_ptr<const std::vector<int64_t>> before_;
};

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
