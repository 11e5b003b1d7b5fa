// The numbers that the reductions add up, and their exact sums, with which checks and the precision panel
// compare.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/experiments/experiment.h"

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

}  // namespace warpscope::reduction
