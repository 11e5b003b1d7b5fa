// An SM as its warp slots: the warp in each slot, either calculated, or as recorded in a trace at one
// instant.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/occupancy/occupancy.h"
#include "kernels/run/trace.h"

namespace warpscope {

struct WarpSlot {
  enum class State {
    kFree,     // available
    kMissing,  // would hold a warp of one more block, if it fitted
    kHeld,     // holds a warp of a resident block (calculated)
    kRunning,  // some of its lanes execute (from a trace)
    kLeft,     // all its lanes have exited, but its block still holds the slot (from a trace)
  } state = State::kFree;
  uint32_t block = 0;    // calculated: the block's ordinal on the SM; from a trace: its BlockId
  uint32_t ordinal = 0;  // the block's ordinal on the SM, which decides its colour
  uint32_t warp_in_block = 0;
  uint32_t lanes = 0;  // lanes that exist; from a trace: lanes that execute at that instant
  uint32_t existing_lanes = 0;
};

// One slot for each warp that the SM can hold. Blocks are placed one after another, since the hardware's
// choice is not known in advance. An impossible block leaves all slots free.
std::vector<WarpSlot> calculatedSlots(const OccupancyQuestion& question, const Occupancy& occupancy);

// The contents of an SM's slots at an instant on the launch axis. Slots are the hardware's own (%warpid).
std::vector<WarpSlot> recordedSlots(const Trace& trace, SmId sm, int64_t at_cycles, uint32_t max_warps);

// The first instant at which the most warps are resident on the SM, which is shown first. nullopt if none
// ever is.
std::optional<int64_t> fullestInstant(const Trace& trace, SmId sm);

}  // namespace warpscope
