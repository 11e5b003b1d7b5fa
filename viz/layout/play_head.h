// The play head: an instant of the launch at which views show what a warp does. This decides where it stops
// when it is stepped. It knows nothing of the window.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/run/run.h"
#include "viz/layout/trace_layout.h"

namespace warpscope {

enum class PlayStop : uint8_t {
  kInstruction,  // the warp issues one; those of the probes are passed over
  kRegion,       // the warp enters a region
  kBarrier,      // the warp comes to a barrier
  kDivergence,   // some of the warp's live lanes go on without the others
  kWarpEnd,      // any recorded warp ends
};
inline constexpr size_t kPlayStops = 5;

// The next (`direction` > 0) or previous stop of this warp, strictly after or before the cycle; nullopt:
// there is none, or the run has no instructions to stop at. Takes time in the number of the warp's spans or
// instructions that are passed over, and for kWarpEnd in the number of warps.
std::optional<int64_t> nextStop(const Run& run, const TraceLayout& layout, uint32_t warp, PlayStop stop,
                                double cycle, int direction);

// An instruction that the probes brought into the kernel.
bool isProbeInstruction(const ListedInstruction& instruction);

}  // namespace warpscope
