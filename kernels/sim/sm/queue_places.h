// The places of a queue, which are taken in turn: each until a cycle that is known when it is taken. An SM
// has many of these queues, and asks for room far more often than it takes a place, so the answer comes first
// in memory.
#pragma once

#include <array>
#include <cstdint>

namespace warpscope::sim {

template <uint32_t kPlaces>
class QueuePlaces {
 public:
  static constexpr uint32_t kCount = kPlaces;

  // The cycle from which there is room: that in which the place is free whose turn it is.
  uint64_t free() const { return free_; }
  // The cycle from which there is room for `count` places, which must be 1 to kPlaces.
  uint64_t freeFor(uint32_t count) const { return until_[(turn_ + count - 1) % kPlaces]; }
  // Until when the place is taken that was taken last; 0: none has been.
  uint64_t latest() const { return until_[(turn_ + kPlaces - 1) % kPlaces]; }
  void take(uint64_t until) {
    until_[turn_] = until;
    turn_ = turn_ + 1 == kPlaces ? 0 : turn_ + 1;
    free_ = until_[turn_];
  }

 private:
  uint64_t free_ = 0;
  uint32_t turn_ = 0;
  std::array<uint64_t, kPlaces> until_{};
};

}  // namespace warpscope::sim
