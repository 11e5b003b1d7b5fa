// The roofline: how many operations a second a launch does, over how many it does for each byte that it has
// to move, beneath what the device can do at most: its peak of arithmetic, and bytes a second times
// operations a byte. (Williams, Waterman, Patterson: Roofline, CACM 52(4), 2009.)
#pragma once

#include <optional>

#include "kernels/experiments/experiment.h"

namespace warpscope {

// Of a device, at its highest clocks; absent where nobody published it, or a clock is not known.
struct Peaks {
  std::optional<double> float_operations_per_s;    // FP32, a multiply-add being two
  std::optional<double> integer_operations_per_s;  // 32-bit additions
  std::optional<double> memory_gb_per_s;           // device memory: clock x width; no program reaches it
};
Peaks peaksOf(const DeviceDescription& device);

struct RooflinePoint {
  OperationCount count;
  uint64_t bytes = 0;           // least traffic, see Bandwidth::bytes
  double operations_per_s = 0;  // over the median time
  double operationsPerByte() const { return count.operations / static_cast<double>(bytes); }
};
// Errors say, in a sentence for the user, why there is no point: what is not known is not drawn.
Expected<RooflinePoint> rooflinePoint(const Run& run);

// Bytes that an SM's warps have asked for at a time, on average: resident warps x what a warp asks for before
// it waits, which the family says, or the run's counters (littles_law.h: bytesAhead). `achieved`: occupancy,
// where it is known; else as many warps as the grid and the limits let be resident. nullopt: not known.
std::optional<double> bytesInFlight(const Run& run, std::optional<double> achieved);

}  // namespace warpscope
