// A trace: what the recorded warps of one launch did, merged, ordered and on one time axis. A plain value; it
// knows nothing of how it was recorded (probe/), stored (recording/) or drawn (viz/).
//
// Time: every *_cycles of a trace is on the launch axis: SM clock cycles since the first observed instant of
// the launch. Differences on one SM are exact to `clock_quantum_cycles`; between SMs they have the
// uncertainty that ClockAlignment states (clock_alignment.h says how it is determined).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/ids.h"
#include "kernels/core/large_vector.h"
#include "kernels/run/warp_state.h"

namespace warpscope {

// Lanes that entered `region` together at `clock_cycles`: the mask is what activemask *observed* there.
// A span lasts from one event of a warp to its next, the last one until the warp's end.
struct TraceEvent {
  int64_t clock_cycles = 0;
  LaneMask mask;
  RegionId region;
};

inline constexpr RegionId kExitRegion{255};  // lanes that left the kernel

// An instruction that a warp issued, reported on request by devices that can. Instructions may also issue
// before a warp's begin and after its end, which are the times when its probe first and last read the clock.
struct TraceInstruction {
  int64_t issue_cycles = 0;
  uint32_t listed = 0;  // index into Run::listing
  LaneMask mask;        // lanes that executed it
  // The reason that kept the warp longest between its previous instruction and this one, and for how long;
  // kSelected and 0 if nothing did.
  WarpState waited_for = WarpState::kSelected;
  uint32_t waited_cycles = 0;
};

struct TraceWarp {
  BlockId block;
  uint32_t warp_in_block = 0;
  SmId sm;
  uint32_t hardware_slot = 0;  // %warpid: the warp's slot on the SM
  LaneMask live;               // lanes that exist; others do not, because the block is not a multiple of 32
  int64_t begin_cycles = 0, end_cycles = 0;
  uint32_t first_event = 0, event_count = 0;              // into Trace::events
  uint32_t dropped_events = 0;                            // not recorded, because the lane's log was full
  uint32_t first_instruction = 0, instruction_count = 0;  // into Trace::instructions
};

// The conversion of one SM's clock to the launch axis: launch = clock + offset.
struct SmClock {
  SmId sm;
  int64_t offset_cycles = 0;
  // Half the interval that all of this SM's readings allow; absent: nothing relates this SM to the others,
  // its rows are drawn from the start of the launch and must not be compared with other SMs.
  std::optional<double> uncertainty_ns;
};

struct ClockAlignment {
  double cycles_per_ns = 0;  // 0: unknown
  std::vector<SmClock> sms;  // ascending SmId
  // Between any two recorded SMs; absent if one of them is not aligned. 0 with one SM.
  std::optional<double> uncertainty_ns;
};

// Something about the trace that a viewer should know; it is shown and is not an error.
struct TraceProblem {
  enum class Severity { kInfo, kWarning } severity = Severity::kWarning;
  uint64_t count = 1;
  std::string cause;  // in words for the user: "12 warps found no free slot: only the first 4,096 are shown"
};

// What shows how far Trace::mean_resident_warps may be off (metrics/achieved.h). Means over the SMs that
// wrote.
struct ResidencyEvidence {
  double probe_cycles = 0;  // that writing took of a warp
  double probe_share = 0;   // of a warp's time, with the writing
  double held_share = 0;    // of the warp-cycles: of slots that were taken for held though no warp wrote so
  double uneven_share = 0;  // how much fewer blocks than the SM with most of them an SM was given
  double spread_warps = 0;  // standard deviation of the SMs' means
  bool operator==(const ResidencyEvidence&) const = default;
};

struct Trace {
  std::vector<TraceWarp> warps;    // ascending (sm, block, warp_in_block)
  LargeVector<TraceEvent> events;  // each warp's are consecutive, ascending clock
  // Empty: not requested, or not known. Each warp's are consecutive, in the order of warps, ascending clock.
  std::vector<TraceInstruction> instructions;
  ClockAlignment clocks;
  // Mean number of warps on an SM while it had any, the median of a few SMs, from a launch whose warps wrote
  // only when they began and ended; absent: not measured.
  std::optional<double> mean_resident_warps;
  std::optional<ResidencyEvidence> residency_evidence;  // absent in recordings older than it
  int64_t duration_cycles = 0;  // from the first to the last observed instant of the launch
  uint32_t clock_quantum_cycles = 1;
  uint64_t unrecorded_warps = 0;      // found no free slot
  uint64_t dropped_events = 0;        // summed over all warps
  uint64_t dropped_instructions = 0;  // issued by recorded warps, but beyond the limit
  std::vector<TraceProblem> problems;

  std::span<const TraceEvent> eventsOf(const TraceWarp& warp) const {
    return std::span(events).subspan(warp.first_event, warp.event_count);
  }
  std::span<const TraceInstruction> instructionsOf(const TraceWarp& warp) const {
    return std::span(instructions).subspan(warp.first_instruction, warp.instruction_count);
  }
};

// The span that begins with an event of a warp.
struct Span {
  int64_t begin_cycles = 0, end_cycles = 0;
  LaneMask mask;    // executing
  LaneMask exited;  // left the kernel at or before begin
  RegionId region;
};

// Calls visit(const Span&) for each span of the warp in order. Exit events end spans and are not spans.
template <class Visit>
void forEachSpan(const Trace& trace, const TraceWarp& warp, Visit&& visit) {
  const auto events = trace.eventsOf(warp);
  LaneMask exited;
  for (size_t i = 0; i < events.size(); ++i) {
    const TraceEvent& event = events[i];
    if (event.region == kExitRegion) {
      exited = exited | event.mask;
      continue;
    }
    const int64_t end = i + 1 < events.size() ? events[i + 1].clock_cycles : warp.end_cycles;
    visit(Span{event.clock_cycles, end, event.mask, exited, event.region});
  }
}

}  // namespace warpscope
