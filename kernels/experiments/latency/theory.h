// What theory says of the latency family's runs.
#pragma once

#include <optional>
#include <vector>

#include "kernels/experiments/prediction.h"
#include "kernels/trace/device_description.h"

namespace warpscope::latency {

// Latencies in cycles; an SM's FP32 multiply-adds a cycle, in warps.
struct Figures {
  double fma = 0, fma_warps_a_cycle = 0;
  double shared = 0, l1 = 0, l2 = 0, device = 0;
  double l2_bytes_a_cycle = 0;  // into an SM, when all SMs ask
};
// nullopt: nobody published any, or the device is an invented one.
std::optional<Figures> figuresOf(const DeviceLimits& limits);

std::vector<Prediction> theory(const RunRequest& request, const DeviceLimits& limits);

}  // namespace warpscope::latency
