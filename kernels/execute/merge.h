// The raw data that a probed launch leaves on the device, and how it becomes a trace.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/backend/modelling_backend.h"
#include "kernels/core/error.h"
#include "kernels/probe/layout.h"
#include "kernels/run/trace.h"

namespace warpscope {

// The records of a launch as the probes wrote them, before they are merged: plain data in the probe's layout.
struct RawTrace {
  std::vector<ProbePackedWarp> warps;
  std::vector<ProbeRecord> records;
  std::vector<ProbeAnchor> anchors;  // valid begin and end anchors
  uint32_t clock_shift = 0;
  uint64_t warps_seen = 0;
  double nominal_cycles_per_ns =
      0;  // the device's SM clock, used where there are too few readings; 0: unknown
  uint32_t globaltimer_resolution_ns =
      32;  // the step observed on the device (32 on H100, up to 1,000 on others)
};

// Merges each warp's 32 logs by clock, unwraps the 24-bit clocks, aligns the SMs and sorts. The input is not
// trusted: an index out of range or a mask without a live lane is an error that names the warp.
Expected<Trace> mergeTrace(const RawTrace& raw);
// The same with the globaltimer's time where the trace's axis begins; nullopt: unknown.
struct TimedTrace {
  Trace trace;
  std::optional<int64_t> zero_globaltimer_ns;
};
Expected<TimedTrace> mergeTimedTrace(const RawTrace& raw);

// Puts the instructions that a modelled launch logged into its trace: each to its warp, on the trace's axis.
// Instructions of warps that the trace does not have are dropped. The trace must have no instructions before.
void addInstructions(Trace& trace, const ModelledReport& report);

}  // namespace warpscope
