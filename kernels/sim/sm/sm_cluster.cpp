// What the blocks of a cluster do to each other: accesses to another block's shared memory, barriers of the
// cluster, mbarriers; and bulk copies, which an engine of the SM makes.
#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/sim/simt/interpreter_state.h"
#include "kernels/sim/sm/modelled_addresses.h"
#include "kernels/sim/sm/sm_core.h"

namespace warpscope::sim {
namespace {

constexpr double kWavefrontBytes = 128;

}  // namespace

// In each cycle all SMs begin their blocks first: a cluster is complete before any of its warps run.
void SmCore::runTogether(std::span<SmCore* const> cores, uint64_t end) {
  for (SmCore* core : cores) core->beginEpoch(end, true);
  while (true) {
    uint64_t now = kNever;
    for (const SmCore* core : cores) {
      if (!core->fault_.empty()) return;
      now = std::min(now, core->nextStep());
    }
    if (now >= end) return;
    for (SmCore* core : cores) core->startBlocks(now);
    for (SmCore* core : cores) core->runUntil(now + 1);
  }
}

// The executed segment let warps go on: they do when the warp has issued the instruction that did it.
void SmCore::noteWoken(uint32_t slot) {
  const ResidentBlock& resident = blocks_[slots_[slot].block];
  ClusterState& cluster = slots_[slot].executing->cluster();
  for (const ClusterState::Woken& each : cluster.woken) pending_wakes_.push_back({slot, each});
  for (const ClusterState::Woken& each : cluster.released) {
    const auto [core, block] = placeOf(resident, each);
    core->slots_[core->blocks_[block].slots[each.warp]].release_pending = true;
    pending_wakes_.push_back({slot, each, true});
  }
  cluster.woken.clear();
  cluster.released.clear();
}

// Of what the instruction at `pc` did; kNowhere: of all that the warp has executed.
void SmCore::deliverWakes(uint32_t slot, uint32_t pc, uint64_t cycle) {
  const WarpSlot& warp = slots_[slot];
  const ResidentBlock& resident = blocks_[warp.block];
  for (size_t i = 0; i < pending_wakes_.size();) {
    const PendingWake wake = pending_wakes_[i];
    if (wake.slot != slot || (pc != kNowhere && wake.woken.pc != pc)) {
      ++i;
      continue;
    }
    pending_wakes_.erase(pending_wakes_.begin() + static_cast<std::ptrdiff_t>(i));
    const bool of_barrier =
        wake.woken.pc != kNowhere && model_.code.instructions[wake.woken.pc].kind != Kind::kMbarrier;
    const bool other_block = wake.woken.rank != warp.executing->state().rank;
    const uint64_t latency = of_barrier    ? model_.profile.cluster_barrier_latency_cycles
                             : other_block ? model_.profile.distributed_shared_latency_cycles
                                           : model_.profile.shared_latency_cycles;
    const uint64_t there = std::max(cycle, of_barrier ? warp.remote_done : 0) + latency;
    if (wake.released) {
      const auto [core, block] = placeOf(resident, wake.woken);
      const uint32_t of = core->blocks_[block].slots[wake.woken.warp];
      core->release(core->slots_[of], of, there);
    } else {
      wakeOf(resident, wake.woken, there);
    }
  }
}

std::pair<SmCore*, uint32_t> SmCore::placeOf(const ResidentBlock& resident,
                                             const ClusterState::Woken& woken) {
  if (resident.cluster == nullptr) return {this, static_cast<uint32_t>(&resident - blocks_.data())};
  const PlacedCluster::Place& place = resident.cluster->places[woken.rank];
  return {place.core, place.block};
}

void SmCore::release(WarpSlot& warp, uint32_t slot, uint64_t cycle) {
  if (!std::exchange(warp.release_pending, false)) return;  // its warp has exited without waiting
  if (warp.state == State::kAtBarrier && warp.at_cluster_wait) {
    resumeAt(slot, std::max(cycle, warp.issued + 1), WarpState::kBarrier);
  } else {
    warp.released_at = cycle;
  }
}

void SmCore::wakeOf(const ResidentBlock& resident, const ClusterState::Woken& woken, uint64_t cycle) {
  const auto [core, block] = placeOf(resident, woken);
  core->wake(block, woken.warp, cycle);
}

void SmCore::wake(uint32_t block, uint32_t warp_in_block, uint64_t cycle) {
  const uint32_t slot = blocks_[block].slots[warp_in_block];
  WarpSlot& warp = slots_[slot];
  if (warp.state == State::kAtBarrier && warp.barrier_group == kNoGroup) {
    resumeAt(slot, std::max(cycle, warp.issued + 1), WarpState::kBarrier);
  } else {
    warp.woken_at = cycle;
  }
}

bool SmCore::timeOutWaits(uint64_t cycle) {
  bool any = false;
  for (ResidentBlock& resident : blocks_) {
    if (!resident.used) continue;
    ClusterState& cluster = resident.block->cluster();
    if (!cluster.timeOut()) continue;
    any = true;
    for (const ClusterState::Woken& each : cluster.woken) wakeOf(resident, each, cycle);
    cluster.woken.clear();
  }
  return any;
}

// Returns when a result is back.
uint64_t SmCore::issueRemote(WarpSlot& warp, const WarpAccess& access, uint64_t cycle) {
  const double sent = access.atomic ? sendAtomics(warp, access, cycle) : sendRemote(warp, access, cycle);
  const uint64_t ready =
      static_cast<uint64_t>(std::ceil(sent)) + model_.profile.distributed_shared_latency_cycles;
  if (access.writes) warp.remote_done = std::max(warp.remote_done, ready);
  return ready;
}

double SmCore::sendRemote(const WarpSlot& warp, const WarpAccess& access, uint64_t cycle) {
  const double bytes_per_cycle = std::max(model_.profile.distributed_shared_bytes_per_cycle, 0.1);
  const double begin = std::max(static_cast<double>(cycle), remote_free_);
  remote_free_ = begin + access.remote_wavefronts * kWavefrontBytes / bytes_per_cycle;
  const ResidentBlock& resident = blocks_[warp.block];
  const int ranks = std::popcount(access.remote_ranks);
  for (uint32_t rank = 0; rank < resident.cluster->places.size(); ++rank) {
    if ((access.remote_ranks >> rank & 1U) == 0) continue;
    resident.cluster->places[rank].core->data_.take(cycle, double{1} * access.remote_wavefronts / ranks);
  }
  return remote_free_;
}

// A warp sends a sector's lanes together, those of one word one after another, and the sectors one after
// another, to whichever block. At an SM, bits 8 and 10 of the address say which of four units executes them.
// So it was found on an H100 (580.159.04, 2026-11-26; all SMs, in clusters of 2 to 16): 32 lanes at 32
// sectors take 125 cycles, wherever these are; at random words of 2 KiB or more in each SM a sector takes 3.7
// to 4.3 cycles, of 1 KiB 5.9 to 7.2, of 64 or 256 bytes 9.3 to 11.8. Operations on one word,
// one after another, take 7.5; the model takes them to be no faster than the others.
double SmCore::sendAtomics(const WarpSlot& warp, const WarpAccess& access, uint64_t cycle) {
  constexpr uint32_t kStretch = 256 / kSectorBytes;
  const double interval = model_.profile.distributed_shared_atomic_interval_cycles;
  const double unit_cycles = model_.profile.distributed_shared_atomic_unit_cycles;
  const double latency = model_.profile.distributed_shared_latency_cycles;
  const ResidentBlock& resident = blocks_[warp.block];
  const double now = static_cast<double>(cycle);
  double done = now;
  remote_free_ = std::max(remote_free_, now);
  const std::span all(warp.accesses.remote);
  for (const RemoteSector& sector : all.subspan(access.first_remote, access.remote_count)) {
    const uint32_t stretch = sector.number / kStretch;
    SmCore& at = *resident.cluster->places[sector.rank].core;
    BookedUnit<>& unit = at.atomic_units_[(stretch & 1) | (stretch >> 1 & 2)];
    remote_free_ += sector.serial * interval;
    done = std::max({done, remote_free_, unit.book(now, sector.serial * unit_cycles)});
  }
  // The unit for loads and stores works in order, so that what is behind waits, too; but what is sent may be
  // on its way for as long as that takes.
  data_.keepBusyUntil(done - latency);
  return done;
}

// The lines of a bulk copy's piece of global memory, the first in cycle `now`; returns when the last has
// left.
double SmCore::sendLines(uint32_t flight, bool loads, uint64_t address, uint64_t bytes, double now) {
  const double bytes_per_cycle = std::max(model_.profile.bulk_copy_bytes_per_cycle, 0.1);
  const uint64_t end = address + bytes;
  for (uint64_t line = address / kLineBytes; line * kLineBytes < end; ++line) {
    const uint64_t first = std::max(address, line * kLineBytes);
    const uint64_t last = std::min(end, (line + 1) * kLineBytes);
    uint8_t sectors = 0, full = 0;
    for (uint32_t sector = 0; sector < kSectorsPerLine; ++sector) {
      const uint64_t from = line * kLineBytes + sector * kSectorBytes, until = from + kSectorBytes;
      if (from < last && first < until) sectors = static_cast<uint8_t>(sectors | 1U << sector);
      if (first <= from && until <= last) full = static_cast<uint8_t>(full | 1U << sector);
    }
    const uint64_t seen = model_.options.addresses == nullptr ? line : model_.options.addresses->lineOf(line);
    ++flights_[flight].parts;
    send({.line = seen,
          .flight = flight,
          .sectors = sectors,
          .full = full,
          .kind = loads ? RequestKind::kLoad : RequestKind::kStore},
         static_cast<uint64_t>(now));
    now += static_cast<double>(last - first) / bytes_per_cycle;
  }
  return now;
}

// The engine takes the copies of an SM one after another, and asks L2 for a line at a time. A box of a tensor
// has several pieces; what it costs to find them was not measured and is left out.
void SmCore::issueBulk(Partition& partition, uint32_t slot, const IssueOp& op, uint64_t cycle) {
  WarpSlot& warp = slots_[slot];
  const uint64_t begin = leaveQueue(partition, cycle);
  const ptx::BulkWay way = model_.code.instructions[op.pc].modifiers.bulk;
  const double passes_per_cycle = std::max(model_.profile.distributed_shared_bytes_per_cycle, 0.1);
  for (const BulkCopy& copy : warp.accesses.bulk) {
    if (copy.pc != op.pc) continue;
    const BulkArrival arrival{0, warp.block, blocks_[warp.block].stamp, copy.id};
    const uint64_t reached = begin + model_.profile.bulk_copy_latency_cycles / 2;
    double now = std::max(static_cast<double>(reached), bulk_free_);
    if (way == ptx::BulkWay::kPass) {
      now = std::max(now, remote_free_);
      bulk_free_ = remote_free_ = now + copy.bytes / passes_per_cycle;
      BulkArrival passed = arrival;
      passed.cycle = static_cast<uint64_t>(std::ceil(bulk_free_)) +
                     model_.profile.distributed_shared_latency_cycles +
                     model_.profile.bulk_copy_latency_cycles / 2;
      addArrival(passed);
      continue;
    }
    const bool loads = way == ptx::BulkWay::kLoad;
    const uint32_t index =
        newFlight(loads ? Flight::Kind::kBulkLoad : Flight::Kind::kBulkStore, slot, nullptr);
    if (loads) {
      bulk_loads_.resize(std::max(bulk_loads_.size(), size_t{index} + 1));
      bulk_loads_[index] = arrival;
    }
    forEachGlobalPiece(
        copy, [&](uint64_t address, uint64_t bytes) { now = sendLines(index, loads, address, bytes, now); });
    bulk_free_ = now;
    data_.take(cycle, copy.bytes / kWavefrontBytes);
    flights_[index].done =
        static_cast<uint64_t>(now) + (loads ? 0 : model_.profile.bulk_copy_latency_cycles / 2);
    if (!loads) {
      BulkGroup& group = warp.bulk_groups.back();
      ++group.pending;
      group.read = std::max(group.read, static_cast<uint64_t>(now));
      flights_[index].copy_group = static_cast<uint32_t>(warp.bulk_groups.size() - 1);
    }
    if (flights_[index].parts == 0) completeFlight(index);
  }
}

bool SmCore::awaitedBulkIsDone(const WarpSlot& warp, bool only_read, uint64_t& done) const {
  for (uint32_t i = 0; i < warp.bulk_awaited; ++i) {
    const BulkGroup& group = warp.bulk_groups[i];
    if (!only_read && group.pending > 0) return false;
    done = std::max(done, only_read ? group.read : group.done);
  }
  return true;
}

void SmCore::awaitBulk(uint32_t slot, const IssueOp& op, uint64_t cycle) {
  WarpSlot& warp = slots_[slot];
  const Instruction& wait = model_.code.instructions[op.pc];
  const uint64_t formed = warp.bulk_groups.size() - 1;
  warp.bulk_awaited = static_cast<uint32_t>(formed > wait.immediate ? formed - wait.immediate : 0);
  uint64_t done = cycle + 1;
  if (awaitedBulkIsDone(warp, wait.modifiers.only_read, done))
    return afterIssue(slots_[slot], done, WarpState::kLongScoreboard);
  warp.state = State::kWaitingForBulk;
  sleep(warp);
}

void SmCore::bulkStoreDone(uint32_t slot, const Flight& flight) {
  WarpSlot& warp = slots_[slot];
  BulkGroup& group = warp.bulk_groups[flight.copy_group];
  --group.pending;
  group.done = std::max(group.done, flight.done);
  uint64_t done = warp.issued + 1;
  if (warp.state != State::kWaitingForBulk || !awaitedBulkIsDone(warp, false, done)) return;
  warp.state = State::kIssuing;
  afterIssue(slots_[slot], done, WarpState::kLongScoreboard);
}

void SmCore::addArrival(const BulkArrival& arrival) {
  arrivals_of_bulk_.push_back(arrival);
  next_arrival_ = std::min(next_arrival_, arrival.cycle);
}

void SmCore::takeArrivals(uint64_t now) {
  while (next_arrival_ <= now) {
    const auto first = std::ranges::min_element(arrivals_of_bulk_, {}, &BulkArrival::cycle);
    const BulkArrival arrival = *first;
    arrivals_of_bulk_.erase(first);
    next_arrival_ = kNever;
    for (const BulkArrival& each : arrivals_of_bulk_) next_arrival_ = std::min(next_arrival_, each.cycle);
    ResidentBlock& resident = blocks_[arrival.block];
    last_cycle_ = std::max(last_cycle_, arrival.cycle);
    if (!resident.used || resident.stamp != arrival.stamp) continue;
    if (!resident.block->finishBulk(arrival.copy)) {
      if (fault_.empty()) {
        fault_ = resident.block->fault()->message;
        fault_cycle_ = now;
      }
      return;
    }
    ClusterState& cluster = resident.block->cluster();
    for (const ClusterState::Woken& each : cluster.woken)
      wakeOf(resident, each, now + model_.profile.shared_latency_cycles);
    cluster.woken.clear();
  }
}

}  // namespace warpscope::sim
