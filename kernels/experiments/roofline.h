// The roofline: operations per second of a launch over operations per byte that it has to move, below the
// device's limits: its peak of arithmetic, and bytes per second times operations per byte. (Williams,
// Waterman, Patterson: Roofline, CACM 52(4), 2009.)
#pragma once

#include <optional>

#include "kernels/experiments/experiment.h"

namespace warpscope {

// Peaks of a device at its highest clocks; absent if they have not been published, or a clock is not known.
struct Peaks {
  std::optional<double> float_operations_per_s;    // FP32, a multiply-add counting as two
  std::optional<double> integer_operations_per_s;  // 32-bit additions
  std::optional<double> memory_gb_per_s;           // device memory: clock x width; no program reaches it
};
Peaks peaksOf(const DeviceDescription& device);

struct RooflinePoint {
  OperationCount count;
  uint64_t bytes = 0;           // minimum traffic, see Bandwidth::bytes
  double operations_per_s = 0;  // over the median time
  double operationsPerByte() const { return count.operations / static_cast<double>(bytes); }
};
// If there is no point, the error says why, in a sentence for the user: what is not known is not drawn.
Expected<RooflinePoint> rooflinePoint(const Run& run);

// Bytes that an SM's warps have requested at the same time, on average: resident warps x bytes that a warp
// requests before it waits. The family gives the latter, or the run's counters do (littles_law.h:
// bytesAhead). `achieved` is the occupancy, if it is known; otherwise as many warps count as the grid and the
// limits allow to be resident. nullopt if it is not known.
std::optional<double> bytesInFlight(const Run& run, std::optional<double> achieved);

}  // namespace warpscope
