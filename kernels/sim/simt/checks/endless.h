// Finds loops that provably never end: memory does not change, and every warp that does not wait at a barrier
// returns to a state that it has already been in.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/sim/simt/checks/resident_blocks.h"

namespace warpscope::sim {

// The loop that one warp is in.
struct EndlessLoop {
  ResidentBlock* resident = nullptr;
  uint32_t warp = 0, lane = 0;
  std::vector<uint32_t> pcs;     // first instructions of the segments that it runs through
  std::optional<uint32_t> asks;  // a load or atomic among them: it waits for a value that never comes
};

// Runs every warp on for a while. Returns nothing if no endless loop is proven; otherwise one warp that
// loops, preferably one that polls memory.
std::optional<EndlessLoop> findEndlessLoop(ResidentBlocks& blocks);
// Shows where a warp that may or may not end is: the segments that it runs through next.
EndlessLoop sampleLoop(ResidentBlock& resident, uint32_t warp);

}  // namespace warpscope::sim
