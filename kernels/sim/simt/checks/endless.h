// Loops that provably never end: while no memory changes, every warp that does not wait for a barrier comes
// back to a state that it was in.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/sim/simt/checks/resident_blocks.h"

namespace warpscope::sim {

// Where one warp goes round.
struct EndlessLoop {
  ResidentBlock* resident = nullptr;
  uint32_t warp = 0, lane = 0;
  std::vector<uint32_t> pcs;     // first instructions of the segments it runs through
  std::optional<uint32_t> asks;  // a load or atomic among them: it waits for an answer that never comes
};

// Runs every warp on for a while. Empty: not proven. Else one that goes round, which asks if any does.
std::optional<EndlessLoop> findEndlessLoop(ResidentBlocks& blocks);
// Where a warp that may or may not end is: the segments it runs through next.
EndlessLoop sampleLoop(ResidentBlock& resident, uint32_t warp);

}  // namespace warpscope::sim
