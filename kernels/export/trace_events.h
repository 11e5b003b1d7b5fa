// A run as the events of a trace viewer's file, whatever its format: each format is a sink that these events
// are written to.
//
// The mapping: an SM is a process, a recorded warp one of its tracks, a span of a region a slice. Recorded
// instructions are slices of a second track of the warp, each as long as the warp waited to
// issue it and issued it. Lanes that exit are instants of the warp. The run's notes about its trace are
// instants at its beginning. Counters: resident blocks and warps of each SM, and the active lanes of
// all recorded warps. Slices of one track never overlap: a slice that would goes to another track with the
// same name. Operations on streams, if the run has any, are a process of their own above the SMs
// (trace_operations.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernels/export/chrome_parts.h"
#include "kernels/metrics/selection.h"
#include "kernels/run/run.h"

namespace warpscope {

// Processes and tracks have different numbers, from 1 on.
struct EventTrack {
  uint32_t process = 0, track = 0;
};

// One end of an arrow between two slices; both ends have the same number and category.
struct SliceArrow {
  uint64_t number = 0;
  const char* category = "";
  double at_ns = 0;  // within the slice
};
struct SliceDetail {
  const char* name = "";
  std::variant<int64_t, double, std::string> value;
};
// What is not a warp's, on the run's axis. If it begins and ends at once, it is an instant.
struct NamedSlice {
  const char* category = "";
  std::string name;
  double begin_ns = 0, end_ns = 0;
  std::vector<SliceDetail> details{};
  std::vector<SliceArrow> leaving{}, arriving{};
};

// Times are cycles of the launch axis.
class TraceEventSink {
 public:
  virtual ~TraceEventSink() = default;
  // Both before anything that happens in them; they are shown in ascending order of `rank`.
  virtual void process(uint32_t process, const std::string& name, int64_t rank) = 0;
  virtual void track(EventTrack track, const std::string& name, int64_t rank) = 0;
  virtual void span(EventTrack track, const TrackSlice& slice, const Span& span) = 0;
  virtual void exit(EventTrack track, const TraceEvent& exit) = 0;
  virtual void instruction(EventTrack track, const TrackSlice& slice,
                           const TraceInstruction& instruction) = 0;
  virtual void slice(EventTrack track, const NamedSlice& slice) = 0;
  // `name` is shown; `unit` ("lanes") says what the values are.
  virtual void counter(uint32_t process, const std::string& name, const char* unit, int64_t cycles,
                       double value) = 0;
  // `category`: "problem" or "hazard".
  virtual void note(EventTrack track, const char* category, const std::string& text, uint64_t count) = 0;
};

// `range`: what the run's warps were cut to (trace_part.h); operations are, too.
void writeTraceEvents(const Run& run, const std::optional<CycleRange>& range, TraceEventSink& sink);

}  // namespace warpscope
