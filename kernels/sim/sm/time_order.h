// Sorts items by cycle; items of the same cycle stay in the order in which they were added. The cycles of an
// epoch are close together, so that a radix sort is faster than comparing.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpscope::sim {

class TimeOrder {
 public:
  void clear() { keys_.clear(); }
  void add(uint64_t cycle, uint32_t item) { keys_.push_back({cycle, item}); }
  size_t size() const { return keys_.size(); }

  struct Key {
    uint64_t cycle;
    uint32_t item;
  };
  const std::vector<Key>& sorted() {
    constexpr size_t kFew = 48;
    if (keys_.size() < kFew) {
      insertionSort();
      return keys_;
    }
    const auto [least, most] = std::minmax_element(
        keys_.begin(), keys_.end(), [](const Key& a, const Key& b) { return a.cycle < b.cycle; });
    const uint64_t base = least->cycle, range = most->cycle - base;
    for (uint32_t shift = 0; shift < 64 && range >> shift != 0; shift += kDigitBits)
      countingPass(base, shift);
    return keys_;
  }

 private:
  static constexpr uint32_t kDigitBits = 10;
  static constexpr uint64_t kDigits = uint64_t{1} << kDigitBits;

  void insertionSort() {
    for (size_t i = 1; i < keys_.size(); ++i) {
      const Key key = keys_[i];
      size_t at = i;
      for (; at > 0 && keys_[at - 1].cycle > key.cycle; --at) keys_[at] = keys_[at - 1];
      keys_[at] = key;
    }
  }

  void countingPass(uint64_t base, uint32_t shift) {
    std::array<uint32_t, kDigits> places{};
    for (const Key& key : keys_) ++places[((key.cycle - base) >> shift) % kDigits];
    uint32_t before = 0;
    for (uint32_t& place : places) before += std::exchange(place, before);
    scratch_.resize(keys_.size());
    for (const Key& key : keys_) scratch_[places[((key.cycle - base) >> shift) % kDigits]++] = key;
    keys_.swap(scratch_);
  }

  std::vector<Key> keys_, scratch_;
};

}  // namespace warpscope::sim
