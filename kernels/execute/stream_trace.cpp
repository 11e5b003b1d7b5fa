#include "kernels/execute/stream_trace.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace warpscope {
namespace {

// How a warp's clock becomes a cycle of the run's axis. What it does behind the clock `held_from` comes no
// earlier than `held_until`.
class Shift {
 public:
  // `offset`: the clock that the block has read, less that of the trace.
  Shift(const StreamReport::PlacedBlock& place, uint32_t warp_in_block, int64_t offset)
      : place_(&place), offset_(offset) {
    const uint64_t wait = warp_in_block < place.waits.size() ? place.waits[warp_in_block] : 0;
    if (wait != 0) held_from_ = static_cast<int64_t>(wait);
  }

  int64_t of(int64_t trace_clock) const {
    const int64_t clock = trace_clock - offset_;
    const int64_t axis = axisAt(static_cast<double>(clock));
    return clock <= held_from_ ? axis : std::max(axis, place_->held_until);
  }

 private:
  int64_t axisAt(double clock) const {
    const auto& points = place_->points;
    const auto behind = std::ranges::lower_bound(points, clock, {}, &Point::clock_cycles);
    if (behind == points.begin()) return std::llround(clock) + place_->later_cycles;
    const Point& before = *std::prev(behind);
    if (behind == points.end()) return before.axis_cycles + std::llround(clock - before.clock_cycles);
    const double share = (clock - before.clock_cycles) / (behind->clock_cycles - before.clock_cycles);
    return before.axis_cycles +
           std::llround(share * static_cast<double>(behind->axis_cycles - before.axis_cycles));
  }

  using Point = StreamReport::PlacedBlock::Point;
  const StreamReport::PlacedBlock* place_;
  int64_t offset_;
  int64_t held_from_ = std::numeric_limits<int64_t>::max();
};

// The events and instructions of a warp move with it.
void append(Trace& to, const Trace& from, TraceWarp warp, const Shift& shift) {
  const auto events = from.eventsOf(warp);
  const auto instructions = from.instructionsOf(warp);
  warp.first_event = static_cast<uint32_t>(to.events.size());
  warp.first_instruction = static_cast<uint32_t>(to.instructions.size());
  warp.begin_cycles = shift.of(warp.begin_cycles);
  warp.end_cycles = shift.of(warp.end_cycles);
  to.warps.push_back(warp);
  for (TraceEvent event : events) {
    event.clock_cycles = shift.of(event.clock_cycles);
    to.events.push_back(event);
  }
  for (TraceInstruction instruction : instructions) {
    instruction.issue_cycles = shift.of(instruction.issue_cycles);
    to.instructions.push_back(instruction);
  }
}

// The lowest slot of its SM that no other warp has while it lives.
void giveSlots(std::vector<TraceWarp>& warps) {
  std::vector<TraceWarp*> by_begin;
  by_begin.reserve(warps.size());
  for (TraceWarp& warp : warps) by_begin.push_back(&warp);
  std::ranges::stable_sort(by_begin, {}, [](const TraceWarp* warp) { return warp->begin_cycles; });
  std::map<SmId, std::vector<int64_t>> free_from;  // by slot
  for (TraceWarp* warp : by_begin) {
    std::vector<int64_t>& slots = free_from[warp->sm];
    auto slot = std::ranges::find_if(slots, [&](int64_t from) { return from <= warp->begin_cycles; });
    if (slot == slots.end()) slot = slots.insert(slots.end(), 0);
    *slot = warp->end_cycles;
    warp->hardware_slot = static_cast<uint32_t>(slot - slots.begin());
  }
}

const StreamReport::PlacedBlock* placeOf(const StreamReport& report, uint32_t operation, uint32_t block) {
  const std::pair wanted(operation, block);
  const auto key = [](const StreamReport::PlacedBlock& each) {
    return std::pair(each.operation, each.block);
  };
  const auto found = std::ranges::lower_bound(report.placed, wanted, {}, key);
  return found == report.placed.end() || key(*found) != wanted ? nullptr : &*found;
}

// A warp of one of the traces, and where it goes.
struct Moved {
  const Trace* from = nullptr;
  TraceWarp warp;
  Shift shift;
};

std::vector<Moved> moved(const LaunchTrace& launch, const StreamReport& report) {
  std::map<SmId, int64_t> offsets;
  for (const SmClock& clock : launch.trace.clocks.sms) offsets[clock.sm] = clock.offset_cycles;
  std::vector<Moved> all;
  for (TraceWarp warp : launch.trace.warps) {
    const StreamReport::PlacedBlock* place = placeOf(report, launch.operation, warp.block.value);
    if (place == nullptr) continue;
    const Shift shift(*place, warp.warp_in_block, offsets[warp.sm]);
    warp.sm = place->sm;
    warp.block.value += launch.first_block;
    all.push_back({&launch.trace, warp, shift});
  }
  return all;
}

}  // namespace

Trace joinPlaced(const std::vector<LaunchTrace>& launches, const StreamReport& report, double cycles_per_ns) {
  Trace joined;
  joined.clocks.cycles_per_ns = cycles_per_ns;
  joined.clocks.uncertainty_ns = 0;
  joined.duration_cycles = std::llround(report.total_ns * cycles_per_ns);
  std::vector<Moved> warps;
  for (const LaunchTrace& launch : launches) {
    const Trace& trace = launch.trace;
    std::ranges::move(moved(launch, report), std::back_inserter(warps));
    joined.clock_quantum_cycles = std::max(joined.clock_quantum_cycles, trace.clock_quantum_cycles);
    joined.unrecorded_warps += trace.unrecorded_warps;
    joined.dropped_events += trace.dropped_events;
    joined.dropped_instructions += trace.dropped_instructions;
    for (const TraceProblem& problem : trace.problems) {
      const auto same = std::ranges::find(joined.problems, problem.cause, &TraceProblem::cause);
      same == joined.problems.end() ? joined.problems.push_back(problem)
                                    : static_cast<void>(same->count += problem.count);
    }
  }
  std::ranges::sort(warps, {}, [](const Moved& each) {
    return std::tuple(each.warp.sm, each.warp.block, each.warp.warp_in_block);
  });
  for (const Moved& each : warps) {
    append(joined, *each.from, each.warp, each.shift);
    if (joined.clocks.sms.empty() || joined.clocks.sms.back().sm != each.warp.sm)
      joined.clocks.sms.push_back({each.warp.sm, 0, 0.0});
    joined.duration_cycles = std::max(joined.duration_cycles, joined.warps.back().end_cycles);
  }
  giveSlots(joined.warps);
  return joined;
}

}  // namespace warpscope
