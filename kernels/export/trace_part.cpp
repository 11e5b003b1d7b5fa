#include "kernels/export/trace_part.h"

#include <algorithm>
#include <span>

#include "kernels/export/excerpt.h"

namespace warpscope {
namespace {

// The mark that holds at `begin`, and the lanes that have left by then, as marks at `begin`; then those
// within.
void addEvents(const Trace& trace, const TraceWarp& warp, int64_t begin, int64_t end,
               LargeVector<TraceEvent>& out) {
  const auto events = trace.eventsOf(warp);
  const auto first = std::ranges::lower_bound(events, begin, {}, &TraceEvent::clock_cycles);
  const auto last = std::lower_bound(
      first, events.end(), end, [](const TraceEvent& event, int64_t at) { return event.clock_cycles < at; });
  LaneMask exited;
  for (auto event = events.begin(); event != first; ++event) {
    if (event->region == kExitRegion) exited = exited | event->mask;
  }
  if (!exited.empty()) out.push_back({begin, exited, kExitRegion});
  if (first != events.begin() && (first == events.end() || first->clock_cycles > begin)) {
    const TraceEvent& held = *(first - 1);
    if (held.region != kExitRegion) out.push_back({begin, held.mask, held.region});
  }
  out.insert(out.end(), first, last);
}

std::span<const TraceInstruction> issuedWithin(const Trace& trace, const TraceWarp& warp, int64_t begin,
                                               int64_t end) {
  const auto all = trace.instructionsOf(warp);
  const auto first = std::ranges::lower_bound(all, begin, {}, &TraceInstruction::issue_cycles);
  return {first, std::ranges::lower_bound(first, all.end(), end, {}, &TraceInstruction::issue_cycles)};
}

}  // namespace

Run partOf(const Run& run, const CycleRange& range) {
  const auto [begin, end] = range;
  Run part = withoutWarps(run);
  const Trace& whole = run.trace;
  Trace& trace = part.trace;
  for (const TraceWarp& warp : whole.warps) {
    const auto issued = issuedWithin(whole, warp, begin, end);
    // An instruction may issue after the end of its warp's life, which is when its probe last read the clock.
    if (issued.empty() && (warp.end_cycles < begin || warp.begin_cycles >= end)) continue;
    TraceWarp cut = warp;
    cut.begin_cycles = std::clamp(warp.begin_cycles, begin, end);
    cut.end_cycles = std::clamp(warp.end_cycles, begin, end);
    cut.first_event = static_cast<uint32_t>(trace.events.size());
    addEvents(whole, warp, begin, end, trace.events);
    cut.event_count = static_cast<uint32_t>(trace.events.size()) - cut.first_event;
    cut.first_instruction = static_cast<uint32_t>(trace.instructions.size());
    cut.instruction_count = static_cast<uint32_t>(issued.size());
    trace.instructions.insert(trace.instructions.end(), issued.begin(), issued.end());
    trace.warps.push_back(cut);
  }
  return part;
}

}  // namespace warpscope
