// A unit that does one thing after another for several SMs. These are simulated an epoch at a time, one after
// the other, so that one may ask for an earlier time than others have asked for already. Time is therefore
// booked in slots, and each slot has room for as much work as it has cycles, whoever comes first.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace warpscope::sim {

template <uint64_t kSlotCycles = 64, uint64_t kSlots = 64>
class BookedUnit {
 public:
  // When work that comes at `cycle` and takes `cycles` of the unit is done.
  double book(double cycle, double cycles) {
    auto number = static_cast<uint64_t>(cycle) / kSlotCycles;
    const uint64_t last = number + kSlots - 1;
    double done = cycle;
    while (cycles > 0) {
      Slot& slot = slots_[number % kSlots];
      if (slot.number != number) slot = {number, 0};
      // Far ahead, slots are no longer kept apart.
      const double room = number < last ? kSlotCycles - slot.used : cycles;
      const double taken = std::clamp(room, 0.0, cycles);
      slot.used += taken;
      cycles -= taken;
      done = std::max(done, static_cast<double>(number) * kSlotCycles + slot.used);
      if (cycles > 0) ++number;
    }
    return done;
  }

 private:
  struct Slot {
    uint64_t number = 0;
    double used = 0;  // cycles
  };
  std::array<Slot, kSlots> slots_{};
};

}  // namespace warpscope::sim
