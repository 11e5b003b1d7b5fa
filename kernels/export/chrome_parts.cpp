#include "kernels/export/chrome_parts.h"

#include <algorithm>
#include <utility>

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

namespace {

struct Change {
  int64_t cycles = 0;
  int64_t lanes = 0;
};

std::vector<Change> changesOf(const Trace& trace) {
  std::vector<Change> changes;
  changes.reserve(2 * (trace.events.size() + trace.warps.size()));
  const auto add = [&](int64_t begin, int64_t end, LaneMask mask) {
    if (end <= begin) return;
    changes.push_back({begin, mask.count()});
    changes.push_back({end, -mask.count()});
  };
  for (const TraceWarp& warp : trace.warps) {
    // Until the first mark, all lanes that entered run together (laneCycles counts them in the same way).
    const auto events = trace.eventsOf(warp);
    add(warp.begin_cycles, events.empty() ? warp.end_cycles : events.front().clock_cycles, warp.live);
    forEachSpan(trace, warp, [&](const Span& span) { add(span.begin_cycles, span.end_cycles, span.mask); });
  }
  std::ranges::sort(changes, {}, &Change::cycles);
  // Changes at the same instant are one change, and none at all if the value stays the same.
  size_t kept = 0;
  for (size_t i = 0; i < changes.size();) {
    Change sum = changes[i++];
    while (i < changes.size() && changes[i].cycles == sum.cycles) sum.lanes += changes[i++].lanes;
    if (sum.lanes != 0) changes[kept++] = sum;
  }
  changes.resize(kept);
  return changes;
}

ActiveLanes means(const std::vector<Change>& changes, size_t most) {
  const int64_t begin = changes.front().cycles, end = changes.back().cycles;
  const auto stretches = static_cast<int64_t>(std::max<size_t>(most - 1, 1));
  ActiveLanes result;
  result.mean_over_cycles = std::max<int64_t>(1, (end - begin + stretches - 1) / stretches);
  size_t next = 0;
  int64_t lanes = 0;
  for (int64_t from = begin; from < end; from += result.mean_over_cycles) {
    const int64_t to = std::min(end, from + result.mean_over_cycles);
    double lane_cycles = 0;
    int64_t at = from;
    for (; next < changes.size() && changes[next].cycles < to; ++next) {
      lane_cycles += static_cast<double>(lanes * (changes[next].cycles - at));
      at = changes[next].cycles;
      lanes += changes[next].lanes;
    }
    lane_cycles += static_cast<double>(lanes * (to - at));
    result.steps.push_back({from, lane_cycles / static_cast<double>(to - from)});
  }
  result.steps.push_back({end, 0});
  return result;
}

}  // namespace

ActiveLanes activeLanes(const Trace& trace, size_t most) {
  const std::vector<Change> changes = changesOf(trace);
  if (changes.size() > std::max<size_t>(most, 2)) return means(changes, most);
  ActiveLanes result;
  int64_t lanes = 0;
  for (const Change& change : changes) {
    lanes += change.lanes;
    result.steps.push_back({change.cycles, static_cast<double>(lanes)});
  }
  return result;
}

}  // namespace warpscope
