// The issue side of an SM: choosing a warp, issuing its operation, and the consequences.
#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/sim/sm/sm_core.h"

namespace warpscope::sim {
namespace {

WarpState reasonOf(ScoreClass score) {
  switch (score) {
    case ScoreClass::kShort:
      return WarpState::kShortScoreboard;
    case ScoreClass::kLong:
      return WarpState::kLongScoreboard;
    case ScoreClass::kConstant:
      return WarpState::kImcMiss;
    case ScoreClass::kHeld:
      return WarpState::kDispatch;
    case ScoreClass::kBranched:
      return WarpState::kBranchResolve;
    default:
      return WarpState::kWait;
  }
}

// What each warp waits for its first instructions, in the cache of its SM (exponents, hyperbolic, life:
// measured as below).
constexpr uint64_t kFirstFetchCycles = 7;

// What warps of the truth suite's open half wait for branches on an H100 (580.159.04, 2026-11-24): 8 cycles
// for an EXIT, of which each warp has one at its end; 86 for a call, the return from it and a BSYNC
// (deep_recursion).
constexpr uint64_t kExitCycles = 8;
constexpr uint32_t kIndirectBranchCycles = 60;
// Of what a jump takes, the last cycles pass while the instructions at its target are fetched: warps of the
// truth suite's loops wait 3 cycles for instructions and 3 for branches in each further trip (radix_count,
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

// Some of these cycles are stall counts, which ptxas sets: a warp waits 4 of the 13 cycles behind a BSYNC for
// them, and where the path changes 3 or 4 before it (177 of them in the truth suite's open part by PC
// samples: 4.0 of 12.4 and 7.3 of 18.4 cycles; H100, 580.159.04, 2026-11-27).
constexpr uint32_t kSettlingCycles = 4;
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

// Greedy, then youngest: the warp that issued last continues as long as it can; otherwise one of the block
// that came last is chosen. This was found on recent chips (Huerta et al., "Analyzing Modern NVIDIA GPU
// cores", arXiv 2503.20481, section 5.1). Within a block, the warp is next that has not issued for longest:
// on an H100 (580.159.04, 2026-11-27) the 32 warps of offsets_of_counts, farthest_points and covariances
// (truth suite) wait for each other at every few instructions and come to their barriers together. With the
// block that came first before others, warps of `barriers block_wide` would work for 71 % of their time, not
// 56 % as on that GPU.
void SmCore::stepPartition(uint32_t index, uint64_t cycle) {
  Partition& partition = partitions_[index];
  if (cycle < partition.dispatch_free) {
    partition.next = partition.dispatch_free;
    return;
  }
  partition.next = kNever;  // any warp that is woken meanwhile lowers it
  uint64_t next = kNever;
  const uint64_t* wake = partition.wake.data();
  const uint8_t* gates = partition.gates.data();
  const uint8_t* by_age = partition.by_age.data();
  const size_t count = partition.by_age.size();
  uint32_t local = partition.last_issued;
  for (size_t i = 0;; local = by_age[i++]) {
    // A warp's state is not in the host's caches: it is looked at only if the warp can issue.
    if (wake[local] <= cycle) {
      const auto slot = static_cast<uint32_t>(local * partitions_.size() + index);
      if (gates[local] == Gate::kNone) fetchGroup(slot, cycle);
      if (wake[local] <= cycle) {
        const uint8_t gate = gates[local];
        const uint64_t pipe_free = pipeFree(partition, gate);
        const uint64_t free =
            (gate & Gate::kPorts) != 0 ? std::max(pipe_free, partition.ports_free) : pipe_free;
        if (free <= cycle) {
          if (local != partition.last_issued) toBack(partition, partition.last_issued);
          issue(partition, slot, pipe_free, cycle);
          partition.last_issued = local;
          partition.next = std::max(cycle + 1, partition.dispatch_free);
          return;
        }
        if ((gate & Gate::kConstant) == Gate::kGlobal) refused_partition_ = index;
        next = std::min(next, free);
      } else {
        next = std::min(next, wake[local]);
      }
    } else {
      next = std::min(next, wake[local]);
    }
    if (i == count) break;
  }
  partition.next = std::min(partition.next, next);
}

// Puts a warp behind the others of its block.
void SmCore::toBack(Partition& partition, uint32_t local) {
  const auto at = std::ranges::find(partition.by_age, static_cast<uint8_t>(local));
  if (at == partition.by_age.end()) return;
  const uint32_t own = partition.blocks[local];
  auto end = at + 1;
  while (end != partition.by_age.end() && partition.blocks[*end] == own) ++end;
  std::rotate(at, at + 1, end);
}

// Returns the cycle at which the pipe begins with it.
uint64_t SmCore::takePipe(Partition& partition, Pipe pipe, uint32_t ticks, uint64_t cycle) {
  uint64_t& free = partition.pipe_free[static_cast<size_t>(pipe)];
  const uint64_t begun = std::max(free / kPipeTicks, cycle);
  free = std::max(free, cycle * kPipeTicks) + ticks;
  if (ticks > kPipeTicks) partition.taken[static_cast<size_t>(pipe)].add(cycle + 1, free / kPipeTicks);
  counters_.pipe_ticks[static_cast<size_t>(pipe)] += ticks;
  if (pipe == Pipe::kSpecial) {
    partition.special[partition.special_at] = begun;
    partition.special_at = (partition.special_at + 1) % Partition::kSpecialQueue;
  }
  return begun;
}

void SmCore::issue(Partition& partition, uint32_t slot, uint64_t pipe_free, uint64_t cycle) {
  WarpSlot& warp = slots_[slot];
  const IssueOp& op = model_.ops[warp.op];
  account(partition, warp, op, pipe_free, cycle);
  const uint32_t mask = warp.member_masks[op.member];
  ++counters_.instructions;
  counters_.thread_instructions += mask == ~0U ? 32U : static_cast<uint32_t>(std::popcount(mask));
  warp.issued = cycle;
  uint64_t begun = cycle;  // on its pipe
  const bool first = warp.pieces == op.issues;
  const bool alone = partition.pipe_users[static_cast<size_t>(Pipe::kSpecial)] == warp.local;
  if (op.pipe != Pipe::kLoadStore) {
    if (op.issues - warp.pieces < op.on_pipe) {
      begun = takePipe(partition, op.pipe, op.pipe_ticks, cycle);
      partition.pipe_users[static_cast<size_t>(op.pipe)] = warp.local;
    }
    if (op.reads_twice) partition.ports_free = cycle + 2;
    if (op.held_ticks >= kPipeTicks) {
      partition.dispatch_free = cycle + 1 + op.held_ticks / kPipeTicks;
      partition.held.add(cycle + 1, partition.dispatch_free);
    }
  }
  if (first && op.on_special > 0) {
    const auto interval = model_.profile.pipes[static_cast<size_t>(Pipe::kSpecial)].issue_interval_cycles;
    const auto ticks = static_cast<uint32_t>(interval * kPipeTicks) * op.on_special;
    warp.special_begun = takePipe(partition, Pipe::kSpecial, ticks, cycle) - cycle;
    partition.pipe_users[static_cast<size_t>(Pipe::kSpecial)] = warp.local;
  }
  if (--warp.pieces > 0 && op.kind != OpClass::kMemory) {
    const bool on_special = first && op.special_cycles > 0;
    warp.wait_until = cycle + 1 + (on_special ? op.special_cycles + warp.special_begun : 0);
    const bool queues = warp.special_begun > op.special_cycles && !alone;
    warp.reason = !on_special ? WarpState::kWait
                  : queues    ? WarpState::kMioThrottle
                              : WarpState::kShortScoreboard;
    partition.wake[warp.local] = warp.wait_until;
    return;
  }
  // The further pieces of a memory access issue unobserved after the first.
  counters_.instructions += warp.pieces;
  counters_.thread_instructions += uint64_t{warp.pieces} * static_cast<uint32_t>(std::popcount(mask));
  counters_.branch_instructions += op.branch ? 1 : 0;
  if (op.spacing != Spacing::kNone) warp.next_of[static_cast<size_t>(op.spacing)] = cycle + op.spacing_cycles;
  switch (op.kind) {
    case OpClass::kFixed:
      setScores(warp, op,
                begun + op.latency_cycles + op.late_cycles - op.special_cycles +
                    (op.on_special > 0 && op.special_cycles == 0 ? warp.special_begun : 0),
                op.score);
      break;
    case OpClass::kShuffle: {
      // If it is predicated off, no instruction waits for its result (the S2R of farthest_points, which only
      // the first thread needs, on an H100; 580.159.04, 2026-11-27).
      if (mask == 0) {
        setScores(warp, op, cycle + 1, ScoreClass::kFixed);
        break;
      }
      uint64_t begin = leaveQueue(partition, cycle, op.short_turn);
      if (op.matches) begin = matchedAt(partition, warp, op.pc, begin);
      partition.others_queue[partition.others_queue_at] = begin;
      partition.others_queue_at = (partition.others_queue_at + 1) % Partition::kOthersQueue;
      const uint64_t from = op.loads_parameter ? parametersReadyFrom(begin) : begin;
      setScores(warp, op, from + std::max<uint32_t>(op.latency_cycles, 1), ScoreClass::kShort);
      counters_.other_wavefronts += op.counts_wavefront ? 1 : 0;
      break;
    }
    case OpClass::kMemory:
      issueMemory(partition, slot, op, cycle);
      break;
    case OpClass::kStack:
      issueStack(partition, slot, op, cycle);
      break;
    case OpClass::kFence:
      if (op.latency_cycles > 0) return beginFence(slot, cycle);
      if (warp.stores_pending > 0) {
        warp.state = State::kWaitingForStores;
        sleep(warp);
        return;
      }
      return afterIssue(slot, std::max(cycle + 1, warp.stores_done), WarpState::kMembar);
    case OpClass::kAsyncCommit:
      warp.copy_groups.emplace_back();
      break;
    case OpClass::kSignal:
      setScores(warp, op, begun + op.latency_cycles, op.score);
      if (!pending_wakes_.empty()) deliverWakes(slot, op.pc, cycle);
      break;
    case OpClass::kBulkCopy:
      issueBulk(partition, slot, op, cycle);
      break;
    case OpClass::kBulkCommit:
      warp.bulk_groups.emplace_back();
      break;
    case OpClass::kBulkWait:
      return awaitBulk(slot, op, cycle);
    case OpClass::kGridDependency:
      if (mask != 0 && meetGridDependency(slot, model_.code.instructions[op.pc], cycle)) return;
      break;
    case OpClass::kAsyncWait:
      awaitCopies(warp, model_.code.instructions[op.pc]);
      if (!awaitedCopiesAreBack(warp)) {
        warp.state = State::kWaitingForCopies;
        sleep(warp);
        return;
      }
      return afterIssue(slot, std::max(cycle + 1, warp.copies_done), WarpState::kLongScoreboard);
  }
  warp.branched = op.branch && !op.sync;
  if (op.retried > 0)
    return afterIssue(slot, std::max(cycle + op.stall_cycles, warp.loop_done), WarpState::kShortScoreboard);
  uint64_t earliest = cycle + op.stall_cycles;
  if (!warp.accesses.rare.empty() && op.destination_count > 0) earliest = takeSubroutines(warp, op, earliest);
  if (op.sync || (op.holds && op.settled)) countSettling(warp, earliest, kSettlingCycles);
  afterIssue(slot, earliest, op.sync || op.exits || op.holds ? WarpState::kBranchResolve : WarpState::kWait);
}

// A sub-partition works on one match.any at a time, and compares its lanes with one value after another. On
// an H100 (580.159.04, 2026-11-27) 32 of them with 14 different values each keep a sub-partition busy for
// 3,100 cycles (radix_alone of the truth suite, a block of 32 warps that sorts by 4 bits at a time).
uint64_t SmCore::matchedAt(Partition& partition, const WarpSlot& warp, uint32_t pc, uint64_t begin) {
  constexpr uint64_t kValueCycles = 7;
  uint64_t values = 1;
  for (const MatchedLanes& matched : warp.accesses.matched)
    values = matched.pc == pc ? matched.values : values;
  partition.match_free = std::max(partition.match_free, begin) + kValueCycles * values;
  return partition.match_free;
}

// A fence for the whole GPU ends a fixed time after everything that its SM has sent so far is back. On an
// H100 (driver 580.159.04, 2026-11-23) a fence after a store takes 850 cycles in the only block of its SM,
// 1,100 beside two other blocks that load, 1,230 beside seven.
void SmCore::beginFence(uint32_t slot, uint64_t cycle) {
  WarpSlot& warp = slots_[slot];
  warp.fence_awaits = static_cast<uint32_t>(flights_.size() - free_flights_.size());
  warp.fence_begin = next_flight_;
  warp.fence_ready = std::max(cycle + 1, flights_done_);
  if (warp.fence_awaits == 0) return endFence(slot);
  warp.state = State::kWaitingForFlights;
  sleep(warp);
  fencing_.push_back(slot);
}

void SmCore::endFence(uint32_t slot) {
  WarpSlot& warp = slots_[slot];
  warp.state = State::kIssuing;
  emptyL1();  // CCTL.IVALL
  afterIssue(slot, warp.fence_ready + model_.ops[warp.op].latency_cycles, WarpState::kMembar);
}

// Waits for all groups, including the one being formed, or for all but the latest few.
void SmCore::awaitCopies(WarpSlot& warp, const Instruction& wait) {
  if (wait.modifiers.all) warp.copy_groups.emplace_back();
  const uint64_t left = wait.modifiers.all ? 0 : wait.immediate;
  const uint64_t formed = warp.copy_groups_gone + warp.copy_groups.size() - 1;
  warp.copy_groups_awaited = static_cast<uint32_t>(formed > left ? formed - left : 0);
}

// Removes the groups whose copies have all arrived. Returns whether all awaited groups have.
bool SmCore::awaitedCopiesAreBack(WarpSlot& warp) {
  while (warp.copy_groups_gone < warp.copy_groups_awaited) {
    const CopyGroup& oldest = warp.copy_groups.front();
    if (oldest.pending > 0) return false;
    warp.copies_done = std::max(warp.copies_done, oldest.done);
    warp.copy_groups.erase(warp.copy_groups.begin());
    ++warp.copy_groups_gone;
  }
  return true;
}

void SmCore::afterIssue(uint32_t slot, uint64_t earliest, WarpState reason) {
  WarpSlot& warp = slots_[slot];
  ++warp.op;
  warp.reason = reason;
  if (skipOthersOperations(warp)) {
    prepare(slot, earliest);
  } else {
    endGroup(slot, earliest);
  }
}

// Returns false if no operation is left.
bool SmCore::skipFurther(WarpSlot& warp) const {
  for (; warp.op < warp.op_end; ++warp.op) {
    const IssueOp& op = model_.ops[warp.op];
    if (op.member < warp.member_first || op.member > warp.member_last) continue;
    if (op.every == 1) return true;
    uint8_t& turn = warp.turns[op.turn];
    const uint32_t comes = turn + warp.trips;
    turn = static_cast<uint8_t>(comes % op.every);
    if (comes >= op.every) return true;
  }
  return false;
}

// Finds the cycle from which the current operation can issue, as far as the warp itself is concerned.
void SmCore::prepare(uint32_t slot, uint64_t earliest) {
  WarpSlot& warp = slots_[slot];
  const IssueOp& op = model_.ops[warp.op];
  warp.pieces = op.issues;
  warp.home->gates[warp.local] = op.gate;
  uint64_t score = 0;
  const uint64_t* scores = warp.scores.data();
  for (uint32_t i = 0; i < op.awaited_count; i += kAwaitedAtOnce) {
    const uint16_t* registers = op.awaited + i;
    const uint64_t first = std::max(scores[registers[0]], scores[registers[1]]);
    const uint64_t second = std::max(scores[registers[2]], scores[registers[3]]);
    score = std::max(score, std::max(first, second));
  }
  if (warp.reading_until > earliest) score = std::max(score, readUntil(warp, op));
  // ptxas lets seven cycles pass before a BSYNC or CALL (control bits, see launch_model.cpp).
  constexpr uint64_t kSettleCycles = 7;
  if (op.spacing != Spacing::kNone)
    earliest = std::max(earliest, warp.next_of[static_cast<size_t>(op.spacing)]);
  if (op.settled) earliest = std::max(earliest, warp.issued + kSettleCycles);
  const auto score_class = static_cast<ScoreClass>(score & ((1U << kScoreBits) - 1));
  if (score >= kPendingScore) {
    passStalls(warp, op, earliest);
    warp.state = State::kWaitingForRegister;
    warp.reason = reasonOf(score_class);
    sleep(warp);
    return;
  }
  warp.wait_until = earliest;
  if (score >> kScoreBits > earliest) {
    if (score_class != ScoreClass::kFixed) passStalls(warp, op, earliest);
    warp.wait_until = score >> kScoreBits;
    warp.reason = reasonOf(score_class);
  }
  if (op.fetch_line != warp.fetch_line) {
    const bool begins = warp.fetch_line == kNoFetchLine;
    warp.fetch_line = op.fetch_line;
    const uint64_t fetched =
        std::max(instructionFetched(op.fetch_line, earliest), earliest + (begins ? kFirstFetchCycles : 0));
    if (fetched > warp.wait_until) {
      warp.wait_until = fetched;
      warp.reason = WarpState::kNoInstruction;
    }
  }
  wakeAt(warp, warp.wait_until);
}

// A warp looks at the scoreboards of an instruction's operands once the cycles are over that ptxas lets pass
// before it, among them the latencies of operands from pipes that always take the same time.
void SmCore::passStalls(WarpSlot& warp, const IssueOp& op, uint64_t earliest) {
  uint64_t fixed = 0;
  for (uint32_t i = 0; i < op.awaited_count; ++i) {
    const uint64_t score = warp.scores[op.awaited[i]];
    const auto score_class = static_cast<ScoreClass>(score & ((1U << kScoreBits) - 1));
    if (score_class == ScoreClass::kFixed) fixed = std::max(fixed, score >> kScoreBits);
  }
  warp.wait_until = earliest;
  accountUntil(warp, earliest);
  if (fixed <= earliest) return;
  warp.reason = WarpState::kWait;
  warp.wait_until = fixed;
  accountUntil(warp, fixed);
}

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
    prepare(slot, cycle);
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
  if (warp.stop != Stop::kExited || !op.exits || op.issues > 1) return prepare(slot, epoch_end);
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
  warp.at_barrier_instruction = warp.at_cluster_wait = warp.jumps = false;
  warp.path_cycles = 0;
  warp.trips = 1;
  recorder_.log = &warp.accesses;
  recorder_.clock_cycles = blocks_[warp.block].clock_begin + cycle;
  recorder_.local_base = localMemoryOf(slot);
  const Warp& now = *warp.warp;
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
      warp.op = segment.first;
      warp.op_end = segment.first + segment.count;
      const uint32_t members = segment.group_count * segment.trips;
      warp.member_masks.assign(members, 0);
      warp.member_steps.assign(warp.valued ? members : 0, std::nullopt);
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
  warp.stop = result.stop;
  warp.jumps = false;
  const Segment& segment = model_.code.segments[result.segment];
  warp.stop_pc = segment.first + segment.count - 1;
  const Instruction& last = model_.code.instructions[warp.stop_pc];
  warp.at_barrier_instruction = last.kind == Kind::kBarrier && last.modifiers.bar != ptx::BarKind::kArrive;
  warp.at_cluster_wait = last.kind == Kind::kClusterBarrier && last.modifiers.bar == ptx::BarKind::kWait;
  warp.jumps = result.next_pc != warp.stop_pc + 1;
  if (!result.branched) return;
  if (model_.machine.yields[warp.stop_pc]) noteYield(warp, result.mask);
  const bool predicated = model_.machine.predicated_branch[warp.stop_pc];
  const bool diverged = result.taken != 0 && result.taken != result.mask;
  const bool conditional = last.guard != kNoPredicate;
  counters_.ptx_branches += conditional ? 1 : 0;
  counters_.ptx_branches_divergent += conditional && diverged ? 1 : 0;
  if (predicated || model_.machine.exit_branch[warp.stop_pc]) return;
  ++counters_.branch_targets;
  counters_.branch_targets_divergent += diverged ? 1 : 0;
  // Both paths issue the BSYNC where they meet.
  if (!diverged || !model_.machine.meets_at_sync[warp.stop_pc]) return;
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
  for (const RareCase& rare : warp.accesses.rare) {  // those of instructions that became no operation
    if (rare.issues > 0) cycle = takeSubroutine(warp, rare, cycle);
  }
  warp.accesses.rare.clear();
  switch (warp.stop) {
    case Stop::kExited:
      warp.reason = WarpState::kBranchResolve;
      warp.wait_until = warp.issued + 1 + kExitCycles;
      accountUntil(warp, warp.wait_until);
      return drain(slot, warp.wait_until, cycle);
    case Stop::kMemory:
      warp.state = State::kWaitingForMemory;
      sleep(warp);
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
    const Instruction& last = model_.code.instructions[warp.stop_pc];
    const uint32_t latency = model_.profile.branch_latency_cycles;
    const bool indirect =
        last.kind == Kind::kReturn || last.kind == Kind::kIndirectCall || last.kind == Kind::kIndirectBranch;
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

// Where a kernel begins with ULDC, the cache from which LDC loads does not have the parameters yet: the first
// LDC of an SM takes 60 cycles longer than the next ones (89 and 31 for warps of SMs that have up to 8, 92
// and 31 with up to 16; PC samples of 516 kernels of the truth suite's open part, H100, 580.159.04,
// 2026-11-27).
uint64_t SmCore::parametersReadyFrom(uint64_t cycle) {
  constexpr uint64_t kFirstCycles = 60;
  if (parameters_ready_ == 0) parameters_ready_ = cycle + kFirstCycles;
  return std::max(cycle, parameters_ready_);
}

// Instructions come from the next cache when an SM first executes them; the following lines are prefetched.
// That cache has them from the launch before: single warps that execute 20 to 140 instructions in a row wait
// 12 to 17 cycles for them, of which each warp waits 7 when it begins (store_to_load, matching,
// byte_store_loop on an H100 with 580.159.04, 2026-11-24).
uint64_t SmCore::instructionFetched(uint32_t line, uint64_t cycle) {
  uint64_t& ready = fetched_[line];
  constexpr uint64_t kFetchCycles = 12;
  if (ready == 0) ready = cycle + kFetchCycles + std::exchange(cold_code_cycles_, 0);
  constexpr uint32_t kLookahead = 4, kLineCycles = 8;
  const uint32_t last = std::min<uint32_t>(line + kLookahead, model_.fetch_lines - 1);
  for (uint32_t ahead = line + 1; ahead <= last; ++ahead) {
    if (fetched_[ahead] == 0) fetched_[ahead] = ready + (ahead - line) * kLineCycles;
  }
  return ready;
}

}  // namespace warpscope::sim
