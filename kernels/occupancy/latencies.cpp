#include "kernels/occupancy/latencies.h"

namespace warpscope {
namespace {

struct ProfileLatencies {
  double fma = 0, shared = 0, l1 = 0, l2 = 0, device = 0;  // cycles
};
#include "profile_latencies.h"  // k_v100, k_a100 ...

LatencyFigures figuresOf(const ProfileLatencies& latencies, double fma_warps_a_cycle,
                         double l2_bytes_a_cycle) {
  return {.fma = latencies.fma,
          .fma_warps_a_cycle = fma_warps_a_cycle,
          .shared = latencies.shared,
          .l1 = latencies.l1,
          .l2 = latencies.l2,
          .device = latencies.device,
          .l2_bytes_a_cycle = l2_bytes_a_cycle};
}

}  // namespace

// Latencies come from the device profiles, which name their sources. Multiply-adds per cycle: CUDA C++
// Programming Guide, "Arithmetic Instructions". L2's bytes per cycle and SM: assets/devices, rounded to what
// all devices of a compute capability have.
std::optional<LatencyFigures> latencyFigures(const DeviceLimits& limits) {
  constexpr uint32_t kLeastThreads = 1024;  // every real SM has this many; the teaching GPU has fewer
  if (limits.max_threads_per_sm < kLeastThreads) return std::nullopt;
  const ComputeCapability capability = limits.compute_capability;
  const auto between = [&](ComputeCapability from, ComputeCapability to) {
    return capability >= from && capability <= to;
  };
  if (between({7, 0}, {7, 2})) return figuresOf(k_v100, 2, 25);
  if (capability == ComputeCapability{8, 0}) return figuresOf(k_a100, 2, 25);
  if (between({8, 6}, {8, 9})) return figuresOf(k_rtx_4090, 4, 15);
  if (capability == ComputeCapability{9, 0}) {
    LatencyFigures figures = figuresOf(k_h100_sxm, 4, 25);
    figures.block_turn = 335;  // measured on an H100 SXM ("warpscope calibrate")
    return figures;
  }
  if (between({12, 0}, {12, 9})) return figuresOf(k_rtx_5070_laptop, 4, 15);
  return std::nullopt;
}

}  // namespace warpscope
