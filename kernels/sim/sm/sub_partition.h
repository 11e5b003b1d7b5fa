// A sub-partition of an SM: its warps, in the order in which its scheduler looks at them, its pipes, and its
// queues to the units that it shares with others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/sim/sm/cycles.h"
#include "kernels/sim/sm/launch_model.h"
#include "kernels/sim/sm/queue_places.h"
#include "kernels/sim/sm/recent_windows.h"
#include "kernels/sim/sm/wake_times.h"
#include "kernels/sim/sm/warp_slot.h"

namespace warpscope::sim {

// The members that each issue needs come first.
struct alignas(64) SubPartition {
  template <typename T>
  using BySlot = std::array<T, WakeTimes::kMostSlots>;

  WarpSlot& warp(uint32_t local) const { return first[local * size_t{stride}]; }
  // For how many of the cycles the dispatcher was held. The windows, which are often not in the host's
  // caches, are only read if there are any.
  uint64_t heldWithin(uint64_t begin, uint64_t end) const {
    return dispatch_free > begin ? taken.within(kDispatcher, begin, end) : 0;
  }
  // The bytes that most issues need.
  size_t bytesInFront() const {
    return static_cast<size_t>(reinterpret_cast<const std::byte*>(&taken) -
                               reinterpret_cast<const std::byte*>(this)) +
           decltype(taken)::kBytesInFront;
  }

  WarpSlot* first = nullptr;  // of its warps, each `stride` places of the SM's slots behind the one before
  uint32_t stride = 1;
  uint64_t next = kNever;
  // The first cycle in which it could issue again after its last issue. It is an event, at which an epoch may
  // begin, whether a warp is awake then or not.
  uint64_t looks_again = 0;
  uint32_t last_issued = 0;
  WakeTimes::Bits occupied = 0;  // a bit for each local slot with a warp
  WakeTimes::Bits asked = 0;     // a bit for each local slot whose warp has sent L2 a request in this epoch
  uint64_t turns = 0;            // given so far
  uint64_t block_order_of_last = 0;               // of the warp in the slot that issued last
  std::array<uint64_t, kPipeCount> pipe_free{};   // in ticks
  std::array<uint32_t, kPipeCount> pipe_users{};  // the local slots whose warps took the pipes last
  uint64_t ports_free = 0;  // cycle from which an operation that reads several registers can read them
  // An IMAD.WIDE or IMAD.HI holds the dispatcher, so that no warp issues: until when, and when the latest
  // did.
  uint64_t dispatch_free = 0;
  // By local slot: the Gate of its next operation.
  BySlot<uint16_t> gates{};
  // By local slot: of the warps that can issue, the one with the least `order` does. It is 0 for the warp
  // that issued last. Otherwise its upper bits are WarpSlot::block_order, which is less for younger blocks,
  // and its lower bits the number of the warp's last turn, so that the warp comes first that has not issued
  // for longest.
  BySlot<uint64_t> order{};
  WakeTimes wakes;  // by local slot: the warp cannot issue before this cycle
  // The queue to the special function unit, which instructions leave when they begin there. With 8 warps of a
  // sub-partition that each wait for one exponent, 19 % of the time is MIO throttle (an H100 with 580.159.04,
  // 2026-11-27).
  QueuePlaces<2> special;
  // The queue to the load-store unit. Of 16 warps that load from shared memory with conflicts of 32 ways,
  // each one word at a time, all but one wait for their words (as above: short scoreboard 92 %, MIO throttle
  // 4 %).
  QueuePlaces<15> queue;
  uint64_t local_free = 0;
  uint64_t match_free = 0;  // the cycle from which it can begin the next match.any
  // When pipes took no instruction, after one was issued, and when the dispatcher was held.
  static constexpr size_t kDispatcher = kPipeCount;
  RecentWindows<kPipeCount + 1> taken;
  // How many of these may be no accesses to memory (S2R, LDC, shuffles). Chosen with 8 warps of a
  // sub-partition that shuffle four words at a time (as above: MIO throttle 23 %, short scoreboard 35 %).
  QueuePlaces<6> others_queue;
  // The same of loads of constants at addresses in registers. MIO throttles of codon_translation,
  // place_to_text, gradient_noise and translate_frames_too (truth suite, as above) are 17 to 30 points too
  // little with 16, 5 to 11 too much with 4.
  QueuePlaces<6> constants_queue;
};

}  // namespace warpscope::sim
