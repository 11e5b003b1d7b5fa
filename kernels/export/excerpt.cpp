#include "kernels/export/excerpt.h"

#include <algorithm>

namespace warpscope {
namespace {

// Without copying the trace, which may be most of the memory. A new member of Run must be added here: the
// names below say so to the compiler.
Run withoutItsTrace(const Run& run) {
  const auto& [request, parameter_labels, device, created, grid, block, cluster, verification, timing,
               bandwidth, resources, occupancy, probe, regions, source_file, source, counters,
               counters_problem, wait_samples, activity_samples, samples_problem, trace, streams, hazards,
               listing] = run;
  return {request,      parameter_labels, device,          created,   grid,      block,
          cluster,      verification,     timing,          bandwidth, resources, occupancy,
          probe,        regions,          source_file,     source,    counters,  counters_problem,
          wait_samples, activity_samples, samples_problem, {},        streams,   hazards,
          listing};
}

void copyWarp(const Trace& from, const TraceWarp& warp, Trace& to) {
  const auto events = from.eventsOf(warp);
  const auto instructions = from.instructionsOf(warp);
  TraceWarp copy = warp;
  copy.first_event = static_cast<uint32_t>(to.events.size());
  copy.first_instruction = static_cast<uint32_t>(to.instructions.size());
  to.events.insert(to.events.end(), events.begin(), events.end());
  to.instructions.insert(to.instructions.end(), instructions.begin(), instructions.end());
  to.warps.push_back(copy);
}

}  // namespace

Run withoutWarps(const Run& run) {
  Run rest = withoutItsTrace(run);
  const Trace& whole = run.trace;
  Trace& trace = rest.trace;
  trace.clocks = whole.clocks;
  trace.mean_resident_warps = whole.mean_resident_warps;
  trace.residency_evidence = whole.residency_evidence;
  trace.duration_cycles = whole.duration_cycles;
  trace.clock_quantum_cycles = whole.clock_quantum_cycles;
  trace.unrecorded_warps = whole.unrecorded_warps;
  trace.dropped_events = whole.dropped_events;
  trace.dropped_instructions = whole.dropped_instructions;
  trace.problems = whole.problems;
  return rest;
}

Run firstWarpsOf(const Run& run, size_t most_warps) {
  Run first = withoutWarps(run);
  const Trace& whole = run.trace;
  for (size_t i = 0; i < std::min(most_warps, whole.warps.size()); ++i)
    copyWarp(whole, whole.warps[i], first.trace);
  return first;
}

uint64_t recordsOf(const Run& run) {
  return run.trace.warps.size() + run.trace.events.size() + run.trace.instructions.size();
}

}  // namespace warpscope
