#include "kernels/execute/stream_trace.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace warpscope {
namespace {

// How a warp's clock becomes a cycle of the run's axis. `held_from`: the clock from which on it is later
// still (StreamReport::PlacedBlock::waits), and then not before `held_until`.
struct Shift {
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  int64_t later = 0;
  int64_t held_from = kNever, held_cycles = 0, held_until = 0;

  int64_t of(int64_t clock) const {
    if (clock <= held_from) return clock + later;
    return std::max(clock + later + held_cycles, held_until);
  }
};

// A warp that never came to griddepcontrol.wait waits, at most, for one that did.
Shift shiftOf(const StreamReport::PlacedBlock& place, uint32_t warp_in_block, int64_t offset) {
  Shift shift{.later = place.later_cycles - offset};
  if (place.waits.empty()) return shift;
  const uint64_t own = warp_in_block < place.waits.size() ? place.waits[warp_in_block] : 0;
  const uint64_t from = own != 0 ? own : *std::ranges::max_element(place.waits);
  shift.held_from = static_cast<int64_t>(from) + offset;
  shift.held_cycles = place.held_cycles;
  if (own != 0) shift.held_until = place.held_until;
  return shift;
}

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
    const Shift shift = shiftOf(*place, warp.warp_in_block, offsets[warp.sm]);
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
