// Synthetic traces and runs for tests: what a small GPU might have recorded whose SM clocks differ by
// millions of cycles. Deterministic. Both the raw form (as copied back from a device) and the truth that it
// was made from are given, so that merging can be checked against it and everything else can be tested
// without merging.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/execute/merge.h"
#include "kernels/run/run.h"

namespace warpscope::testing {

struct SyntheticOptions {
  uint32_t sms = 4;
  uint32_t blocks = 12;
  uint32_t block_threads = 80;  // three warps, in the last of which 16 lanes exist
  uint32_t trips = 4;           // of the loop; each trip is a step and two paths
  bool divergent = true;  // even lanes take one path, then odd lanes the other; otherwise all take the first
  bool early_exits = true;          // in every block's first warp lanes 24..31 exit before the last region
  uint32_t records_per_lane = 128;  // if less than a lane's marks, later ones are dropped
  uint32_t clock_shift = 0;
  uint32_t globaltimer_step_ns = 32;
  double cycles_per_ns = 1.755;
  uint32_t span_cycles = 200;  // approximately
  uint32_t seed = 1;
};

// Regions of the synthetic kernel.
inline constexpr RegionId kLoad{0}, kStep{1}, kEvenPath{2}, kOddPath{3}, kStore{4};

struct SyntheticTrace {
  RawTrace raw;
  Trace truth;                          // merged, on the launch axis, exact, ascending (sm, block, warp)
  std::vector<int64_t> clock_of_start;  // each SM's clock at zero of the launch axis
};

SyntheticTrace makeSyntheticTrace(const SyntheticOptions& options = {});

// A complete run with such a trace, with a source text and plausible numbers. `variant` "even_odd" is
// divergent, others are not.
Run makeSyntheticRun(const std::string& family = "divergence", const std::string& variant = "even_odd",
                     int64_t block = 80, int64_t size = 1 << 16);

// Adds what a device that reports instructions would give: a listing of the synthetic kernel, and for each
// span of each warp the instructions of its region, with what they waited for.
void addInstructions(Run& run);

DeviceDescription syntheticDevice();  // an H100's limits

}  // namespace warpscope::testing
