// The mean number of resident warps on an SM while it had any: achieved occupancy in warps instead of a
// share. Computed from the begin and end times that a launch of a kernel's residency form writes
// (kernels/probe/probe.cuh). Compared with Nsight Compute's counter on an H100:
// docs/achieved_occupancy_h100.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kernels/probe/layout.h"
#include "kernels/run/trace.h"

namespace warpscope {

struct ResidencyLog {
  // All warps of the launch, by block and warp in the block; zeros for those on SMs that did not write.
  std::span<const ProbeStay> stays;
  uint32_t warps_per_block = 0;
  uint32_t resident_warps = 0;  // on an SM, at most, for the launched kernel
  // From the end of a block to its successor's first instruction (LatencyFigures); 0: not measured, and the
  // figure of an H100 is used.
  double block_turn_cycles = 0;
  uint32_t sm_count = 0;  // of the GPU, all of which the grid is spread over; 0: not known
};

struct ResidentWarps {
  double mean = 0;
  ResidencyEvidence evidence;
};

// The ResidencyParams::sm_mask that makes at least four SMs of a GPU write, if it has that many, and not many
// more.
uint32_t residencySmMask(uint32_t sm_count);

// The cycles of an SM's warps divided by those in which it held any; of several SMs the median, since a
// single one may be busy for longer with the last block of a launch.
//
// A warp counts as resident from its first instruction until the load-store unit has accepted its loads and
// stores. But where a warp slot stays free for much longer than a block's turn, it was still held: by a warp
// whose stores were in flight, or by one that had not issued yet. Such a slot counts as free for that turn
// only. What the probe adds to a warp's residency is subtracted.
//
// Returns nullopt if nothing was written.
std::optional<ResidentWarps> meanResidentWarps(const ResidencyLog& log);

}  // namespace warpscope
