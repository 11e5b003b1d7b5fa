// An SM as its warp slots: which block's warp lies in each, by calculation or as a trace saw it at one
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
    kFree,     // for anyone
    kMissing,  // one more block's warp would lie here, if it fitted
    kHeld,     // a warp of a resident block, by calculation
    kRunning,  // some of its lanes execute (of a trace)
    kLeft,     // all its lanes left, but its block holds the slot (of a trace)
  } state = State::kFree;
  uint32_t block = 0;    // of a calculation: the how-manieth of the SM; of a trace: BlockId
  uint32_t ordinal = 0;  // the how-manieth block of the SM: what it is coloured by
  uint32_t warp_in_block = 0;
  uint32_t lanes = 0;  // that exist; of a trace: that execute at that instant
  uint32_t existing_lanes = 0;
};

// One for each warp that the SM can hold. Blocks lie one behind the other: where the hardware puts them is
// not known before. An impossible block leaves all free.
std::vector<WarpSlot> calculatedSlots(const OccupancyQuestion& question, const Occupancy& occupancy);

// What lay in an SM's slots at an instant of the launch axis. Slots are the hardware's own (%warpid).
std::vector<WarpSlot> recordedSlots(const Trace& trace, SmId sm, int64_t at_cycles, uint32_t max_warps);

// The first instant at which most warps are resident on the SM: what to look at first. nullopt: none is.
std::optional<int64_t> fullestInstant(const Trace& trace, SmId sm);

}  // namespace warpscope
