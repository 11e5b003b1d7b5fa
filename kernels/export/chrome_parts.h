// Threads and counters of a trace file (chrome_trace.h).
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/run/trace.h"

namespace warpscope {

// A slice of a warp, and the thread of the trace file that it is assigned to.
struct TrackSlice {
  int64_t begin_cycles = 0, end_cycles = 0;
  uint32_t index = 0;  // of the span or the instruction within its warp
  uint32_t track = 0;
};

// Spans of the warp, in order; tracks are assigned so that no two slices of one overlap. A sound trace needs
// only one.
std::vector<TrackSlice> spanSlices(const Trace& trace, const TraceWarp& warp);
// An instruction's slice is the time for which its warp waited to issue it, followed by the cycle in which it
// issued.
std::vector<TrackSlice> instructionSlices(const Trace& trace, const TraceWarp& warp);
uint32_t trackCount(const std::vector<TrackSlice>& slices);

// The values of a counter over time.
struct ActiveLanes {
  struct Step {
    int64_t cycles = 0;  // from this cycle on
    double lanes = 0;    // executing lanes, of all recorded warps
  };
  std::vector<Step> steps;
  // Each step is the mean over this many cycles; 0: every change is included.
  int64_t mean_over_cycles = 0;
};

// Every change, or means over equal intervals if there would be more than `most` steps.
ActiveLanes activeLanes(const Trace& trace, size_t most);

}  // namespace warpscope
