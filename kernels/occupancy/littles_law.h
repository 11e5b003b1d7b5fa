// Little's law: what is in flight at the same time = latency x throughput. It gives the number of warps that
// an SM needs to keep arithmetic, L2 or device memory busy, beside the number that is resident: why occupancy
// matters, and when it does not. (Little 1961; Volkov, "Understanding Latency Hiding on GPUs",
// UCB/EECS-2016-143, chapter 3.)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/run/device_description.h"
#include "kernels/run/run.h"

namespace warpscope {

struct LittlesLaw {
  enum class Work { kArithmetic, kL2, kDeviceMemory, kIssue } work = Work::kArithmetic;
  double latency_cycles = 0;
  double throughput = 0;  // peak per SM and cycle: warp instructions, or bytes
  double in_flight = 0;   // latency x throughput: warp instructions, or bytes
  double per_warp = 0;    // what one warp has in flight, in the same unit
  double needed_warps = 0;
  double resident_warps = 0;
  double share() const;  // share of the throughput that the resident warps can reach; at most 1
  Provenance provenance = Provenance::kMeasured;  // kModelled for a run on a simulated GPU
  std::string source;                             // a sentence: where latency and throughput are from
};

struct LittlesQuestion {
  DeviceDescription device;
  double resident_warps = 0;      // per SM
  double instructions_ahead = 1;  // independent instructions that a warp issues before it waits (ILP)
  double bytes_ahead = 128;       // bytes that a warp has requested before it waits
};
// For arithmetic, L2 and device memory of the device, for any kernel with such instructions. Empty if the
// device's figures are not known; device memory is left out if its clock or width is not known.
std::vector<LittlesLaw> littlesLaw(const LittlesQuestion& question);
// For a finished run's own instructions, if its trace has them: the mean cycles from one instruction of a
// warp to the next, against the issue slots of an SM. nullopt if the device does not report instructions.
std::optional<LittlesLaw> littlesLawOf(const Run& run);

// Bytes that a warp of this kernel requests at once, from the run's counters: sectors per load x 32. nullopt
// if there is no such counter, or nothing is loaded.
std::optional<double> bytesAhead(const Run& run);

// Latencies and throughputs of an SM's units, by compute capability: the inputs of Little's law.
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
