// The result of modelling a launch without probes. If the launch's blocks do not influence each other, it is
// used again: when the same operations run once more, for the blocks that do not record in a run with probes,
// and for a later launch that does the same elsewhere in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/backend/modelling_backend.h"
#include "kernels/sim/streams/stream_machine.h"

namespace warpscope::sim {

struct BareLaunch {
  LaunchedAlone alone;
  ModelledBlocks work;  // the instructions that its modelled blocks have executed
  uint32_t number = 1;  // counts the modelled launches that do the same, in their order
};

// The first of several launches that do the same may find other caches than those that follow it, which find
// what the one before them left: the second one stands for them.
inline constexpr uint32_t kStandsForOthers = 2;

// Whether two launches of one kernel do the same, elsewhere in memory perhaps. `shifting`: the kernel's
// shiftingParameters(). `gpu_of` says which GPU's memory an address is in; the difference matters.
bool doTheSame(const LaunchSpec& a, const LaunchSpec& b, const std::vector<bool>& shifting,
               const std::function<uint32_t(DeviceAddress)>& gpu_of);

}  // namespace warpscope::sim
