// How long an SM's units take, and how much they bring, by compute capability: what Little's law is fed with.
#pragma once

#include <optional>

#include "kernels/run/device_description.h"

namespace warpscope {

// Latencies in cycles; an SM's FP32 multiply-adds a cycle, in warps.
struct LatencyFigures {
  double fma = 0, fma_warps_a_cycle = 0;
  double shared = 0, l1 = 0, l2 = 0, device = 0;
  double l2_bytes_a_cycle = 0;  // into an SM, when all SMs ask
  // From a block's end to its successor's first instruction; 0: nobody measured it.
  double block_turn = 0;
};
// nullopt: nobody published any, or the device is an invented one.
std::optional<LatencyFigures> latencyFigures(const DeviceLimits& limits);

}  // namespace warpscope
