// Assigns each slice of a warp to a thread of the trace file.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/run/trace.h"

namespace warpscope {

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

}  // namespace warpscope
