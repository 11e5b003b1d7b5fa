// What a launch without probes took on the model. Where blocks do not influence each other, that need not be
// found out again: neither when the same operations run once more, nor for the blocks beside those that
// record, nor for a launch that does the same elsewhere in memory.
#pragma once

#include "kernels/backend/modelling_backend.h"
#include "kernels/sim/streams/stream_machine.h"

namespace warpscope::sim {

struct BareLaunch {
  LaunchedAlone alone;
  ModelledBlocks work;  // what its modelled blocks have executed
  uint32_t number = 1;  // among the modelled launches that do the same, in their order
};

// The first of several launches that do the same may find other caches than those that follow it, which find
// what the one before them left: the second one stands for them.
inline constexpr uint32_t kStandsForOthers = 2;

}  // namespace warpscope::sim
