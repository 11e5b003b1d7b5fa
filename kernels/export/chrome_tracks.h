// Which thread of the trace file each slice of a warp goes to.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/run/trace.h"

namespace warpscope {

struct TrackSlice {
  int64_t begin_cycles = 0, end_cycles = 0;
  uint32_t index = 0;  // of the span or the instruction in its warp
  uint32_t track = 0;
};

// Spans of the warp, in order; tracks are given so that no two slices of one overlap. Healthy traces need
// one.
std::vector<TrackSlice> spanSlices(const Trace& trace, const TraceWarp& warp);
// An instruction's slice is the time that its warp waited to issue it, then the cycle in which it did.
std::vector<TrackSlice> instructionSlices(const Trace& trace, const TraceWarp& warp);
uint32_t trackCount(const std::vector<TrackSlice>& slices);

}  // namespace warpscope
