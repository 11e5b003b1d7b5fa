#include "kernels/sim/sm/sm_core.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "kernels/sim/simt/interpreter_state.h"
#include "kernels/sim/sm/host_prefetch.h"

namespace warpscope::sim {
SmCore::SmCore(const LaunchModel& model, uint32_t smid)
    : model_(model),
      smid_(smid),
      partitions_(std::max(model.profile.sub_partitions, 1U)),
      blocks_(model.options.blocks_per_sm),
      free_blocks_(model.options.blocks_per_sm),
      l1_(model.l1_bytes, model.profile.l1.ways),
      cold_code_cycles_(model.cold_code_cycles),
      code_lines_(model.fetch_lines) {
  slots_.reserve(size_t{model.slots_per_partition} * partitions_.size());  // pointers to them must stay valid
  for (Partition& partition : partitions_) {
    visiting_.push_back(&partition);
    partition.first = slots_.data() + (&partition - partitions_.data());
    partition.stride = static_cast<uint32_t>(partitions_.size());
    partition.gates.fill(Gate::kNone);
  }
  refused_partition_ = visiting_.front();
  recorder_.values = model.options.values;
  recorder_.clock_ghz = model.clock_ghz;
  recorder_.addresses = model.options.addresses;
  recorder_.reductions = model.reductions;
}

void SmCore::addBlock(StartingBlock starting) {
  --free_blocks_;
  starting_.push_back(std::move(starting));
}

void SmCore::beginEpoch(uint64_t end, bool prefetches) {
  thread_local std::vector<const WarpSlot*> soon;  // scratch, which stays in the host's caches
  if (prefetches) prefetchSlots(end, soon);
  for (Partition& partition : partitions_) partition.asked = 0;
  receiveReplies(epoch_end_);
  if (prefetches) prefetchWarps(end, soon);
  epoch_end_ = end;
}

void SmCore::runEpoch(uint64_t end, bool may_run_ahead, bool prefetches) {
  if (ahead_.until() >= end) return;
  beginEpoch(end, prefetches);
  runUntil(end);
  if (may_run_ahead) runAhead(end);
}

EpochReport SmCore::report(uint64_t epoch_end) const {
  EpochReport report{.next_event = nextEvent(epoch_end),
                     .ptx_instructions = counters_.ptx_instructions,
                     .is_ahead = ahead_.until() > epoch_end};
  if (report.is_ahead) return report;
  report.requests = static_cast<uint32_t>(batch_.size());
  report.has_freed = !freed_.empty();
  report.has_waiters = !memory_waiters_.empty();
  report.has_fault = !fault_.empty();
  return report;
}

bool SmCore::runUntil(uint64_t end) {
  while (fault_.empty()) {
    const uint64_t now = nextStep();
    if (now >= end) return true;
    if (nextOfOthers() <= now) beginCycle(now);
    if (!step(now)) return false;
    if (runs_ahead_ && !goesOnAhead(now)) return false;
  }
  return false;
}

void SmCore::beginCycle(uint64_t now) {
  startBlocks(now);
  if (next_arrival_ <= now) takeArrivals(now);
}

void SmCore::startBlocks(uint64_t now) {
  while (!starting_.empty() && starting_.front().cycle <= now) {
    const StartingBlock starting = std::move(starting_.front());
    starting_.erase(starting_.begin());
    startBlock(starting);
  }
}

bool SmCore::step(uint64_t now) {
  done_until_ = now;
  for (Partition* partition : visiting_) {
    if (partition->next <= now && !stepPartition(*partition, now)) return false;
  }
  if (visiting_.front() != refused_partition_) {
    std::rotate(visiting_.begin(), std::ranges::find(visiting_, refused_partition_), visiting_.end());
  }
  done_until_ = now + 1;
  return true;
}

// An epoch is short and there are many SMs: a warp's state has left the host's caches since the last epoch.
// Prefetching it for all warps at once is faster than missing piece by piece. First what any event needs, of
// the warps that may issue before `end` and those to which L2 replies.
void SmCore::prefetchSlots(uint64_t end, std::vector<const WarpSlot*>& soon) {
  for (const Partition& partition : partitions_) {
    prefetchHost(&partition, partition.bytesInFront());
  }
  soon.clear();
  for (const Partition& partition : partitions_) {
    for (WakeTimes::Bits rest = partition.occupied; rest != 0; rest &= rest - 1) {
      const auto local = static_cast<uint32_t>(std::countr_zero(rest));
      if ((partition.asked >> local & 1) != 0 || partition.wakes.of(local) < end)
        soon.push_back(&partition.warp(local));
    }
  }
  for (const WarpSlot* slot : soon) prefetchHost(slot, slot->bytesInFront());
  for (const WarpSlot* slot : soon) prefetchScores(*slot);
}

// The scores of a few registers are prefetched whole; of many, those that the warp's next operations need.
void SmCore::prefetchScores(const WarpSlot& warp) const {
  constexpr uint32_t kFewRegisters = 96, kOperations = 6;
  if (warp.scores.size() <= kFewRegisters)
    return prefetchHost(warp.scores.data(), warp.scores.size() * sizeof(uint64_t));
  const uint32_t end = std::min(warp.op + kOperations, warp.op_end);
  for (uint32_t op = warp.op; op < end; ++op) {
    for (const uint16_t reg : std::span(model_.ops[op].awaited).first(model_.ops[op].awaited_count))
      prefetchHost(&warp.scores[reg]);
  }
}

// Then what warps need that may issue or execute before `end`, one look-up after another for all of them.
void SmCore::prefetchWarps(uint64_t end, std::vector<const WarpSlot*>& soon) const {
  std::erase_if(soon, [end](const WarpSlot* slot) { return slot->home->wakes.of(slot->local) >= end; });
  for (const WarpSlot* slot : soon) {
    constexpr size_t kUsedMostly = 128;  // its records and lines come first
    prefetchHost(&slot->accesses, kUsedMostly);
    constexpr size_t kUsedAlways = 256;  // its paths, joins, frames and counts come first
    prefetchHost(slot->warp, kUsedAlways);
    prefetchHost(slot->member_masks.data());
    prefetchHost(slot->accesses.records.data());
  }
  for (const WarpSlot* slot : soon) {
    const Warp& warp = *slot->warp;
    if (warp.current < warp.paths.size()) prefetchHost(&warp.paths[warp.current]);
    if (!warp.joins.empty()) prefetchHost(warp.joins.data(), sizeof(Join) * warp.joins.size());
    prefetchHost(warp.frames.data(), sizeof(Frame));
  }
  for (const WarpSlot* slot : soon) {
    const Warp& warp = *slot->warp;
    if (warp.current >= warp.paths.size()) continue;
    const Path& path = warp.paths[warp.current];
    const uint32_t* rows = warp.frames[path.frame].rows;
    for (const uint16_t row : model_.rowsOf(model_.code.segment_of[path.pc]))
      prefetchHost(rows + row * size_t{kRowWords}, kRowWords * sizeof(uint32_t));
  }
}

uint64_t SmCore::executedBy(ResidentBlock& resident) {
  uint64_t instructions = 0;
  for (uint32_t i = 0; i < resident.block->warpCount(); ++i) {
    instructions += resident.block->warp(i).instructions;
  }
  return instructions;
}

// Puts warps where there are the fewest, so that sub-partitions stay balanced whatever the block size; of
// several, where it is their turn.
uint32_t SmCore::takeWarpSlot() {
  const auto count = static_cast<uint32_t>(partitions_.size());
  uint32_t best = next_home_ % count;
  for (uint32_t i = 1; i < count; ++i) {
    const uint32_t other = (next_home_ + i) % count;
    if (std::popcount(partitions_[other].occupied) < std::popcount(partitions_[best].occupied)) best = other;
  }
  next_home_ = best + 1;
  const auto local = static_cast<uint32_t>(std::countr_one(partitions_[best].occupied));
  if (local >= model_.slots_per_partition) return kNoGroup;  // options.blocks_per_sm is wrong
  const uint32_t slot = local * count + best;
  while (slots_.size() <= slot) addSlot();
  return slot;
}

// Slots are made when they are first needed: most launches use fewer than an SM has.
void SmCore::addSlot() {
  const size_t index = slots_.size();
  WarpSlot& slot = slots_.emplace_back(storage_);
  slot.slot = static_cast<uint32_t>(index);
  slot.local = static_cast<uint32_t>(index / partitions_.size());
  slot.home = &partitions_[index % partitions_.size()];
}

void SmCore::startBlock(const StartingBlock& starting) {
  const auto free = std::find_if(blocks_.begin(), blocks_.end(), [](const auto& b) { return !b.used; });
  ResidentBlock& resident = *free;
  resident.used = true;
  resident.warps_left = model_.warps_per_block;
  resident.barriers.clear();
  resident.slots.clear();
  if (resident.block) {
    resident.block->restart(starting.index, smid_, 0);
  } else {
    resident.block.emplace(model_.launch, starting.index, smid_, 0);
  }
  if (recorder_.values != nullptr && starting.index == recorder_.values->block())
    recorder_.values->begins(*resident.block);
  resident.stamp = ++stamps_;
  resident.swaps.clear();
  resident.cluster = starting.cluster;
  if (resident.cluster != nullptr) {
    const auto block = static_cast<uint32_t>(free - blocks_.begin());
    resident.cluster->places[starting.rank] = {this, block, &*resident.block};
    if (--resident.cluster->to_start == 0) {
      std::vector<Block*> blocks;
      for (const auto& place : resident.cluster->places) blocks.push_back(place.executing);
      Block::join(resident.cluster->state, blocks);
    }
  }
  resident.executed_before = executedBy(resident);
  resident.clock_begin = model_.options.begin_cycle + starting.later;
  resident.stay = {.block = starting.index, .sm = smid_, .begin = starting.cycle};
  countResidency(starting.cycle, static_cast<int>(model_.warps_per_block));
  ++counters_.blocks;
  counters_.warps += model_.warps_per_block;
  // Warps go to the sub-partitions in turn. A block that fills all of them evenly begins with the one after
  // that with which the block before it began, so that first warps do not meet in one (%warpid of blocks of
  // 32 to 1024 threads on an H100; 580.159.04, 2026-11-27).
  if (model_.warps_per_block % partitions_.size() == 0) ++next_home_;
  for (uint32_t i = 0; i < model_.warps_per_block; ++i) {
    const uint32_t slot = takeWarpSlot();
    if (slot == kNoGroup) {
      fault_ = "more blocks on a multiprocessor than it has warps for";
      return;
    }
    resident.slots.push_back(slot);
    WarpSlot& warp = slots_[slot];
    warp.state = State::kNeedsGroup;
    warp.reason = WarpState::kNoInstruction;
    warp.accounted = warp.wait_until = warp.begun = warp.issued = starting.cycle;
    warp.waited_for = WarpState::kSelected;
    warp.longest_wait = 0;
    warp.fetch_line = kNoFetchLine;
    warp.segment = kNoSegment;
    warp.next_of.fill(0);
    warp.scores.assign(model_.machine.registers, 0);
    warp.reads.assign(model_.machine.registers, 0);
    warp.reading_until = 0;
    warp.turns.assign(model_.machine.turns, 0);
    warp.loaded.assign(model_.machine.loops.size(), 0);
    warp.barrier_group = kNoGroup;
    warp.stores_pending = 0;
    warp.stores_done = warp.copies_done = 0;
    warp.stores_left = warp.reductions = 0;
    warp.copy_groups.assign(1, {});
    warp.copy_groups_gone = warp.copy_groups_awaited = 0;
    warp.bulk_groups.assign(1, {});
    warp.remote_done = warp.woken_at = warp.released_at = 0;
    warp.release_pending = false;
    ++warp.generation;
    warp.block = static_cast<uint32_t>(free - blocks_.begin());
    warp.warp_in_block = i;
    warp.executing = &*resident.block;
    warp.warp = &resident.block->warp(i);
    warp.warp->hardware_slot = slot;
    warp.valued = recorder_.values != nullptr && starting.index == recorder_.values->block();
    warp.logged = starting.index < model_.options.log_first_blocks || smid_ < model_.options.log_sms;
    warp.home->gates[warp.local] = Gate::kNone;
    warp.home->occupied |= WakeTimes::Bits{1} << warp.local;
    warp.block_order = ~resident.stamp << kTurnBits;
    if (warp.local == warp.home->last_issued) {
      warp.home->block_order_of_last = warp.block_order;
      warp.home->order[warp.local] = 0;
    } else {
      warp.home->order[warp.local] = warp.block_order | ++warp.home->turns;
    }
    // Each warp begins with a load of a constant, and a launch's constants are new to the SM.
    if (constants_ready_ == 0) constants_ready_ = starting.cycle + model_.first_constants.cycles;
    if (constants_ready_ > starting.cycle) {
      waitForConstants(warp);
    }
    wakeAt(warp, std::max(starting.cycle, constants_ready_));
  }
}

void SmCore::waitForConstants(WarpSlot& warp) {
  const LaunchModel::FirstConstants& first = model_.first_constants;
  const auto wait = [&](WarpState reason, uint64_t until) {
    warp.reason = reason;
    warp.wait_until = until;
  };
  if (first.miss_begin > 0) {
    wait(first.reason, constants_ready_ - first.miss_begin);
    accountUntil(warp, warp.wait_until);
    wait(WarpState::kImcMiss, constants_ready_ - first.miss_end);
    accountUntil(warp, warp.wait_until);
  } else {
    // Before the constants come the instructions that load them: warps of SMs that have 8 to 32 wait 53 to 61
    // cycles for instructions in all, 25 more than for the rest of their code (medians of the truth suite's
    // open part, H100, 580.159.04, 2026-11-27).
    constexpr uint64_t kInstructionCycles = 25;
    wait(WarpState::kNoInstruction, std::min(warp.accounted + kInstructionCycles, constants_ready_));
    accountUntil(warp, warp.wait_until);
  }
  wait(first.reason, constants_ready_);
}

// What a launch's reductions wait for in L2 backs up into the SMs, beyond so many operations of each: of
// warps that end with a reduction on an H100 (580.159.04, 2026-11-24) those of SMs that send 120 to 250 in
// all do not wait (maxima, float_sum, double_sum: 2 to 4 % of their time), with 520 a quarter of it
// (long_sum), with 2,000 nearly all of it (add_spread, bits).
uint64_t SmCore::drainedAt(const WarpSlot& warp) const {
  constexpr uint64_t kBuffered = 384;
  return std::max(warp.stores_left,
                  effectOfReduction(warp.reductions - std::min(warp.reductions, kBuffered)));
}

// When the reduction with this number has an effect; kNever: not known yet.
uint64_t SmCore::effectOfReduction(uint64_t sent) const {
  if (sent == 0) return 0;
  const auto found = std::ranges::lower_bound(reductions_, sent, {}, &SentReduction::sent);
  return found == reductions_.end() ? 0 : found->effect;
}

void SmCore::drain(uint32_t slot, uint64_t ended, uint64_t now) {
  WarpSlot& warp = slots_[slot];
  const uint64_t drained = std::max(drainedAt(warp), ended);
  warp.reason = WarpState::kDrain;
  warp.wait_until = drained;
  if (drained <= std::max(ended, now)) {
    accountUntil(warp, drained);
    return endWarp(slot, drained);
  }
  warp.state = State::kDraining;
  warp.home->gates[warp.local] = Gate::kNone;
  if (drained != kNever) return wakeAt(warp, drained);
  sleep(warp);
  draining_.push_back(slot);
}

// L2 has served the epoch's requests, in the order in which they were sent.
void SmCore::noteReductions() {
  auto unknown = std::ranges::find(reductions_, kNever, &SentReduction::effect);
  for (const L2Request& request : batch_) {
    if (request.kind == RequestKind::kAtomic && request.atomic.reduces) unknown++->effect = request.effect;
  }
  while (!reductions_.empty() && reductions_.front().effect <= epoch_end_) reductions_.pop_front();
  for (const uint32_t slot : std::exchange(draining_, {})) drain(slot, slots_[slot].issued, epoch_end_);
}

void SmCore::endWarp(uint32_t slot, uint64_t cycle) {
  WarpSlot& warp = slots_[slot];
  warp.state = State::kEmpty;
  warp.home->occupied &= ~(WakeTimes::Bits{1} << warp.local);
  sleep(warp);
  last_cycle_ = std::max(last_cycle_, cycle);
  countResidency(cycle, -1);
  ResidentBlock& resident = blocks_[warp.block];
  if (--resident.warps_left > 0) return;
  const uint64_t instructions = executedBy(resident) - resident.executed_before;
  work_ += {instructions, instructions, instructions};
  resident.used = false;
  if (resident.cluster != nullptr) {  // its shared memory is gone
    resident.cluster->state.blocks[resident.block->state().rank] = nullptr;
    resident.cluster.reset();
  }
  resident.stay.end = cycle;
  if (model_.options.keep_stays) stays_.push_back(resident.stay);
  ++free_blocks_;
  freed_.push_back({cycle, smid_});
  stops_ahead_ = true;
}

// What several launches make of it is decided where they meet (streams/block_scheduler.h).
bool SmCore::meetGridDependency(uint32_t slot, const Instruction& instruction, uint64_t cycle) {
  WarpSlot& warp = slots_[slot];
  BlockStay& stay = blocks_[warp.block].stay;
  if (instruction.modifiers.launches) {
    if (stay.triggered == 0) stay.triggered = cycle;
    return false;
  }
  stay.waits.resize(model_.warps_per_block);
  if (stay.waits[warp.warp_in_block] == 0) stay.waits[warp.warp_in_block] = cycle;
  if (dependency_open_ || !model_.options.dependent) return false;
  warp.state = State::kAtGridDependency;
  sleep(warp);
  standing_.push_back(slot);
  return true;
}

void SmCore::openGridDependency(uint64_t cycle) {
  dependency_open_ = true;
  for (const uint32_t slot : std::exchange(standing_, {})) {
    WarpSlot& warp = slots_[slot];
    warp.state = State::kIssuing;
    blocks_[warp.block].stay.went_on = cycle;
    afterIssue(warp, cycle, WarpState::kBarrier);
  }
}

void SmCore::countResidency(uint64_t cycle, int warps) {
  if (resident_warps_ > 0 && cycle > residency_since_) {
    counters_.warp_cycles += resident_warps_ * (cycle - residency_since_);
    counters_.active_cycles += cycle - residency_since_;
  }
  residency_since_ = std::max(residency_since_, cycle);
  resident_warps_ += static_cast<uint32_t>(warps);
}

// Replies arrive in the order in which L2 gave them, through a port of limited width.
void SmCore::receiveReplies(uint64_t epoch_begin) {
  RequestBatch& requests = batch_;
  if (requests.empty()) return;
  if (!reductions_.empty()) noteReductions();
  for (L2Request& request : requests) {
    if (request.kind == RequestKind::kMerged) request.done = requests[request.merged_with].done;
  }
  thread_local TimeOrder answers;  // scratch, as above
  answers.clear();
  for (uint32_t i = 0; i < requests.size(); ++i) answers.add(requests[i].done, i);
  const double sector_cycles = kSectorBytes / std::max(model_.profile.interconnect_bytes_per_cycle, 1.0);
  for (const auto& [done, index] : answers.sorted()) {
    const L2Request& request = requests[index];
    uint64_t ready = std::max(done, epoch_begin);
    if (request.kind == RequestKind::kLoad || request.kind == RequestKind::kAtomic) {
      const double begin = std::max(static_cast<double>(ready), inward_free_);
      inward_free_ = begin + sector_cycles * sectorCount(request.sectors);
      ready = static_cast<uint64_t>(begin);
    }
    if (request.kind == RequestKind::kLoad) {
      CacheLine* line = l1_.find(request.line);
      if (line != nullptr && line->fill == (kPendingFill | index)) line->fill = ready;
    }
    last_cycle_ = std::max(last_cycle_, ready);
    if (request.flight == kNoFlight) continue;
    Flight& flight = flights_[request.flight];
    if (request.kind == RequestKind::kLoad && flight.data_cycles > 0) waiting_loads_.lineArrives(ready);
    flight.done = std::max(flight.done, ready);
    if (--flight.parts == 0) completeFlight(request.flight);
  }
  batch_.clear();
}

void SmCore::passFences(const Flight& flight) {
  for (size_t i = 0; i < fencing_.size();) {
    WarpSlot& warp = slots_[fencing_[i]];
    if (flight.number < warp.fence_begin) {
      warp.fence_ready = std::max(warp.fence_ready, flight.done);
      if (--warp.fence_awaits == 0) {
        const uint32_t slot = fencing_[i];
        fencing_.erase(fencing_.begin() + static_cast<std::ptrdiff_t>(i));
        endFence(slot);
        continue;
      }
    }
    ++i;
  }
}

void SmCore::completeFlight(uint32_t index) {
  Flight flight = flights_[index];
  free_flights_.push_back(index);
  if (flight.data_cycles > 0) {
    flight.done = data_.takeReturned(flight.done, flight.data_cycles);
    waiting_loads_.loadArrives(flight.done);
  }
  flights_done_ = std::max(flights_done_, flight.done);
  if (!fencing_.empty()) passFences(flight);
  if (flight.kind == Flight::Kind::kBulkLoad) {
    BulkArrival arrival = bulk_loads_[index];
    // The rest of the copy's latency, of which the barrier's warps wait the last part once it is complete.
    const uint32_t latency = model_.profile.bulk_copy_latency_cycles,
                   woken = model_.profile.shared_latency_cycles;
    arrival.cycle = flight.done + std::max(latency - latency / 2, woken) - woken;
    return addArrival(arrival);
  }
  WarpSlot& warp = slots_[flight.slot];
  if (warp.generation != flight.generation || warp.state == State::kEmpty) return;
  switch (flight.kind) {
    case Flight::Kind::kRegisters:
      for (uint32_t i = 0; i < flight.destination_count; ++i) {
        warp.scores[flight.destinations[i]] =
            flight.done << kScoreBits | static_cast<uint64_t>(ScoreClass::kLong);
      }
      if (warp.state == State::kWaitingForRegister) {
        warp.state = State::kIssuing;
        prepare(warp, warp.issued + 1);
      }
      return;
    case Flight::Kind::kStore:
      --warp.stores_pending;
      warp.stores_done = std::max(warp.stores_done, flight.done);
      if (warp.state == State::kWaitingForStores && warp.stores_pending == 0) {
        warp.state = State::kIssuing;
        afterIssue(warp, warp.stores_done, WarpState::kMembar);
      }
      return;
    case Flight::Kind::kBulkLoad:
      return;
    case Flight::Kind::kBulkStore:
      return bulkStoreDone(flight.slot, flight);
    case Flight::Kind::kCopy: {
      // Its group cannot be gone: only groups whose copies have all arrived are removed.
      CopyGroup& group = warp.copy_groups[flight.copy_group - warp.copy_groups_gone];
      --group.pending;
      group.done = std::max(group.done, flight.done);
      if (warp.state == State::kWaitingForCopies && awaitedCopiesAreBack(warp)) {
        warp.state = State::kIssuing;
        afterIssue(warp, warp.copies_done, WarpState::kLongScoreboard);
      }
      return;
    }
  }
}

void SmCore::orderWaiters() {
  for (MemoryWaiter& waiter : memory_waiters_) {
    const WarpSlot& warp = slots_[waiter.slot];
    if (warp.stop_epoch != epoch_end_) continue;
    for (uint32_t i = warp.stop_requests; i < warp.stop_requests_end; ++i) {
      const uint64_t effect = batch_[i].effect;
      waiter.cycle =
          std::max(waiter.cycle, effect - std::min<uint64_t>(effect, model_.request_outward_cycles));
    }
  }
}

void SmCore::finishMemory(const MemoryWaiter& waiter, uint64_t epoch_end) {
  WarpSlot& warp = slots_[waiter.slot];
  --in_memory_;
  recorder_.log = &warp.accesses;
  recorder_.clock_cycles = blocks_[warp.block].clock_begin + waiter.cycle;
  if (warp.valued) {
    warp.executing->finishMemory(*warp.warp, recorder_);
  } else {
    warp.executing->finishMemory(*warp.warp, static_cast<AccessRecorder&>(recorder_));
  }
  if (const Fault* fault = warp.executing->fault(); fault != nullptr && fault_.empty()) {
    fault_ = fault->message;
    fault_cycle_ = waiter.cycle;
    return;
  }
  if (model_.wakes_others) {
    noteWoken(waiter.slot);
    deliverWakes(waiter.slot, kNowhere, epoch_end);
  }
  accountUntil(warp, warp.issued + 1);
  if (model_.last_reductions[warp.stop_pc] != 0) return goOnAfterReduction(waiter.slot, epoch_end);
  resumeAt(waiter.slot, epoch_end, WarpState::kLongScoreboard);
}

std::string SmCore::waiting() const {
  std::string text;
  for (const ResidentBlock& resident : blocks_) {
    if (resident.used) text += resident.block->waiting();
  }
  return text;
}

}  // namespace warpscope::sim
