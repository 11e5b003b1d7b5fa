// The time of a fold, by region. Few regions occur in one fold; those after the first kCandidates are not
// considered.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "viz/layout/region_index.h"

namespace warpscope {

class RegionSums {
 public:
  void add(RegionIndex region, int64_t cycles) {
    if (region == kNoRegion) return;
    for (size_t i = 0; i < candidates_; ++i) {
      if (sums_[i].first == region) {
        sums_[i].second += cycles;
        return;
      }
    }
    if (candidates_ < kCandidates) sums_[candidates_++] = {region, cycles};
  }
  // The region with the most, and how much that is; kNoRegion if there was none.
  std::pair<RegionIndex, int64_t> dominant() const {
    std::pair<RegionIndex, int64_t> best{kNoRegion, 0};
    for (size_t i = 0; i < candidates_; ++i) {
      if (best.first == kNoRegion || sums_[i].second > best.second) best = sums_[i];
    }
    return best;
  }

 private:
  static constexpr size_t kCandidates = 8;
  std::array<std::pair<RegionIndex, int64_t>, kCandidates> sums_;  // the first `candidates_`
  size_t candidates_ = 0;
};

}  // namespace warpscope
