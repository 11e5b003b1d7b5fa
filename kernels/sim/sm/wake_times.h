// When the warps of a sub-partition can issue again: a timing wheel, so that a scheduler need not look at
// those that sleep. The wheel holds the warps that wake within its next kNear cycles by the cycle; those
// further away wait until they come near. All operations but the rare move into the wheel take a few
// instructions, whatever the number of warps.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "kernels/sim/sm/cycles.h"

namespace warpscope::sim {

class WakeTimes {
 public:
  // A sub-partition has at most so many warps. No GPU has had more: those of compute capability 6.0 have 64
  // warps and two sub-partitions, later ones at most 64 and four (CUDA C++ Programming Guide, technical
  // specifications).
  static constexpr uint32_t kMostSlots = 32;
  using Bits = uint32_t;  // one for each slot

  WakeTimes() { cycles_.fill(kNever); }

  uint64_t of(uint32_t slot) const { return cycles_[slot]; }
  // The warp cannot issue before this cycle; kNever: until another one is set.
  [[gnu::always_inline]] void set(uint32_t slot, uint64_t cycle) {
    const Bits bit = Bits{1} << slot;
    if ((awake_ & bit) == 0) takeSleeping(slot);
    awake_ &= ~bit;
    cycles_[slot] = cycle;
    if (cycle - now_ - 1 < kNear) {
      putNear(cycle, bit);
    } else {
      putElsewhere(cycle, bit);
    }
  }

  // A bit for each slot whose warp is awake at `now`, which must not go back.
  Bits awake(uint64_t now) {
    if (now != now_) advance(now);
    return awake_;
  }
  Bits awake() const { return awake_; }
  // When the next of the others wakes; kNever: none does.
  uint64_t next() const {
    const uint32_t ahead = std::rotr(occupied_, static_cast<int>((now_ + 1) % kNear));
    return ahead != 0 ? now_ + 1 + static_cast<uint64_t>(std::countr_zero(ahead)) : first_far_;
  }

 private:
  static constexpr uint64_t kNear = 32;

  void putNear(uint64_t cycle, Bits bit) {
    wheel_[cycle % kNear] |= bit;
    occupied_ |= uint32_t{1} << cycle % kNear;
  }
  [[gnu::noinline]] void putElsewhere(uint64_t cycle, Bits bit) {
    if (cycle <= now_) {
      awake_ |= bit;
    } else if (cycle != kNever) {
      far_ |= bit;
      first_far_ = cycle < first_far_ ? cycle : first_far_;
    }
  }
  void take(uint64_t place, Bits bits) {
    wheel_[place] &= ~bits;
    occupied_ &= ~(uint32_t{wheel_[place] == 0} << place);
  }

  void advance(uint64_t now) {
    const uint64_t passed = now - now_;
    uint32_t due = std::rotr(occupied_, static_cast<int>((now_ + 1) % kNear));
    if (passed < kNear) due &= (uint32_t{1} << passed) - 1;
    for (; due != 0; due &= due - 1) {
      const uint64_t place = (now_ + 1 + static_cast<uint64_t>(std::countr_zero(due))) % kNear;
      awake_ |= wheel_[place];
      take(place, ~Bits{0});
    }
    now_ = now;
    if (first_far_ <= now + kNear) bringNear();
  }

  // Finds out again which warps are far away, and when the first of them wakes.
  void bringNear() {
    first_far_ = kNever;
    for (Bits rest = std::exchange(far_, 0); rest != 0; rest &= rest - 1) {
      const uint64_t cycle = cycles_[static_cast<uint32_t>(std::countr_zero(rest))];
      const Bits bit = rest & (~rest + 1);
      cycle - now_ - 1 < kNear ? putNear(cycle, bit) : putElsewhere(cycle, bit);
    }
  }
  [[gnu::noinline]] void takeSleeping(uint32_t slot) {
    const Bits bit = Bits{1} << slot;
    take(cycles_[slot] % kNear, bit);
    if ((far_ & bit) == 0) return;
    far_ &= ~bit;
    if (cycles_[slot] == first_far_) bringNear();
  }

  uint64_t now_ = 0;
  Bits awake_ = 0, far_ = 0;
  uint64_t first_far_ = kNever;
  uint32_t occupied_ = 0;  // a bit for each place of the wheel that is not empty
  std::array<Bits, kNear> wheel_{};
  std::array<uint64_t, kMostSlots> cycles_;
};

}  // namespace warpscope::sim
