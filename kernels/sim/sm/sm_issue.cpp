// The issue side of an SM: choosing a warp, issuing its operation, and when its next one can issue.
#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/sim/sm/sm_core.h"

namespace warpscope::sim {
namespace {

// Returns the stall reason of a warp that waits for a result of this class.
inline WarpState reasonOf(ScoreClass score) {
  static constexpr std::array kReasons = {WarpState::kWait,           WarpState::kShortScoreboard,
                                          WarpState::kLongScoreboard, WarpState::kImcMiss,
                                          WarpState::kDispatch,       WarpState::kBranchResolve};
  static_assert(kReasons.size() == static_cast<size_t>(ScoreClass::kBranched) + 1);
  return kReasons[static_cast<size_t>(score)];
}

// What each warp waits for its first instructions, in the cache of its SM (exponents, hyperbolic, life:
// measured as below).
constexpr uint64_t kFirstFetchCycles = 7;

// A warp waits 13 cycles behind a BSYNC. 4 of them are a stall count, which ptxas sets (177 BSYNC in
// the truth suite's open part by PC samples: 4.0 of 12.4; H100, 580.159.04, 2026-11-27).
constexpr uint32_t kSettlingCycles = 4;

// Returns the slot whose warp comes first (SubPartition::order), of those that have a bit in `slots`.
uint32_t firstOf(const SubPartition::BySlot<uint64_t>& order, WakeTimes::Bits slots) {
  auto first = static_cast<uint32_t>(std::countr_zero(slots));
  for (WakeTimes::Bits rest = slots & (slots - 1); rest != 0; rest &= rest - 1) {
    const auto other = static_cast<uint32_t>(std::countr_zero(rest));
    first = order[other] < order[first] ? other : first;
  }
  return first;
}

// Those of `slots` whose warps' next operations have this gate.
WakeTimes::Bits withGate(const SubPartition::BySlot<uint16_t>& gates, WakeTimes::Bits slots, uint16_t gate) {
  WakeTimes::Bits found = 0;
  for (WakeTimes::Bits rest = slots; rest != 0; rest &= rest - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(rest));
    if (gates[slot] == gate) found |= rest & (~rest + 1);
  }
  return found;
}

}  // namespace

// Finds the cycle from which the current operation can issue, as far as the warp itself is concerned.
[[gnu::always_inline]] inline void SmCore::prepareInline(WarpSlot& warp, uint64_t earliest) {
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

void SmCore::prepare(WarpSlot& warp, uint64_t earliest) {
  prepareInline(warp, earliest);
}

[[gnu::always_inline]] inline void SmCore::afterIssueInline(WarpSlot& warp, uint64_t earliest,
                                                            WarpState reason) {
  ++warp.op;
  warp.reason = reason;
  if (skipOthersOperations(warp)) {
    prepareInline(warp, earliest);
  } else {
    endGroup(warp.slot, earliest);
  }
}

// Returns the cycle at which the pipe begins with it.
inline uint64_t SmCore::takePipe(Partition& partition, Pipe pipe, uint32_t ticks, uint64_t cycle) {
  uint64_t& free = partition.pipe_free[static_cast<size_t>(pipe)];
  const uint64_t begun = std::max(free / kPipeTicks, cycle);
  free = std::max(free, cycle * kPipeTicks) + ticks;
  if (ticks > kPipeTicks) partition.taken.add(static_cast<size_t>(pipe), cycle + 1, free / kPipeTicks);
  counters_.pipe_ticks[static_cast<size_t>(pipe)] += ticks;
  return begun;
}

uint64_t SmCore::takeSpecial(Partition& partition, uint32_t ticks, uint64_t cycle) {
  const uint64_t begun = takePipe(partition, Pipe::kSpecial, ticks, cycle);
  partition.special.take(begun);
  return begun;
}

// An instruction that only occupies its pipe and writes registers. Most do.
[[gnu::always_inline]] inline void SmCore::issuePlain(Partition& partition, WarpSlot& warp, const IssueOp& op,
                                                      uint64_t cycle) {
  const uint64_t begun = takePipe(partition, op.pipe, op.pipe_ticks, cycle);
  partition.pipe_users[static_cast<size_t>(op.pipe)] = warp.local;
  if (op.reads_twice) partition.ports_free = cycle + 2;
  warp.pieces = 0;
  setScores(warp, op, begun + op.latency_cycles + op.late_cycles, op.score);
  warp.branched = false;
  uint64_t earliest = cycle + op.stall_cycles;
  if (warp.has_rare && op.destination_count > 0) earliest = takeSubroutines(warp, op, earliest);
  afterIssueInline(warp, earliest, WarpState::kWait);
}

[[gnu::always_inline]] inline void SmCore::issue(Partition& partition, WarpSlot& warp, uint64_t pipe_free,
                                                 uint64_t cycle) {
  const IssueOp& op = model_.ops[warp.op];
  account(partition, warp, op, pipe_free, cycle);
  ++counters_.instructions;
  counters_.thread_instructions += static_cast<uint32_t>(std::popcount(warp.member_masks[op.member]));
  warp.issued = cycle;
  op.plain ? issuePlain(partition, warp, op, cycle) : issueOther(partition, warp, op, cycle);
}

void SmCore::issueOther(Partition& partition, WarpSlot& warp, const IssueOp& op, uint64_t cycle) {
  const uint32_t slot = warp.slot, mask = warp.member_masks[op.member];
  uint64_t begun = cycle;  // on its pipe
  const bool first = warp.pieces == op.issues;
  const bool alone = partition.pipe_users[static_cast<size_t>(Pipe::kSpecial)] == warp.local;
  if (op.pipe != Pipe::kLoadStore) {
    if (op.issues - warp.pieces < op.on_pipe) {
      begun = op.pipe == Pipe::kSpecial ? takeSpecial(partition, op.pipe_ticks, cycle)
                                        : takePipe(partition, op.pipe, op.pipe_ticks, cycle);
      partition.pipe_users[static_cast<size_t>(op.pipe)] = warp.local;
    }
    if (op.reads_twice) partition.ports_free = cycle + 2;
    if (op.held_ticks >= kPipeTicks) {
      partition.dispatch_free = cycle + 1 + op.held_ticks / kPipeTicks;
      partition.taken.add(Partition::kDispatcher, cycle + 1, partition.dispatch_free);
    }
  }
  if (first && op.on_special > 0) {
    const auto interval = model_.profile.pipes[static_cast<size_t>(Pipe::kSpecial)].issue_interval_cycles;
    const auto ticks = static_cast<uint32_t>(interval * kPipeTicks) * op.on_special;
    warp.special_begun = takeSpecial(partition, ticks, cycle) - cycle;
    partition.pipe_users[static_cast<size_t>(Pipe::kSpecial)] = warp.local;
  }
  if (--warp.pieces > 0 && op.kind != OpClass::kMemory) {
    const bool on_special = first && op.special_cycles > 0;
    warp.wait_until = cycle + 1 + (on_special ? op.special_cycles + warp.special_begun : 0);
    const bool queues = warp.special_begun > op.special_cycles && !alone;
    warp.reason = !on_special ? WarpState::kWait
                  : queues    ? WarpState::kMioThrottle
                              : WarpState::kShortScoreboard;
    partition.wakes.set(warp.local, warp.wait_until);
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
      partition.others_queue.take(begin);
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
      return afterIssue(warp, std::max(cycle + 1, warp.stores_done), WarpState::kMembar);
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
      return afterIssue(warp, std::max(cycle + 1, warp.copies_done), WarpState::kLongScoreboard);
  }
  warp.branched = op.branch && !op.sync;
  if (op.retried > 0)
    return afterIssue(warp, std::max(cycle + op.stall_cycles, warp.loop_done), WarpState::kShortScoreboard);
  uint64_t earliest = cycle + op.stall_cycles;
  if (warp.has_rare && op.destination_count > 0) earliest = takeSubroutines(warp, op, earliest);
  if (op.sync || (op.holds && op.settled)) countSettling(warp, earliest, kSettlingCycles);
  afterIssue(warp, earliest, op.sync || op.exits || op.holds ? WarpState::kBranchResolve : WarpState::kWait);
}

// The warp that issued before goes behind the others of its block.
inline void SmCore::takeTurn(Partition& partition, const WarpSlot& warp) {
  const uint32_t before = std::exchange(partition.last_issued, warp.local);
  const uint64_t its_block = std::exchange(partition.block_order_of_last, warp.block_order);
  partition.order[before] = its_block | ++partition.turns;
  partition.order[warp.local] = 0;
}

// Greedy, then youngest: the warp that issued last continues as long as it can; otherwise one of the block
// that came last is chosen. This was found on recent chips (Huerta et al., "Analyzing Modern NVIDIA GPU
// cores", arXiv 2503.20481, section 5.1). Within a block, the warp is next that has not issued for longest:
// on an H100 (580.159.04, 2026-11-27) the 32 warps of offsets_of_counts, farthest_points and covariances
// (truth suite) wait for each other at every few instructions and come to their barriers together. With the
// block that came first before others, warps of `barriers block_wide` would work for 71 % of their time, not
// 56 % as on that GPU.
//
// Returns false if an SM that runs ahead must stop before the partition goes on in this cycle.
bool SmCore::stepPartition(Partition& partition, uint64_t cycle) {
  if (cycle < partition.dispatch_free) {
    partition.next = partition.dispatch_free;
    return true;
  }
  partition.next = kNever;  // any warp that is woken meanwhile lowers it
  uint64_t next = kNever;
  for (WakeTimes::Bits awake = partition.wakes.awake(cycle); awake != 0;) {
    // firstOf() would find the warp that issued last, too. A branch is faster, since the host predicts it.
    const uint32_t last = partition.last_issued;
    const uint32_t local = (awake >> last & 1) != 0 ? last : firstOf(partition.order, awake);
    awake &= ~(WakeTimes::Bits{1} << local);
    // A warp's state is not in the host's caches: it is looked at only if the warp can issue.
    WarpSlot& warp = partition.warp(local);
    if (partition.gates[local] == Gate::kNone) {
      if (runs_ahead_ && groupReachesOut(warp)) {
        partition.next = cycle;
        return false;
      }
      fetchGroup(warp.slot, cycle);
      if (partition.wakes.of(local) > cycle) continue;
    }
    const uint16_t gate = partition.gates[local];
    const uint64_t pipe_free = pipeFree(partition, gate);
    const uint64_t free = (gate & Gate::kPorts) != 0 ? std::max(pipe_free, partition.ports_free) : pipe_free;
    if (free > cycle) {
      if ((gate & Gate::kConstant) == Gate::kGlobal) refused_partition_ = &partition;
      next = std::min(next, free);
      awake &= ~withGate(partition.gates, awake, gate);  // nor can others that need the same
      continue;
    }
    if (runs_ahead_ && (gate & Gate::kReachesOut) != 0) {
      partition.next = cycle;
      return false;
    }
    issue(partition, warp, pipe_free, cycle);
    takeTurn(partition, warp);
    partition.looks_again = std::max(cycle + 1, partition.dispatch_free);
    if (runs_ahead_) ahead_.add(partition.looks_again);
    partition.next = partition.looks_again;
    if (partition.wakes.awake() == 0) partition.next = std::max(partition.next, partition.wakes.next());
    return true;
  }
  partition.next = std::min({partition.next, next, partition.wakes.next()});
  return true;
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
  afterIssue(warp, warp.fence_ready + model_.ops[warp.op].latency_cycles, WarpState::kMembar);
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

void SmCore::afterIssue(WarpSlot& warp, uint64_t earliest, WarpState reason) {
  afterIssueInline(warp, earliest, reason);
}

// Returns false if no operation is left.
bool SmCore::skipFurther(WarpSlot& warp) const {
  for (; warp.op < warp.op_end; ++warp.op) {
    const IssueOp& op = model_.ops[warp.op];
    if (op.member < warp.member_first || op.member > warp.member_last) continue;
    if (op.every == 1) return true;
    if (op.every == kOnceInLoop) {
      uint8_t& loaded = warp.loaded[op.turn];
      if (loaded >= model_.machine.loops[op.turn].times) continue;
      ++loaded;
      return true;
    }
    uint8_t& turn = warp.turns[op.turn];
    const uint32_t comes = turn + warp.trips;
    turn = static_cast<uint8_t>(comes % op.every);
    if (comes >= op.every) return true;
  }
  return false;
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
  CodeLine& fetched = code_lines_[line];
  if (fetched.executed) return fetched.ready;
  fetched.executed = true;
  constexpr uint64_t kFetchCycles = 12;
  if (fetched.ready == 0) fetched.ready = cycle + kFetchCycles + std::exchange(cold_code_cycles_, 0);
  constexpr uint32_t kLookahead = 4, kLineCycles = 8;
  const uint32_t last = std::min<uint32_t>(line + kLookahead, model_.fetch_lines - 1);
  for (uint32_t ahead = line + 1; ahead <= last; ++ahead) {
    uint64_t& ready = code_lines_[ahead].ready;
    if (ready == 0) ready = fetched.ready + (ahead - line) * kLineCycles;
  }
  return fetched.ready;
}

}  // namespace warpscope::sim
