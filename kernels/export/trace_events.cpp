#include "kernels/export/trace_events.h"

#include <algorithm>
#include <set>

#include "kernels/core/units.h"
#include "kernels/export/trace_operations.h"
#include "kernels/metrics/metrics.h"

namespace warpscope {
namespace {

constexpr size_t kMostLaneSteps = 20'000;

class EventWriter {
 public:
  EventWriter(const Run& run, const std::optional<CycleRange>& range, TraceEventSink& sink)
      : run_(run), range_(range), sink_(sink) {
    uint32_t most = 0;
    for (const TraceWarp& warp : run.trace.warps) most = std::max(most, warp.sm.value);
    launch_ = processOf(SmId{most}) + 1;
    next_track_ = launch_ + 2;  // tracks and processes have different numbers: a viewer could confuse them
  }

  void writeAll() {
    writeOperationEvents(run_, launch_ + 1, next_track_, range_, sink_);
    writeLaunch();
    std::set<SmId> sms;
    for (const TraceWarp& warp : run_.trace.warps) sms.insert(warp.sm);
    for (const SmId sm : sms) writeSm(sm);
    int64_t row = 0;
    for (const TraceWarp& warp : run_.trace.warps) writeWarp(warp, row++);
  }

 private:
  static uint32_t processOf(SmId sm) { return sm.value + 1; }  // viewers do not accept a process 0

  EventTrack addTrack(uint32_t process, const std::string& name, int64_t rank) {
    const EventTrack track{process, next_track_++};
    sink_.track(track, name, rank);
    return track;
  }

  // Whatever belongs to no SM: the lanes of all recorded warps, and the run's notes about its trace.
  void writeLaunch() {
    sink_.process(launch_,
                  fmt::format("{} {}, all recorded warps", run_.request.family, run_.request.variant), 0);
    const ActiveLanes lanes = activeLanes(run_.trace, kMostLaneSteps);
    const std::string name = lanes.mean_over_cycles == 0 ? "active lanes"
                                                         : fmt::format("active lanes (mean over {})",
                                                                       formatCycles(lanes.mean_over_cycles));
    for (const ActiveLanes::Step& step : lanes.steps)
      sink_.counter(launch_, name, "lanes", step.cycles, step.lanes);
    if (run_.trace.problems.empty() && (!run_.hazards || run_.hazards->empty())) return;
    const EventTrack track = addTrack(launch_, "notes on the whole launch", 0);
    for (const TraceProblem& problem : run_.trace.problems)
      sink_.note(track, "problem", problem.cause, problem.count);
    for (const Hazard& hazard : run_.hazards.value_or(std::vector<Hazard>{}))
      sink_.note(track, "hazard", hazard.message, hazard.count);
  }

  void writeSm(SmId sm) {
    const uint32_t process = processOf(sm);
    sink_.process(process, smName(run_.device.limits, sm), process);
    for (const Residency& step : residency(run_.trace, sm)) {
      sink_.counter(process, "resident blocks", "blocks", step.cycles, step.blocks);
      sink_.counter(process, "resident warps", "warps", step.cycles, step.warps);
    }
  }

  // With operations, also whose warp it is.
  std::string nameOf(const TraceWarp& warp) const {
    const std::string name = fmt::format("b{} w{}", warp.block.value, warp.warp_in_block);
    const auto operation = run_.streams ? run_.streams->operationOf(warp.block) : std::nullopt;
    return operation ? fmt::format("{}, {}", name, run_.streams->operations[*operation].name) : name;
  }

  void writeWarp(const TraceWarp& warp, int64_t row) {
    const std::string name = nameOf(warp);
    const std::vector<TrackSlice> span_slices = spanSlices(run_.trace, warp);
    const std::vector<TrackSlice> instruction_slices = instructionSlices(run_.trace, warp);
    std::vector<EventTrack> span_tracks, instruction_tracks;
    for (uint32_t i = 0; i < std::max(1U, trackCount(span_slices)); ++i)
      span_tracks.push_back(addTrack(processOf(warp.sm), name, 2 * row));
    for (uint32_t i = 0; i < trackCount(instruction_slices); ++i)
      instruction_tracks.push_back(addTrack(processOf(warp.sm), name + " instructions", 2 * row + 1));

    std::vector<Span> spans;
    spans.reserve(span_slices.size());
    forEachSpan(run_.trace, warp, [&](const Span& span) { spans.push_back(span); });
    for (const TrackSlice& slice : span_slices)
      sink_.span(span_tracks[slice.track], slice, spans[slice.index]);
    for (const TraceEvent& event : run_.trace.eventsOf(warp)) {
      if (event.region == kExitRegion) sink_.exit(span_tracks.front(), event);
    }
    const auto instructions = run_.trace.instructionsOf(warp);
    for (const TrackSlice& slice : instruction_slices)
      sink_.instruction(instruction_tracks[slice.track], slice, instructions[slice.index]);
  }

  const Run& run_;
  const std::optional<CycleRange>& range_;
  TraceEventSink& sink_;
  uint32_t launch_ = 0, next_track_ = 0;
};

}  // namespace

void writeTraceEvents(const Run& run, const std::optional<CycleRange>& range, TraceEventSink& sink) {
  EventWriter(run, range, sink).writeAll();
}

}  // namespace warpscope
