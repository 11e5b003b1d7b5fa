// The counts of one SM, and how their sums over all SMs become Nsight Compute's counters.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "kernels/run/warp_state.h"
#include "kernels/sim/sm/l2_cache.h"
#include "kernels/sim/sm/profile.h"

namespace warpscope::sim {

// Of a cycle: in which the time is counted that instructions take a pipe.
inline constexpr uint32_t kPipeTicks = 8;

struct L1Counters {
  uint64_t requests = 0, sectors = 0, hits = 0;
  L1Counters& operator+=(const L1Counters& other);
};
struct SharedCounters {
  uint64_t requests = 0, wavefronts = 0, conflicts = 0;
  SharedCounters& operator+=(const SharedCounters& other);
};

struct SmCounters {
  uint64_t ptx_instructions = 0;
  uint64_t instructions = 0, thread_instructions = 0;  // machine instructions
  uint64_t branch_instructions = 0;
  uint64_t branch_targets = 0, branch_targets_divergent = 0;  // those that predication left
  uint64_t ptx_branches = 0, ptx_branches_divergent = 0;      // conditional ones
  std::array<uint64_t, kWarpStates> state_cycles{};
  L1Counters global_load, global_store, global_atomic, global_reduction, local_load, local_store;
  L1Counters texture_load, surface_load, surface_store;  // through the texture units
  SharedCounters shared_load, shared_store, shared_atomic;
  // Of the data stage that shared memory uses, by other instructions: shuffles, copies from global memory.
  uint64_t other_wavefronts = 0;
  uint64_t warp_cycles = 0;    // resident warps, summed over cycles
  uint64_t active_cycles = 0;  // with at least one warp
  uint64_t blocks = 0, warps = 0;
  // How long instructions took the sub-partitions' pipes, by Pipe.
  std::array<uint64_t, kPipeCount> pipe_ticks{};

  // The cycles for which instructions took what they took most of: issue slots, or one of the pipes; of all
  // sub-partitions together.
  double busiestCycles() const;
  SmCounters& operator+=(const SmCounters& other);
  // Adds the growth from `from` to `until` so many times: of what blocks do, of the cycles that pass.
  void extrapolateWork(const SmCounters& from, const SmCounters& until, double times);
  void extrapolateCycles(const SmCounters& from, const SmCounters& until, double times);
  void scaleWork(double factor);
};
void extrapolate(L2Counters& counters, const L2Counters& from, const L2Counters& until, double times);

// Multiplies the counters that are sums over SMs.
void scaleSums(std::map<std::string, double>& counters, double factor);

// `cycles`: the duration of the launch.
std::map<std::string, double> nsightCounters(const SmCounters& sum, const L2Counters& l2,
                                             const DeviceProfile& profile, uint32_t max_warps_per_sm,
                                             uint64_t cycles);

}  // namespace warpscope::sim
