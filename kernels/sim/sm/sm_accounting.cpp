// Counts what the warps of an SM wait for: each of their cycles goes to one state (warp_state.h).
#include <algorithm>

#include "kernels/sim/sm/sm_core.h"

namespace warpscope::sim {

// Counts the warp's states up to a cycle in which only its scheduler kept it from issuing.
void SmCore::accountUntil(WarpSlot& warp, uint64_t cycle) {
  if (cycle <= warp.accounted) return;
  const uint64_t stalled = std::clamp(warp.wait_until, warp.accounted, cycle);
  counters_.state_cycles[static_cast<size_t>(warp.reason)] += stalled - warp.accounted;
  counters_.state_cycles[static_cast<size_t>(WarpState::kNotSelected)] += cycle - stalled;
  if (warp.logged) {
    noteWait(warp, warp.reason, stalled - warp.accounted);
    noteWait(warp, WarpState::kNotSelected, cycle - stalled);
  }
  warp.accounted = cycle;
}

// Among equally long waits the first is kept.
void SmCore::noteWait(WarpSlot& warp, WarpState state, uint64_t cycles) {
  if (cycles <= warp.longest_wait) return;
  warp.longest_wait = cycles;
  warp.waited_for = state;
}

// A warp that has waited for room in a queue was not selected in the cycles in which there was room and
// another warp of its sub-partition took it. This is their number: one for each instruction that left the
// queue.
uint64_t SmCore::turnsOfOthers(const Partition& partition, const IssueOp& op, uint64_t waited) const {
  if (op.pipe != Pipe::kLoadStore) {
    const double interval = model_.profile.pipes[static_cast<size_t>(Pipe::kSpecial)].issue_interval_cycles;
    return static_cast<uint64_t>(static_cast<double>(waited) / std::max(interval, 1.0));
  }
  if (op.is_global || op.is_image) return 0;  // those queues are of the whole SM
  constexpr uint64_t kFurther = decltype(partition.queue)::kCount - 1;
  const uint64_t oldest = partition.queue.free();
  const uint64_t newest = partition.queue.latest();
  const uint64_t passed = std::max(newest, oldest + 2 * kFurther) - oldest;
  return waited * kFurther / passed;
}

// The same for a warp that issues later, because its pipe was taken or other warps were selected.
void SmCore::accountDelayed(Partition& partition, WarpSlot& warp, const IssueOp& op, uint64_t pipe_free,
                            uint64_t cycle) {
  const uint64_t from = std::min(warp.accounted, cycle);
  const uint64_t stalled = std::clamp(warp.wait_until, from, cycle);
  const uint64_t throttled = std::clamp(pipe_free, stalled, cycle);
  uint64_t dispatched = op.needs_ports ? std::clamp(partition.ports_free, throttled, cycle) : throttled;
  if (dispatched < cycle) dispatched += partition.heldWithin(dispatched, cycle);
  const uint64_t busy = throttled - stalled;
  WarpState throttle = WarpState::kMathPipeThrottle;
  uint64_t others_turns = 0, held = 0;
  const bool special = op.pipe == Pipe::kSpecial || op.on_special > 0;
  const auto user = partition.pipe_users[static_cast<size_t>(special ? Pipe::kSpecial : op.pipe)];
  if (busy == 0) {
    // Nothing to divide among reasons, as for most instructions.
  } else if (op.pipe == Pipe::kLoadStore || (special && user != warp.local)) {
    throttle = op.is_global && global_queue_.free() > stalled ? WarpState::kLgThrottle
               : op.is_image && image_queue_.free() > stalled ? WarpState::kTexThrottle
                                                              : WarpState::kMioThrottle;
    others_turns = turnsOfOthers(partition, op, busy);
  } else if (user == warp.local) {
    throttle = WarpState::kWait;  // for its own instruction, as the compiler has told it to
  } else {
    // While neither the dispatcher was held nor the pipe taken, other warps were selected. IMAD.WIDE does
    // both at once.
    held = partition.heldWithin(stalled, throttled);
    const uint64_t taken = partition.taken.within(static_cast<size_t>(op.pipe), stalled, throttled);
    const uint64_t both = op.pipe == Pipe::kIntMultiply ? std::min(held, taken) : held * taken / busy;
    others_turns = busy - std::min(busy, held + taken - both);
  }
  counters_.state_cycles[static_cast<size_t>(warp.reason)] += stalled - from;
  counters_.state_cycles[static_cast<size_t>(throttle)] += busy - others_turns - held;
  counters_.state_cycles[static_cast<size_t>(WarpState::kDispatch)] += held + dispatched - throttled;
  counters_.state_cycles[static_cast<size_t>(WarpState::kNotSelected)] += others_turns + (cycle - dispatched);
  ++counters_.state_cycles[static_cast<size_t>(WarpState::kSelected)];
  warp.accounted = cycle + 1;
  if (warp.valued && warp.pieces == op.issues) {
    if (const auto first = warp.member_steps[op.member])
      recorder_.values->issued(warp.warp_in_block, *first + op.pc, blocks_[warp.block].clock_begin + cycle);
  }
  if (!warp.logged) return;
  noteWait(warp, warp.reason, stalled - from);
  noteWait(warp, throttle, throttled - stalled);
  noteWait(warp, WarpState::kDispatch, dispatched - throttled);
  noteWait(warp, WarpState::kNotSelected, cycle - dispatched);
  logIssue(warp, op, cycle);
  warp.waited_for = WarpState::kSelected;
  warp.longest_wait = 0;
}

void SmCore::logIssue(const WarpSlot& warp, const IssueOp& op, uint64_t cycle) {
  if (warp.pieces != op.issues) return;  // one entry for all pieces
  if (log_.size() >= model_.options.log_limit) {
    ++log_dropped_;
    return;
  }
  const uint64_t idle_since = std::max(warp.issued + 1, warp.begun);
  log_.push_back({.cycle = blocks_[warp.block].clock_begin + cycle,
                  .block = warp.executing->index(),
                  .warp_in_block = warp.warp_in_block,
                  .smid = smid_,
                  .pc = op.pc,
                  .mask = warp.member_masks[op.member],
                  .waited_for = warp.waited_for,
                  .waited_cycles = static_cast<uint32_t>(cycle - std::min(idle_since, cycle))});
}

void SmCore::countSettling(WarpSlot& warp, uint64_t until, uint64_t cycles) {
  const uint64_t counted = std::min(until - std::min(until, warp.accounted), cycles);
  counters_.state_cycles[static_cast<size_t>(WarpState::kWait)] += counted;
  warp.accounted += counted;
}

}  // namespace warpscope::sim
