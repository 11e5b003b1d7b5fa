// The groups of segments that a warp executes one after another (machine_code.h): executing one before its
// operations issue, and what follows when they have.
#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/sim/sm/sm_core.h"

namespace warpscope::sim {
namespace {

// On an H100 (580.159.04, 2026-11-24), warps of the truth suite's open half wait for branches: 8 cycles for
// the EXIT at their end; 86 for a call, the return from it and a BSYNC (deep_recursion).
constexpr uint64_t kExitCycles = 8;
constexpr uint32_t kIndirectBranchCycles = 60;
// The last cycles of a jump pass while the instructions at its target are fetched: warps of the truth
// suite's loops wait 3 cycles for instructions and 3 for branches in each further trip (radix_count,
// grid_stride, shared_bins).
constexpr uint64_t kTargetFetchCycles = 3;

// If the lanes of a warp take different paths, the warp executes one path up to the BSYNC at its end, and
// then goes to the other path. Each such branch costs a warp 12 to 32 cycles more of waiting for branches
// (trips, peel, longest_match, eight_ways, formulas_lane, hash_find, bitonic, run_lengths and others of the
// truth suite; an H100 with 580.159.04, 2026-11-26). A YIELD changes the path twice if other lanes wait: 43
// to 59 cycles in each trip of a loop that waits for another block (spin_lock, many_locks, relay,
// chained_scan, scan_in_turn).
constexpr uint32_t kOtherPathCycles = 20;
constexpr uint32_t kYieldCycles = 20, kYieldToOthersCycles = 52;

// Two fifths of these cycles are stall counts, which ptxas sets: 7.3 of 18.4 cycles where the path changes
// (177 BSYNC of the truth suite's open part and what is before them by PC samples; H100, 580.159.04,
// 2026-11-27).
constexpr uint32_t settlingOf(uint32_t path_cycles) {
  return path_cycles * 2 / 5;
}

// A warp that sleeps goes on when the SM's clock comes to the next multiple of a power of two, the first that
// is not less than it asked for: loops of nanosleep on an H100 (580.159.04, 2026-11-26) take 508 cycles a
// trip with 200 ns, 1,016 with 400, 2,006 with 800, 2,040 with 1,000, 4,056 with 2,000 and 32,311 with
// 10,000; 267 to 272 with 32 to 100 ns, and 80 more than without it with 0 and 20.
uint64_t awakeAt(uint64_t cycle, double asked_cycles) {
  constexpr uint64_t kLeastPeriod = 256, kNoSleepCycles = 80;
  constexpr double kLeastAsked = 48;
  if (asked_cycles < kLeastAsked) return cycle + kNoSleepCycles;
  const uint64_t period = std::max(kLeastPeriod, std::bit_ceil(static_cast<uint64_t>(asked_cycles)));
  return (cycle / period + 1) * period;
}

}  // namespace

void SmCore::resumeAt(uint32_t slot, uint64_t cycle, WarpState reason) {
  WarpSlot& warp = slots_[slot];
  warp.state = State::kNeedsGroup;
  warp.home->gates[warp.local] = Gate::kNone;
  warp.reason = reason;
  warp.wait_until = cycle;
  wakeAt(warp, cycle);
}

// Executes the warp's next group and makes its first operation the next to issue.
void SmCore::fetchGroup(uint32_t slot, uint64_t cycle) {
  WarpSlot& warp = slots_[slot];
  accountUntil(warp, cycle);
  if (warp.state == State::kDraining) return endWarp(slot, cycle);
  runSegments(slot, cycle);
  if (!fault_.empty()) {
    sleep(warp);
    return;
  }
  warp.state = State::kIssuing;
  if (skipOthersOperations(warp)) {
    prepare(warp, cycle);
  } else {
    endGroup(slot, cycle + 1);  // takes a cycle, so that every loop costs time
  }
}

// Sums of floats depend on their order, so they are executed at the epoch's end. A GPU does not keep a warp
// waiting for that, so a warp that has nothing else to do ends one cycle after it issued the sum.
void SmCore::goOnAfterReduction(uint32_t slot, uint64_t epoch_end) {
  WarpSlot& warp = slots_[slot];
  const uint64_t next = warp.issued + 1;
  warp.reason = WarpState::kLongScoreboard;
  runSegments(slot, next);
  if (!fault_.empty()) return sleep(warp);
  warp.state = State::kIssuing;
  if (!skipOthersOperations(warp)) return endGroup(slot, epoch_end);
  const IssueOp& op = model_.ops[warp.op];
  if (warp.stop != Stop::kExited || !op.exits || op.issues > 1) return prepare(warp, epoch_end);
  warp.wait_until = next;
  warp.pieces = op.issues;
  account(*warp.home, warp, op, 0, next);
  ++counters_.instructions;
  ++counters_.branch_instructions;
  counters_.thread_instructions += static_cast<uint32_t>(std::popcount(warp.member_masks[op.member]));
  warp.issued = next;
  endGroup(slot, epoch_end);
}

// machine_code.h says which segments belong together.
void SmCore::runSegments(uint32_t slot, uint64_t cycle) {
  WarpSlot& warp = slots_[slot];
  warp.accesses.clear();
  warp.has_rare = warp.at_barrier_instruction = warp.at_cluster_wait = warp.jumps = false;
  warp.path_cycles = 0;
  warp.trips = 1;
  recorder_.log = &warp.accesses;
  recorder_.clock_cycles = blocks_[warp.block].clock_begin + cycle;
  recorder_.local_base = localMemoryOf(slot);
  const Warp& now = *warp.warp;
  if (model_.has_frames)
    warp.call_depth = now.current < now.paths.size() ? now.frames[now.paths[now.current].frame].depth : 0;
  bool first = true;
  while (true) {
    const SegmentResult result =
        warp.valued ? warp.executing->runSegment(*warp.warp, recorder_)
                    : warp.executing->runSegment(*warp.warp, static_cast<AccessRecorder&>(recorder_));
    if (result.executed == 0 && result.stop != Stop::kFault) {  // none of its paths could continue
      if (first) warp.op = warp.op_end = 0;
      warp.stop = result.stop;
      return;
    }
    if (result.stop == Stop::kFault) {
      const Fault* fault = warp.executing->fault();
      fault_ = fault != nullptr ? fault->message : "the kernel failed";
      fault_cycle_ = cycle;
      return;
    }
    const MachineSegment& segment = model_.machine.segments[result.segment];
    const uint32_t member = result.segment - segment.group_first + warp.accesses.trip * segment.group_count;
    if (first) {
      const uint32_t came_from = std::exchange(warp.segment, segment.group_first);
      // Most kernels have no such loops. Then `loaded`, which is not in the host's caches, is not touched.
      for (size_t i = 0; came_from != warp.segment && i < model_.machine.loops.size(); ++i) {
        const MachineLoop& loop = model_.machine.loops[i];
        if (loop.contains(warp.segment) && !loop.contains(came_from)) warp.loaded[i] = 0;
      }
      warp.op = segment.first;
      warp.op_end = segment.first + segment.count;
      const uint32_t members = segment.group_count * segment.trips;
      warp.member_masks.assign(members, 0);
      if (warp.valued) warp.member_steps.assign(members, std::nullopt);
      warp.member_first = warp.member_last = member;
      first = false;
    }
    warp.member_last = std::max(warp.member_last, member);
    warp.member_masks[member] = result.mask;
    if (warp.valued) {
      warp.member_steps[member] =
          int64_t{recorder_.values->stepsOf(warp.warp_in_block)} - result.executed - int64_t{result.first_pc};
    }
    noteSegment(warp, result);
    if (!warp.executing->released().empty()) barrierCompleted(slot, cycle);
    if (model_.wakes_others) noteWoken(slot);
    if (result.stop != Stop::kSegment || warp.barrier_group != kNoGroup) return;
    if (result.next_pc >= model_.code.segment_of.size()) return;
    const uint32_t next = model_.code.segment_of[result.next_pc];
    if (model_.machine.segments[next].group_first != segment.group_first) return;
    if (continuesGroup(warp, next)) continue;
    // Where lanes may have to wait for others, another path may be next.
    if (next != segment.group_first || warp.trips == segment.trips || warp.warp->paths.size() > 1) return;
    ++warp.trips;
    ++warp.accesses.trip;
  }
}

// Whether a segment of the group that the warp executes issues with what it has executed. So it does if no
// lanes have been there: it is a later one, or the other body of a branch that became predication, which
// comes before the one that its lanes executed first.
bool SmCore::continuesGroup(const WarpSlot& warp, uint32_t segment) const {
  const MachineSegment& info = model_.machine.segments[segment];
  if (segment == info.group_first) return false;
  const uint32_t member = segment - info.group_first + warp.accesses.trip * info.group_count;
  return member > warp.member_first && warp.member_masks[member] == 0;
}

void SmCore::noteSegment(WarpSlot& warp, const SegmentResult& result) {
  counters_.ptx_instructions += result.executed;
  warp.has_rare = warp.accesses.has_others && !warp.accesses.rare.empty();
  warp.stop = result.stop;
  warp.jumps = false;
  const SegmentFacts& segment = model_.segments[result.segment];
  warp.stop_pc = segment.last_pc;
  warp.at_barrier_instruction = segment.waits_at_barrier;
  warp.at_cluster_wait = segment.waits_for_cluster;
  warp.indirect = segment.is_indirect;
  warp.jumps = result.next_pc != warp.stop_pc + 1;
  if (!result.branched) return;
  if (segment.yields) noteYield(warp, result.mask);
  const bool diverged = result.taken != 0 && result.taken != result.mask;
  counters_.ptx_branches += segment.is_conditional ? 1 : 0;
  counters_.ptx_branches_divergent += segment.is_conditional && diverged ? 1 : 0;
  if (segment.has_no_target) return;
  ++counters_.branch_targets;
  counters_.branch_targets_divergent += diverged ? 1 : 0;
  // Both paths issue the BSYNC where they meet.
  if (!diverged || !segment.meets_at_sync) return;
  ++counters_.instructions;
  ++counters_.branch_instructions;
  warp.path_cycles += kOtherPathCycles;
}

// A subroutine is a chain of instructions that wait for each other, and of branches. On an H100 (580.159.04)
// a warp takes 8 cycles for each of the 33 to 39 instructions of one for floats: 4.3 of them it waits for
// results, 2.2 for branches and 0.5 for instructions (glow of the truth suite, whose warps divide by zero 13
// times). For doubles it takes 4.7 cycles: 2.7, 0.7 and 0.2 (all_roots). Returns when the subroutine ends.
uint64_t SmCore::takeSubroutine(WarpSlot& warp, const RareCase& rare, uint64_t cycle) {
  const uint64_t wait_eighths = rare.is_double ? 22 : 35, branch_eighths = rare.is_double ? 6 : 17,
                 fetch_eighths = rare.is_double ? 2 : 4;
  counters_.instructions += rare.issues;
  counters_.thread_instructions += uint64_t{rare.issues} * static_cast<uint32_t>(std::popcount(rare.lanes));
  const auto spend = [&](WarpState state, uint64_t cycles) {
    cycle += cycles;
    warp.wait_until = cycle;
    warp.reason = state;
    accountUntil(warp, cycle);
  };
  spend(WarpState::kWait, 0);
  spend(WarpState::kSelected, rare.issues);
  spend(WarpState::kWait, rare.issues * wait_eighths / 8);
  spend(WarpState::kBranchResolve, rare.issues * branch_eighths / 8);
  spend(WarpState::kNoInstruction, rare.issues * fetch_eighths / 8);
  return cycle;
}

// Accounts for the subroutines that the operation just issued calls. Returns when they end and its result is
// known.
uint64_t SmCore::takeSubroutines(WarpSlot& warp, const IssueOp& op, uint64_t cycle) {
  uint64_t end = cycle;
  for (RareCase& rare : warp.accesses.rare) {
    if (rare.pc == op.pc && rare.trip == op.trip && rare.issues > 0) {
      end = takeSubroutine(warp, rare, end);
      rare.issues = 0;
    }
  }
  return end;
}

// YIELD lets the lanes that wait where the loop ends have a turn, in which they issue its BSYNC again: thread
// 0 of a block, which waits alone, issues 5 instructions for each load of a lock, 3 of them branches, on an
// H100 (580.159.04, 2026-11-26; spin_lock, ticket_lock, scan_in_turn, relay of the truth suite), 4 where
// there are no other lanes.
void SmCore::noteYield(WarpSlot& warp, uint32_t mask) {
  uint32_t waiting = 0;
  for (const Join& join : warp.warp->joins) waiting |= join.used ? join.arrived : 0;
  const uint32_t issues = waiting != 0 ? 2 : 1;
  warp.path_cycles += waiting != 0 ? kYieldToOthersCycles : kYieldCycles;
  counters_.instructions += issues;
  counters_.branch_instructions += issues;
  counters_.thread_instructions += static_cast<uint32_t>(std::popcount(mask) + std::popcount(waiting));
}

// All operations of the group are issued; the warp could continue at this cycle.
void SmCore::endGroup(uint32_t slot, uint64_t cycle) {
  WarpSlot& warp = slots_[slot];
  if (!pending_wakes_.empty()) deliverWakes(slot, kNowhere, cycle);
  if (std::exchange(warp.has_rare, false)) {
    for (const RareCase& rare : warp.accesses.rare) {  // those of instructions that became no operation
      if (rare.issues > 0) cycle = takeSubroutine(warp, rare, cycle);
    }
    warp.accesses.rare.clear();
  }
  switch (warp.stop) {
    case Stop::kExited:
      warp.reason = WarpState::kBranchResolve;
      warp.wait_until = warp.issued + 1 + kExitCycles;
      accountUntil(warp, warp.wait_until);
      return drain(slot, warp.wait_until, cycle);
    case Stop::kMemory:
      warp.state = State::kWaitingForMemory;
      ++in_memory_;
      sleep(warp);
      stops_ahead_ = true;
      memory_waiters_.push_back({warp.issued, smid_, static_cast<uint32_t>(memory_waiters_.size()), slot});
      return;
    case Stop::kSleep:
      return resumeAt(slot, awakeAt(cycle, warp.warp->sleep_ns * model_.clock_ghz), WarpState::kSleeping);
    case Stop::kBarrier:
    case Stop::kSegment:
    case Stop::kFault:
      break;
  }
  if (warp.at_cluster_wait && warp.stop != Stop::kBarrier) {
    if (warp.release_pending) return barrierIssued(slot, cycle);
    const uint64_t released = std::exchange(warp.released_at, 0);
    return resumeAt(slot, std::max(cycle, released), released > cycle ? WarpState::kBarrier : warp.reason);
  }
  if (warp.stop == Stop::kBarrier && warp.woken_at != 0) {
    const uint64_t woken = std::exchange(warp.woken_at, 0);
    return resumeAt(slot, std::max(cycle, woken), WarpState::kBarrier);
  }
  if (warp.stop == Stop::kBarrier || warp.barrier_group != kNoGroup) return barrierIssued(slot, cycle);
  if (warp.jumps) {
    const uint32_t latency = model_.profile.branch_latency_cycles;
    const bool indirect = warp.indirect;
    if (!indirect && !warp.branched) return changePath(slot, cycle);  // nothing had to jump
    // A cycle less than the profile's figure for a jump: `calibrate` on a simulated H100 then measures 10
    // cycles of 11, and with all 11 measures 8 % less of what one SM can write.
    const uint64_t cycles =
        indirect ? 1 + std::max(latency, kIndirectBranchCycles) : std::max(latency, 2U) - 1;
    // A jump takes a little longer than a branch that goes on, even where its predicate was waited for.
    const uint64_t resumed = std::max(cycle + 1, warp.issued + cycles) + warp.path_cycles;
    const uint64_t fetching =
        indirect ? 0 : std::min(kTargetFetchCycles, (resumed - warp.path_cycles - warp.issued) / 3);
    const uint64_t settled = std::min(cycle, resumed - 2 * fetching);
    warp.wait_until = settled;
    accountUntil(warp, settled);
    countSettling(warp, resumed, settlingOf(warp.path_cycles));
    warp.reason = WarpState::kBranchResolve;
    warp.wait_until = resumed - fetching;
    accountUntil(warp, warp.wait_until);
    return resumeAt(slot, resumed, WarpState::kNoInstruction);
  }
  changePath(slot, cycle);
}

void SmCore::changePath(uint32_t slot, uint64_t cycle) {
  WarpSlot& warp = slots_[slot];
  if (warp.path_cycles == 0) return resumeAt(slot, cycle, warp.reason);
  warp.wait_until = cycle;
  accountUntil(warp, cycle);
  countSettling(warp, cycle + warp.path_cycles, settlingOf(warp.path_cycles));
  resumeAt(slot, cycle + warp.path_cycles, WarpState::kBranchResolve);
}

}  // namespace warpscope::sim
