// A run as a trace of Chrome's trace event format ("Trace Event Format", the object form), which
// chrome://tracing, ui.perfetto.dev and others open.
//
// trace_events.h has the mapping: processes and threads, complete events ("X") for slices, instant events,
// counters; arrows between operations are flow events ("s", "f").
//
// Time is the launch axis, in microseconds (ts, dur): exact to a picosecond, which distinguishes cycles, and
// such that sums are exact. Each slice has its cycles, too. If the clock's rate is not known, a cycle counts
// as a nanosecond, and `otherData` says so.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "kernels/export/text_writer.h"
#include "kernels/metrics/selection.h"
#include "kernels/run/run.h"

namespace warpscope {

// The totals of what was written; `otherData.totals` has the same.
struct ChromeTotals {
  uint64_t region_slices = 0;
  int64_t region_cycles = 0;  // sum of their lengths
  double region_us = 0;       // sum of their "dur", exactly
  uint64_t instruction_slices = 0;
  uint64_t exit_events = 0;
  uint64_t operations = 0;  // on streams
};

// Converts cycles to microseconds in the file of a run.
class ChromeTime {
 public:
  explicit ChromeTime(const Trace& trace, const StreamLog* streams = nullptr);
  double at(int64_t cycles) const;                         // "ts" of an instant of the launch axis
  double atNs(double ns) const;                            // the same of an instant in nanoseconds
  int64_t originCycles() const { return origin_cycles_; }  // the instant that is ts 0
  bool clockKnown() const { return clock_known_; }
  double cyclesPerUs() const { return cycles_per_us_; }

 private:
  double atExactly(double cycles) const;
  int64_t origin_cycles_ = 0;
  double cycles_per_us_ = 1000;
  bool clock_known_ = false;
};

// `range`: what the run's warps were cut to (trace_part.h).
ChromeTotals writeChromeTrace(const Run& run, const WriteText& write,
                              const std::optional<CycleRange>& range = std::nullopt);

}  // namespace warpscope
