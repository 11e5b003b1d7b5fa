// Remembers the latest times for which each of several things was taken, such as pipes and the dispatcher of
// a sub-partition, to say how much of a wait they account for. The state of all SMs does not fit into the
// host's caches. So windows are small, to note one writes to one line of these caches, and the places where
// the next ones go come first in memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace warpscope::sim {

template <size_t kThings>
class RecentWindows {
 public:
  // A longer window is cut at its beginning: so many cycles at its end are remembered.
  static constexpr uint64_t kMostCycles = INT32_MAX - 1;
  // So many bytes, the first ones, are read to note a window.
  static constexpr size_t kBytesInFront = kThings;

  // From one cycle up to another, neither of which is before those added earlier.
  void add(size_t thing, uint64_t begin, uint64_t end) {
    uint8_t& next = next_[thing];
    windows_[thing][next] = {static_cast<uint32_t>(end),
                             static_cast<uint32_t>(std::min(end - begin, kMostCycles) + 1)};
    next = static_cast<uint8_t>((next + 1) % kKept);
  }

  // For how many of the cycles it was taken: in proportion, if that was more often than is known.
  uint64_t within(size_t thing, uint64_t begin, uint64_t end) const {
    uint64_t taken = 0, known_from = begin;
    for (uint32_t i = 1; i <= kKept; ++i) {
      const Window& window = windows_[thing][(next_[thing] + kKept - i) % kKept];
      if (window.size == 0) break;
      const uint64_t window_end = cycleNear(end, window.end), window_begin = window_end - window.size + 1;
      if (window_end <= begin) break;
      if (i == kKept) known_from = std::max(begin, window_begin);
      const uint64_t first = std::max(window_begin, begin), last = std::min(window_end, end);
      taken += last > first ? last - first : 0;
    }
    if (known_from == begin || known_from >= end) return taken;
    return std::min(taken * (end - begin) / (end - known_from), end - begin);
  }

 private:
  struct Window {
    uint32_t end = 0;   // lower bits
    uint32_t size = 0;  // cycles + 1; 0: there is no such window yet
  };

  // The cycle of which these are the lower bits, and which is less than 2^31 cycles away.
  static uint64_t cycleNear(uint64_t cycle, uint32_t lower) {
    return cycle + static_cast<uint64_t>(static_cast<int32_t>(lower - static_cast<uint32_t>(cycle)));
  }

  static constexpr uint32_t kKept = 16;
  std::array<uint8_t, kThings> next_{};
  std::array<std::array<Window, kKept>, kThings> windows_{};
};

}  // namespace warpscope::sim
