// The cycles in which an SM that has run ahead of the others did something, so that the grid's epochs are the
// same as if it had not.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "kernels/sim/sm/cycles.h"

namespace warpscope::sim {

class StepsAhead {
 public:
  static constexpr uint64_t kMostCycles = 4096;  // from the cycle in which it begins

  void begin(uint64_t cycle) {
    begin_ = until_ = cycle;
    steps_.fill(0);
  }
  void add(uint64_t cycle) {
    const uint64_t at = cycle - begin_;
    if (at < kMostCycles) steps_[at / 64] |= uint64_t{1} << at % 64;
  }
  // Everything before this cycle has been done.
  void reach(uint64_t cycle) { until_ = cycle; }
  uint64_t until() const { return until_; }
  // The first step that is not before `cycle`; kNever: it is not known.
  uint64_t next(uint64_t cycle) const {
    if (cycle >= until_) return kNever;
    const uint64_t at = cycle > begin_ ? cycle - begin_ : 0;
    uint64_t word = at / 64, bits = steps_[word] >> at % 64 << at % 64;
    while (bits == 0 && ++word < steps_.size()) bits = steps_[word];
    if (bits == 0) return kNever;
    const uint64_t found = begin_ + word * 64 + static_cast<uint64_t>(std::countr_zero(bits));
    return found < until_ ? found : kNever;
  }

 private:
  uint64_t begin_ = 0, until_ = 0;
  std::array<uint64_t, kMostCycles / 64> steps_{};
};

}  // namespace warpscope::sim
