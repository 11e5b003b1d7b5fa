// Numbers computed from a run: everything that a view shows and the command line prints comes from here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/metrics/selection.h"
#include "kernels/run/run.h"

namespace warpscope {

struct RegionMetrics {
  RegionId id;
  std::string name;
  uint32_t line = 0;  // first source line
  uint64_t spans = 0;
  uint64_t divergent_spans = 0;  // executed by some, but not all, of the warp's lanes that had not exited
  int64_t cycles = 0;            // warp-cycles: sum of span lengths
  double share = 0;              // of all recorded warp-cycles
  double mean_active_lanes = 0;  // weighted by cycles
  int64_t lost_lane_cycles = 0;  // lanes of the warp (waiting or exited) that did not execute, x cycles
};
std::vector<RegionMetrics> regionMetrics(const Run& run);

// One warp's lane-cycles between its begin and end, by what its 32 lanes did.
struct LaneCycles {
  int64_t executing = 0, waiting = 0, exited = 0, never_existed = 0;
  int64_t lost() const { return waiting + exited; }
  LaneCycles& operator+=(const LaneCycles& other);
};
LaneCycles laneCycles(const Trace& trace, const TraceWarp& warp);
// Only those in `within`, which are disjoint and in the warp's life.
LaneCycles laneCycles(const Trace& trace, const TraceWarp& warp, std::span<const CycleRange> within);
LaneCycles laneCycles(const Trace& trace);  // all recorded warps

// The share of the recorded lane-cycles of existing lanes in which they waited or had exited; nullopt if
// nothing was recorded.
std::optional<double> lostLaneShare(const Trace& trace);

// (branches - divergent branches) / branches of the bare kernel, as a profiler counts them: where short
// bodies became predication, there is no branch. 1 if there is no branch at all; nullopt if the device does
// not count them.
std::optional<double> branchEfficiency(const Run& run);

// For each occurrence of `step` within a warp (the trips of a loop), the number of warps of a block that then
// executed `body` with some but not all of their live lanes. For a tree reduction with 512 threads,
// neighbored gives 16 16 16 16 16 8 4 2 1.
std::vector<uint32_t> divergentWarpsPerStep(const Trace& trace, BlockId block, RegionId step, RegionId body);

// Resident blocks and warps of one SM over time, from the recorded warps' begin and end.
struct Residency {
  int64_t cycles = 0;  // from this cycle on
  uint32_t blocks = 0, warps = 0;
};
std::vector<Residency> residency(const Trace& trace, SmId sm);
// Until when every sampled warp was recorded: slots are assigned in the order of arrival, so once they are
// used up, no later warp is in the trace. INT64_MAX: to the end.
int64_t completeUntil(const Trace& trace);

// The share of achievedOf() (metrics/achieved.h).
std::optional<double> achievedOccupancy(const Run& run);

}  // namespace warpscope
