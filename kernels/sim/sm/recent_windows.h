// Remembers the latest times for which something was taken, such as a pipe or the dispatcher, to say how much
// of a wait they account for. An SM has dozens of these objects. They are small, since the state of all SMs
// does not fit into the host's caches.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace warpscope::sim {

class RecentWindows {
 public:
  // Of a longer window, so many cycles at its end are remembered.
  static constexpr uint64_t kMostCycles = UINT16_MAX - 1;

  // From one cycle up to another, neither of which is before those added earlier.
  void add(uint64_t begin, uint64_t end) {
    ends_[next_] = static_cast<uint32_t>(end);
    sizes_[next_] = static_cast<uint16_t>(std::min(end - begin, kMostCycles) + 1);
    next_ = (next_ + 1) % kKept;
  }

  // How many of the cycles were taken: in proportion, if that was more often than is known.
  uint64_t within(uint64_t begin, uint64_t end) const {
    uint64_t taken = 0, known_from = begin;
    for (uint32_t i = 1; i <= kKept; ++i) {
      const uint32_t at = (next_ + kKept - i) % kKept;
      if (sizes_[at] == 0) break;
      const uint64_t window_end = cycleNear(end, ends_[at]), window_begin = window_end - sizes_[at] + 1;
      if (window_end <= begin) break;
      if (i == kKept) known_from = std::max(begin, window_begin);
      const uint64_t first = std::max(window_begin, begin), last = std::min(window_end, end);
      taken += last > first ? last - first : 0;
    }
    if (known_from == begin || known_from >= end) return taken;
    return std::min(taken * (end - begin) / (end - known_from), end - begin);
  }

 private:
  // The cycle of which these are the lower bits, and which is less than 2^31 cycles away.
  static uint64_t cycleNear(uint64_t cycle, uint32_t lower) {
    return cycle + static_cast<uint64_t>(static_cast<int32_t>(lower - static_cast<uint32_t>(cycle)));
  }

  static constexpr uint32_t kKept = 16;
  std::array<uint32_t, kKept> ends_{};
  std::array<uint16_t, kKept> sizes_{};  // cycles + 1; 0: there is no such window yet
  uint32_t next_ = 0;
};

}  // namespace warpscope::sim
