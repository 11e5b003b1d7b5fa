// The queues in front of the load-store unit of an SM and of its L1, and the stages that serve them.
#include <algorithm>
#include <span>

#include "kernels/sim/sm/ceiling.h"
#include "kernels/sim/sm/sm_core.h"

namespace warpscope::sim {
namespace {

// L1 looks up no more loads while the path to L2 is booked further ahead. With less, loads would wait for the
// stores that L1's queue holds.
constexpr double kOutwardBacklogCycles = 512;
// L1 also looks up no more loads while earlier loads have booked the path for so long: once about 64 loads of
// 2 to 32 lines are in the queues of an SM, an H200 (580.159.04, 2026-11-28) takes one line of them a cycle.
constexpr double kLoadBacklogCycles = 8;

// An access takes as many units of L1's queue as it stores bytes; a load takes those of a word of each lane.
constexpr uint32_t kUnitBytes = 32, kLoadUnits = 4;
uint32_t unitsOf(const WarpAccess& access) {
  return access.stored_bytes > 0 ? (access.stored_bytes + kUnitBytes - 1U) / kUnitBytes : kLoadUnits;
}

}  // namespace

// The cycle at which an instruction leaves its sub-partition's queue for the load-store unit, if that takes
// it from `ready`. A sub-partition can send only a fraction of what the shared unit accepts; the unit works
// in order, so that a backlog in it holds up the queue.
uint64_t SmCore::leaveQueueFrom(uint64_t ready, Partition& partition, uint64_t cycle, bool short_turn) {
  // The unit's stages take what comes from any sub-partition: one that is behind its turn holds up no other.
  lsu_free_ = std::max(lsu_free_, cycle);
  const uint64_t left = std::max({partition.local_free, lsu_free_, ready});
  // An instruction that others' turns delayed may follow a little closer.
  constexpr uint64_t kSlackCycles = 8;
  partition.local_free = std::max(partition.local_free, left - std::min(left, kSlackCycles)) +
                         (short_turn ? model_.lsu_share_cycles / 2 : model_.lsu_share_cycles);
  if (!short_turn) lsu_free_ += model_.lsu_interval_cycles;
  partition.queue.take(left);
  return left;
}

uint64_t SmCore::leaveQueue(Partition& partition, uint64_t cycle, bool short_turn) {
  data_.pass(cycle);
  return leaveQueueFrom(ceiling(data_.free()), partition, cycle, short_turn);
}

// An access to global or local memory leaves when L1's queue has room for it.
uint64_t SmCore::leaveForL1(Partition& partition, const IssueOp& op, const WarpAccess& access,
                            uint64_t cycle) {
  data_.pass(cycle);
  uint64_t room = l1_queue_.freeFor(unitsOf(access));
  if (op.reduces) room = std::max(room, roomForReduction());
  return leaveQueueFrom(room, partition, cycle, false);
}

// Reductions do not enter L1's queue while L2 still has to do so many that the SM sent before. Chosen with
// the 45 kernels of the truth suite's open half that reduce 8,000 sectors or more (H100, 580.159.04,
// 2026-11-26): the largest error of a state's share is 8.0 points on average with 576, and 9.7 with 1,536.
uint64_t SmCore::roomForReduction() const {
  constexpr uint64_t kBuffered = 576;
  const uint64_t effect = effectOfReduction(reductions_sent_ - std::min(reductions_sent_, kBuffered));
  return effect == kNever ? 0 : effect;
}

// When the lines of an access are looked up in L1. Loads do not wait there for the data stage: if the data
// have to come from L2, others overtake them.
double SmCore::lookedUpFrom(uint64_t left, const WarpAccess& access, bool reads) {
  double from = std::max(static_cast<double>(left), tags_free_);
  if (access.stored_bytes == 0)
    from = std::max({from, outward_free_ - kOutwardBacklogCycles, loads_outward_free_ - kLoadBacklogCycles});
  return reads ? waiting_loads_.room(from, access.line_count, epoch_end_) : std::max(from, data_.free());
}

// A load is in L1's queue until its lines are looked up and, if L1 has them, the data stage reads them. What
// a store has written is there until it leaves for L2. Of the accesses that may wait in an SM
// (global_queue_), a load is one until it is served, a store until it is in L1's queue.
void SmCore::queueInL1(const WarpAccess& access, uint64_t left, uint64_t served) {
  const bool stores = access.stored_bytes > 0;
  const uint64_t leaves = stores ? std::max(served, ceiling(outward_free_)) : served;
  for (uint32_t i = 0; i < unitsOf(access); ++i) l1_queue_.take(leaves);
  global_queue_.take(stores ? left : served);
}

// An access reads its registers when it has left the queue, so that what writes one of them waits: on an H100
// (580.159.04, 2026-11-27) a warp that stores in a loop waits for a long scoreboard (STG) or a short one
// (STS) where it computes the next address, not for room in the queue.
void SmCore::noteReads(WarpSlot& warp, const IssueOp& op, uint64_t read, ScoreClass score) {
  for (const uint16_t value : std::span(op.awaited).first(op.read_count))
    warp.reads[value] = read << kScoreBits | static_cast<uint64_t>(score);
  warp.reading_until = std::max(warp.reading_until, read);
}

// When the accesses that still have to read what the operation writes have done so.
uint64_t SmCore::readUntil(const WarpSlot& warp, const IssueOp& op) {
  uint64_t score = 0;
  for (const uint16_t value : std::span(op.destinations).first(op.destination_count))
    score = std::max(score, warp.reads[value]);
  return score;
}

}  // namespace warpscope::sim
