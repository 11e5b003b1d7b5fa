// Remembers the latest times for which something was taken, such as a pipe or the dispatcher, to say how much
// of a wait they account for.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace warpscope::sim {

class RecentWindows {
 public:
  // From one cycle up to another, neither of which is before those added earlier.
  void add(uint64_t begin, uint64_t end) {
    windows_[next_] = {begin, end};
    next_ = (next_ + 1) % kKept;
  }

  // How many of the cycles were taken: in proportion, if that was more often than is known.
  uint64_t within(uint64_t begin, uint64_t end) const {
    uint64_t taken = 0, known_from = begin;
    for (uint32_t i = 1; i <= kKept; ++i) {
      const Window& window = windows_[(next_ + kKept - i) % kKept];
      if (window.end <= begin) break;
      if (i == kKept) known_from = std::max(begin, window.begin);
      const uint64_t first = std::max(window.begin, begin), last = std::min(window.end, end);
      taken += last > first ? last - first : 0;
    }
    if (known_from == begin || known_from >= end) return taken;
    return std::min(taken * (end - begin) / (end - known_from), end - begin);
  }

 private:
  struct Window {
    uint64_t begin = 0, end = 0;
  };
  static constexpr uint32_t kKept = 16;
  std::array<Window, kKept> windows_{};
  uint32_t next_ = 0;
};

}  // namespace warpscope::sim
