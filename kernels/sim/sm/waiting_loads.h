// The loads of an SM that wait for data from L2, in the order in which L1 looked them up. They give up
// their places in that order, and no more than kMostLines lines may wait at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpscope::sim {

class WaitingLoads {
 public:
  // Returns its place, which arrives() wants.
  uint64_t add(uint32_t lines) {
    if (end_ - first_ == loads_.size()) grow();
    at(end_) = {kUnknown, lines};
    lines_ += lines;
    return end_++;
  }

  void arrives(uint64_t place, uint64_t cycle) {
    if (place >= first_) at(place).cycle = cycle;
  }

  // From when `lines` more may wait, if not before `from`. What is not known to arrive does so at `unknown`.
  double room(double from, uint32_t lines, uint64_t unknown) {
    for (; first_ < end_; ++first_) {
      const Load& oldest = at(first_);
      const bool known = oldest.cycle != kUnknown;
      const auto arrives = static_cast<double>(known ? oldest.cycle : unknown);
      if (lines_ + lines <= kMostLines && (!known || arrives > from)) break;
      from = std::max(from, arrives);
      lines_ -= oldest.lines;
    }
    return from;
  }

 private:
  // Chosen between microbenchmarks on an H100 (580.159.04, 2026-11-27), where 47 loads of 32 lines wait
  // beside the 64 that may be in queues, and kernels of the truth suite that have up to 300 loads under way.
  static constexpr uint32_t kMostLines = 3500;
  static constexpr uint64_t kUnknown = ~uint64_t{0};

  struct Load {
    uint64_t cycle = kUnknown;  // at which its data come
    uint32_t lines = 0;
  };

  Load& at(uint64_t place) { return loads_[place & (loads_.size() - 1)]; }

  void grow() {
    std::vector<Load> larger(loads_.size() * 2);
    for (uint64_t place = first_; place < end_; ++place) larger[place & (larger.size() - 1)] = at(place);
    loads_.swap(larger);
  }

  std::vector<Load> loads_ = std::vector<Load>(64);  // a ring, whose size is a power of two
  uint64_t first_ = 0, end_ = 0;                     // places
  uint32_t lines_ = 0;
};

}  // namespace warpscope::sim
