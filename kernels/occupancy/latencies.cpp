#include "kernels/occupancy/latencies.h"

namespace warpscope {

// Latencies: Jia et al., arXiv 1804.06826 (V100); Luo et al., arXiv 2402.13499 (A100, RTX 4090); our own
// measurement of an H100 SXM ("warpscope calibrate"); Jarmusch et al., arXiv 2507.10789 (RTX 5080).
// Multiply-adds per cycle: CUDA C++ Programming Guide, "Arithmetic Instructions". L2 bytes per cycle and SM:
// assets/devices.
std::optional<LatencyFigures> latencyFigures(const DeviceLimits& limits) {
  constexpr uint32_t kLeastThreads =
      1024;  // every real SM has at least this many; the teaching GPU has fewer
  if (limits.max_threads_per_sm < kLeastThreads) return std::nullopt;
  const ComputeCapability capability = limits.compute_capability;
  const auto between = [&](ComputeCapability from, ComputeCapability to) {
    return capability >= from && capability <= to;
  };
  if (between({7, 0}, {7, 2})) {
    return LatencyFigures{.fma = 4,
                          .fma_warps_a_cycle = 2,
                          .shared = 19,
                          .l1 = 28,
                          .l2 = 193,
                          .device = 375,
                          .l2_bytes_a_cycle = 25};
  }
  if (capability == ComputeCapability{8, 0}) {
    return LatencyFigures{.fma = 4,
                          .fma_warps_a_cycle = 2,
                          .shared = 29,
                          .l1 = 38,
                          .l2 = 262,
                          .device = 466,
                          .l2_bytes_a_cycle = 25};
  }
  if (between({8, 6}, {8, 9})) {
    return LatencyFigures{.fma = 4,
                          .fma_warps_a_cycle = 4,
                          .shared = 30,
                          .l1 = 43,
                          .l2 = 273,
                          .device = 542,
                          .l2_bytes_a_cycle = 15};
  }
  if (capability == ComputeCapability{9, 0}) {
    return LatencyFigures{.fma = 4,
                          .fma_warps_a_cycle = 4,
                          .shared = 23,
                          .l1 = 36,
                          .l2 = 283,
                          .device = 680,
                          .l2_bytes_a_cycle = 25,
                          .block_turn = 335};
  }
  if (between({12, 0}, {12, 9})) {
    return LatencyFigures{.fma = 4,
                          .fma_warps_a_cycle = 4,
                          .shared = 30,
                          .l1 = 40,
                          .l2 = 358,
                          .device = 877,
                          .l2_bytes_a_cycle = 15};
  }
  return std::nullopt;
}

}  // namespace warpscope
