// The data stage of an SM's load-store unit: one access to shared memory or L1 after another reads or writes
// the banks. Loads whose data L1 does not have take it when L2 has sent these, in turns with what comes
// meanwhile.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "kernels/sim/sm/booked_unit.h"

namespace warpscope::sim {

class DataStage {
 public:
  // When it is free again, as far as is known of the time until the last pass().
  double free() const { return free_; }
  void keepBusyUntil(double cycle) { free_ = std::max(free_, cycle); }

  // It does not work in whole cycles; an access that begins in a cycle may have waited for only part of it.
  void take(uint64_t cycle, double cycles) {
    const auto from = static_cast<double>(cycle);
    work_.book(from, cycles);
    idleUntil(from - 1);
    const double others = std::min(pending_, cycles);
    pending_ -= others;
    free_ += cycles + others;
  }

  // Data that L2 sends at `cycle`, which may be in the future. Returns when the warp has them.
  uint64_t takeReturned(uint64_t cycle, double cycles) {
    const uint64_t slot = std::clamp(cycle / kSlotCycles, next_slot_, next_slot_ + kSlots - 1);
    double& returned = returned_[slot % kSlots];
    if (returned == 0) ++slots_to_come_;
    returned += cycles;
    return static_cast<uint64_t>(work_.book(static_cast<double>(cycle), cycles));
  }

  // The data that L2 has sent until `cycle` take turns with other accesses from then on.
  void pass(uint64_t cycle) {
    const uint64_t end = cycle / kSlotCycles + 1;
    for (; next_slot_ < end && slots_to_come_ > 0; ++next_slot_) {
      const double returned = std::exchange(returned_[next_slot_ % kSlots], 0);
      if (returned == 0) continue;
      --slots_to_come_;
      idleUntil(static_cast<double>(next_slot_ * kSlotCycles));
      pending_ += returned;
    }
    next_slot_ = std::max(next_slot_, end);
  }

 private:
  static constexpr uint64_t kSlotCycles = 32, kSlots = 1024;

  // No other accesses come before `cycle`: the data that are there have it to themselves until then.
  void idleUntil(double cycle) {
    const double idle = std::max(cycle - free_, 0.0);
    pending_ = std::max(pending_ - idle, 0.0);
    free_ += idle;
  }

  double free_ = 0;
  double pending_ = 0;                     // cycles for data that have come and have not had their turn
  std::array<double, kSlots> returned_{};  // cycles for data that come later, by slot
  uint32_t slots_to_come_ = 0;             // in which there are some
  uint64_t next_slot_ = 0;                 // the first one that has not passed
  BookedUnit<kSlotCycles, kSlots> work_;   // all of it
};

}  // namespace warpscope::sim
