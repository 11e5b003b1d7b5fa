// Synthetic traces and runs for tests: what a small GPU with SM clocks that differ by millions of cycles
// might have recorded. Deterministic. The raw form (as copied back from a device) and the truth it was made
// from are both given, so that merging can be checked against it and everything else can be tested without
// merging.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/execute/raw_trace.h"
#include "kernels/run/run.h"

namespace warpscope::testing {

struct SyntheticOptions {
  uint32_t sms = 4;
  uint32_t blocks = 12;
  uint32_t block_threads = 80;  // three warps, the last with 16 lanes that exist
  uint32_t trips = 4;           // of the loop; each trip is a step and two paths
  bool divergent = true;        // even lanes take one path, then odd lanes the other; else all take the first
  bool early_exits = true;      // in every block's first warp the lanes 24..31 leave before the last region
  uint32_t records_per_lane = 128;  // fewer than a lane's marks: the later ones are dropped
  uint32_t clock_shift = 0;
  uint32_t globaltimer_step_ns = 32;
  double cycles_per_ns = 1.755;
  uint32_t span_cycles = 200;  // about
  uint32_t seed = 1;
};

// Regions of the synthetic kernel.
inline constexpr RegionId kLoad{0}, kStep{1}, kEvenPath{2}, kOddPath{3}, kStore{4};

struct SyntheticTrace {
  RawTrace raw;
  Trace truth;                          // merged and on the launch axis, exact, ascending (sm, block, warp)
  std::vector<int64_t> clock_of_start;  // each SM's clock at the launch axis' zero
};

SyntheticTrace makeSyntheticTrace(const SyntheticOptions& options = {});

// A complete run around such a trace, with a source text and plausible numbers. `variant` "even_odd" is
// divergent, others are not.
Run makeSyntheticRun(const std::string& family = "divergence", const std::string& variant = "even_odd",
                     int64_t block = 80, int64_t size = 1 << 16);

// Gives the run what a device that tells instructions would: a listing of the synthetic kernel, and for each
// span of each warp the instructions of its region, with what they waited for.
void addInstructions(Run& run);

DeviceDescription syntheticDevice();  // an H100's limits

}  // namespace warpscope::testing
