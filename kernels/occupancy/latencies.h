// Latencies and throughputs of an SM's units, by compute capability: the inputs of Little's law.
#pragma once

#include <optional>

#include "kernels/run/device_description.h"

namespace warpscope {

// Latencies are in cycles; fma_warps_a_cycle is an SM's FP32 multiply-adds per cycle, in warps.
struct LatencyFigures {
  double fma = 0, fma_warps_a_cycle = 0;
  double shared = 0, l1 = 0, l2 = 0, device = 0;
  double l2_bytes_a_cycle = 0;  // into one SM, when all SMs load
  // From the end of a block to its successor's first instruction; 0: it has not been measured.
  double block_turn = 0;
};
// Returns nullopt if no figures have been published, or the device is an invented one.
std::optional<LatencyFigures> latencyFigures(const DeviceLimits& limits);

}  // namespace warpscope
