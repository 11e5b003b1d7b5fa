// Loads of neighbouring SMs meet on their way to L2: sectors that one SM has just asked for are not requested
// again (Nsight Compute's tables name an L2 request coalescer).
//
// When the blocks of a kernel read the same lines in the same order, L2 looks up 1.3 to 3.7 times fewer
// sectors than the SMs miss in L1 (product_naive, bodies_tiled, support_points and others of the truth suite
// on an H100 with 580.159.04, 2026-11-24). All SMs together get 0.79 random sectors per cycle and SM from 256
// KiB, but 0.54 from 2 to 16 MiB (2026-11-26). The model lets the SMs of a GPC share one coalescer.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/sim/sm/sectored_tags.h"

namespace warpscope::sim {

// The loads of one slice that are on their way. It remembers the latest ones only.
class RequestCoalescer {
 public:
  // For this time after a load has arrived, other SMs' loads meet it. Chosen among 8, 30 and 80 cycles by the
  // sectors that L2 looks up for 17 kernels of the truth suite's open half; with groups of 2, 4 or 22 SMs, or
  // if loads met while they queue, more of them were wrong.
  static constexpr uint64_t kMeetingCycles = 8;

  struct Pending {
    uint64_t line = ~uint64_t{0};
    uint64_t done = 0;   // when the reply is back at the SM that asked
    uint64_t until = 0;  // loads that would arrive at the slice earlier than this meet it
    uint32_t sm = 0;     // the SM that asked
    uint8_t sectors = 0, group = 0;
  };

  void clear() { pending_.fill({}); }
  // The last load of the line by a group of SMs, if it is remembered.
  const Pending* last(uint64_t line, uint8_t group) const {
    const Pending& pending = pending_[placeOf(line, group)];
    return pending.line == line && pending.group == group ? &pending : nullptr;
  }
  // Whether a load that would arrive at the slice at `arrival` need not be sent. An SM's own loads do not
  // meet: those past L1 are all sent.
  static bool meets(const Pending& last, uint32_t sm, uint8_t sectors, uint64_t arrival) {
    return sm != last.sm && (sectors & ~last.sectors) == 0 && arrival < last.until;
  }
  void add(const Pending& load) { pending_[placeOf(load.line, load.group)] = load; }

 private:
  static constexpr size_t kPlaces = 256;
  static size_t placeOf(uint64_t line, uint8_t group) { return (hashLine(line) + group) % kPlaces; }
  std::array<Pending, kPlaces> pending_{};
};

}  // namespace warpscope::sim
