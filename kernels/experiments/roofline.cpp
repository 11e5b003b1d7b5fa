#include "kernels/experiments/roofline.h"

#include <algorithm>

#include "kernels/core/ids.h"
#include "kernels/occupancy/littles_law.h"

namespace warpscope {
namespace {

// 32-bit integer additions per SM and cycle: CUDA C++ Programming Guide, "Arithmetic Instructions", table of
// throughputs. 0: not in that table.
double integerAdditionsACycle(ComputeCapability capability) {
  if (capability >= ComputeCapability{12, 0}) return 128;
  if (capability >= ComputeCapability{7, 0}) return 64;
  return 0;
}

// The request as its family knows it; nullopt if the recording comes from another program.
std::optional<RunRequest> knownRequest(const Experiment& experiment, const Run& run) {
  const auto complete = completeRequest(experiment.info(), run.request, run.device);
  return complete ? std::optional(*complete) : std::nullopt;
}

}  // namespace

Peaks peaksOf(const DeviceDescription& device) {
  Peaks peaks;
  if (device.memory_clock_khz > 0 && device.memory_bus_bits > 0) {
    // Two transfers per clock, as in NVIDIA's deviceQuery and bandwidth formulas (Best Practices Guide,
    // "Theoretical Bandwidth Calculation").
    peaks.memory_gb_per_s = 2.0 * device.memory_clock_khz * 1e3 * device.memory_bus_bits / 8 / 1e9;
  }
  const auto figures = latencyFigures(device.limits);
  if (!figures || device.sm_clock_khz == 0 || device.limits.sm_count == 0) return peaks;
  const double sm_cycles_per_s = device.sm_clock_khz * 1e3 * device.limits.sm_count;
  peaks.float_operations_per_s = 2 * figures->fma_warps_a_cycle * kWarpSize * sm_cycles_per_s;
  const double additions = integerAdditionsACycle(device.limits.compute_capability);
  if (additions > 0) peaks.integer_operations_per_s = additions * sm_cycles_per_s;
  return peaks;
}

Expected<RooflinePoint> rooflinePoint(const Run& run) {
  const auto experiment = findExperiment(run.request.family);
  if (!experiment) return tl::unexpected(experiment.error());
  const auto request = knownRequest(**experiment, run);
  const auto count = request ? (*experiment)->operations(*request, run.device.limits) : std::nullopt;
  if (!count) {
    return fail(ErrorKind::kBadRequest, "How many operations it does is not known from its settings.");
  }
  if (count->operations <= 0) {
    return fail(ErrorKind::kBadRequest, "It only moves data: 0 operations, at the left end of the roofline.");
  }
  if (run.bandwidth.bytes == 0) {
    return fail(ErrorKind::kBadRequest, "It has no data to move: its operations per byte have no end.");
  }
  if (run.timing.median_us <= 0) {
    return fail(ErrorKind::kBadRequest, "How long it takes is not known.");
  }
  return RooflinePoint{*count, run.bandwidth.bytes, count->operations / (run.timing.median_us * 1e-6)};
}

std::optional<double> bytesInFlight(const Run& run, std::optional<double> achieved) {
  const uint32_t sms = run.device.limits.sm_count;
  if (sms == 0 || run.occupancy.warps_per_sm == 0) return std::nullopt;
  const auto experiment = findExperiment(run.request.family);
  std::optional<double> a_warp;
  if (experiment) {
    if (const auto request = knownRequest(**experiment, run)) a_warp = (*experiment)->bytesAhead(*request);
  }
  if (!a_warp) a_warp = bytesAhead(run);
  if (!a_warp) return std::nullopt;
  const uint64_t warps_of_block = (run.block.count() + kWarpSize - 1) / kWarpSize;
  const double of_grid = static_cast<double>(run.grid.count()) * static_cast<double>(warps_of_block) / sms;
  double warps = std::min<double>(of_grid, run.occupancy.warps_per_sm);
  if (achieved) warps = *achieved * run.occupancy.max_warps_per_sm;
  return warps * *a_warp;
}

}  // namespace warpscope
