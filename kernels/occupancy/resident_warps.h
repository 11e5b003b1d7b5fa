// How many warps an SM held on average while it held any: achieved occupancy before it is a share. From when
// warps came and went, which a launch of a kernel's residency form writes (kernels/probe/probe.cuh). Held
// against Nsight Compute's counter on an H100: docs/achieved_occupancy_h100.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kernels/probe/layout.h"

namespace warpscope {

struct ResidencyLog {
  // Of all warps of the launch, by block and warp in the block; zeros of those on SMs that did not write.
  std::span<const ProbeStay> stays;
  uint32_t warps_per_block = 0;
  uint32_t resident_warps = 0;  // of the launched kernel on an SM, at most
  // From a block's end to its successor's first instruction (LatencyFigures); 0: nobody measured it, and it
  // is taken to be an H100's.
  double block_turn_cycles = 0;
};

// Has at least four SMs of a GPU write, where it has that many, and not many more: ResidencyParams::sm_mask.
uint32_t residencySmMask(uint32_t sm_count);

// The cycles of an SM's warps over those in which it held any; of several SMs the median, since a single one
// may be busy for longer, with a launch's last block.
//
// A warp is there from its first instruction to where its loads and stores were taken over by their unit. But
// where a place stays free for much longer than a block's turn, it was held: by a warp whose stores were on
// their way, or by one that was not issued yet. Then it counts as free for that turn only. What the probe
// adds to a warp's stay is taken out.
//
// nullopt: nothing was written.
std::optional<double> meanResidentWarps(const ResidencyLog& log);

}  // namespace warpscope
