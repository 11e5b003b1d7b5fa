#include "kernels/export/chrome_tracks.h"

#include <algorithm>

namespace warpscope {
namespace {

// First fit: slices are sorted by begin, so each takes the first track that is free by then.
void giveTracks(std::vector<TrackSlice>& slices) {
  std::ranges::stable_sort(slices, {}, &TrackSlice::begin_cycles);
  std::vector<int64_t> free_from;
  for (TrackSlice& slice : slices) {
    const auto free =
        std::ranges::find_if(free_from, [&](int64_t from) { return from <= slice.begin_cycles; });
    slice.track = static_cast<uint32_t>(free - free_from.begin());
    if (free == free_from.end()) {
      free_from.push_back(slice.end_cycles);
    } else {
      *free = slice.end_cycles;
    }
  }
}

}  // namespace

std::vector<TrackSlice> spanSlices(const Trace& trace, const TraceWarp& warp) {
  std::vector<TrackSlice> slices;
  slices.reserve(warp.event_count);
  uint32_t index = 0;
  forEachSpan(trace, warp, [&](const Span& span) {
    slices.push_back({span.begin_cycles, std::max(span.begin_cycles, span.end_cycles), index++, 0});
  });
  giveTracks(slices);
  return slices;
}

std::vector<TrackSlice> instructionSlices(const Trace& trace, const TraceWarp& warp) {
  std::vector<TrackSlice> slices;
  slices.reserve(warp.instruction_count);
  int64_t free_from = INT64_MIN;
  for (const TraceInstruction& instruction : trace.instructionsOf(warp)) {
    const int64_t issue = instruction.issue_cycles;
    const int64_t waited = instruction.waited_for == WarpState::kSelected ? 0 : instruction.waited_cycles;
    // It waited after its predecessor, not at the same time.
    const int64_t begin = std::min(issue, std::max(issue - waited, free_from));
    slices.push_back({begin, issue + 1, static_cast<uint32_t>(slices.size()), 0});
    free_from = issue + 1;
  }
  giveTracks(slices);
  return slices;
}

uint32_t trackCount(const std::vector<TrackSlice>& slices) {
  uint32_t count = 0;
  for (const TrackSlice& slice : slices) count = std::max(count, slice.track + 1);
  return count;
}

}  // namespace warpscope
