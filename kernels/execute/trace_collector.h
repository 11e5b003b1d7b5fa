// Takes a trace from a probed launch: owns the device memory that probes write to, decides which blocks are
// recorded and how coarse the clock is, launches, has the records packed on the device and copies back only
// what was used. Knows nothing of experiments; kernels/execute/merge.h merges the records.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/core/error.h"
#include "kernels/execute/merge.h"
#include "kernels/occupancy/resident_warps.h"
#include "kernels/probe/layout.h"
#include "kernels/run/run.h"
#include "kernels/run/trace.h"

namespace warpscope {

// A launch of a kernel's probed form; the collector sets its first parameter, or `variable`.
struct ProbedLaunch {
  using Launch = std::function<Expected<void>(const LaunchSpec&, std::vector<std::byte> probe_params)>;
  LaunchSpec spec;
  Sampling sampling;
  double bare_median_us = 0;   // the time that the kernel takes without probes
  Launch launch;               // makes it, and keeps what the device reports of it
  DeviceAddress variable = 0;  // where the kernel expects its ProbeParams; 0: in its first parameter
};

// Turns kAuto and kAll into numbers; the mode stays as requested. kAuto: every block if there are slots for
// all warps of the grid, else the first block and all blocks of SMs 0 and 1. kAll: slots for up to 65,536
// warps.
Sampling resolveSampling(Sampling sampling, const Dim3& grid, const Dim3& block);
// The slots of each of several launches: its share, but enough for one block.
uint32_t slotsOfEach(const Sampling& sampling, size_t launches, const Dim3& block);
uint64_t warpsPerBlock(const Dim3& block);

// The smallest shift with which four times `bare_median_us` still fit into the 24 bits of a record's clock.
// sm_clock_khz 0 (unknown): 3 GHz, faster than any GPU so far.
uint32_t clockShift(double bare_median_us, uint32_t sm_clock_khz);

class TraceCollector {
 public:
  // `pack`: the module that holds kernel probe_pack.
  TraceCollector(Backend& backend, const ModuleImage& pack);
  ~TraceCollector();
  TraceCollector(const TraceCollector&) = delete;
  TraceCollector& operator=(const TraceCollector&) = delete;

  // Launches once and reads back. Where there is not enough memory for all that was requested, less is
  // recorded and the trace's problems say so.
  Expected<Trace> collect(ProbedLaunch launch);
  // The same in two steps, for a launch that is made together with others, by other means: the launch, as it
  // is to be made, and what it has recorded then. ProbedLaunch::launch is not used.
  Expected<LaunchSpec> arm(ProbedLaunch launch);
  Expected<Trace> read();
  // Its records, not yet merged; what is missing of them is added to `problems`.
  Expected<RawTrace> readRaw(std::vector<TraceProblem>& problems);
  // Microseconds of further launches like that of the last collect(); each finds all slots free, as that one
  // did.
  Expected<std::vector<double>> timeAgain(uint32_t warm_ups, uint32_t repeats);

  // Launches a kernel's residency form, whose first parameter is set here, once to warm up and once to record
  // when warps begin and end (kernels/occupancy/resident_warps.h). Returns the mean number of resident warps
  // on an SM while it had any; an SM can hold `resident_warps` of the bare kernel. nullopt: a kernel of
  // `bare_median_us` or its grid is too large for this, there is too little memory, or no block ran on the
  // SMs of the sample.
  Expected<std::optional<ResidentWarps>> meanResidentWarps(LaunchSpec spec, double bare_median_us,
                                                           uint32_t resident_warps);

  void release();  // gives the device memory back

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpscope
