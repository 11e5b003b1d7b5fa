// One streaming multiprocessor: resident blocks, sub-partitions that issue one instruction per cycle each,
// and the load-store unit with L1 and shared memory. Owns all of these. It runs one epoch at a time by
// itself; its requests to L2 wait in its batch until the epoch is over (l2_cache.h), and the replies are
// received when the next epoch begins.
//
// A warp proceeds as follows: it executes a group of segments functionally (fetchGroup) and then issues the
// group's operations one by one when their operands are ready (the scoreboard holds a cycle for each
// register), their pipe is free and the scheduler picks the warp; then comes the next group. Cycles in which
// no warp can issue are skipped: each warp knows the earliest cycle in which it could (wake), each
// sub-partition the minimum of these (next).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/sim/simt/cluster.h"
#include "kernels/sim/simt/interpreter.h"
#include "kernels/sim/sm/booked_unit.h"
#include "kernels/sim/sm/data_stage.h"
#include "kernels/sim/sm/l2_cache.h"
#include "kernels/sim/sm/launch_model.h"
#include "kernels/sim/sm/sm_counters.h"
#include "kernels/sim/sm/steps_ahead.h"
#include "kernels/sim/sm/sub_partition.h"
#include "kernels/sim/sm/swap_loops.h"
#include "kernels/sim/sm/value_recorder.h"
#include "kernels/sim/sm/waiting_loads.h"
#include "kernels/sim/sm/warp_slot.h"

namespace warpscope::sim {

// A block that has ended, for the scheduler that assigns the next one.
struct FreedBlock {
  uint64_t cycle = 0;
  uint32_t sm = 0;
};

// A warp whose global atomic, strong load or print is executed at the end of an epoch: in the order in which
// L2 serves them, as if the way there took no time, since stores are executed when they are issued, too.
struct MemoryWaiter {
  uint64_t cycle = 0;
  uint32_t sm = 0, order = 0, slot = 0;
};

// Tells the grid what it has to know of an SM after an epoch. One thread reads the reports of all SMs, which
// are small; the SMs themselves are in the caches of several processors, or in none.
struct EpochReport {
  uint64_t next_event = 0;        // the first cycle since the epoch with an event; kNever: there is none
  uint64_t ptx_instructions = 0;  // executed so far
  uint32_t requests = 0;          // to L2
  bool is_ahead = false;          // the SM has run ahead: what it has done is not for others yet
  // These say which of the SM's lists the grid has to read: freed(), memoryWaiters(), fault().
  bool has_freed = false, has_waiters = false, has_fault = false;
};

class SmCore;

// A cluster whose blocks are resident, or about to be, and where they are.
struct PlacedCluster {
  struct Place {
    SmCore* core = nullptr;
    uint32_t block = 0;  // its number on that SM
    Block* executing = nullptr;
  };
  ClusterState state;
  std::vector<Place> places;  // by rank
  uint32_t to_start = 0;
};

class SmCore {
 public:
  SmCore(const LaunchModel& model, uint32_t smid);

  // The block begins at this cycle, which must not be before the end of the current epoch. Its clocks, and
  // the instructions in the log, are `later` cycles ahead: the time of the blocks that are left out before
  // it.
  void addBlock(uint64_t begin_cycle, uint32_t linear_index, uint64_t later) {
    addBlock(StartingBlock{begin_cycle, linear_index, later, nullptr, 0});
  }
  // One of a cluster, whose blocks all begin in that cycle.
  void addBlockOfCluster(uint64_t begin_cycle, uint32_t linear_index, std::shared_ptr<PlacedCluster> cluster,
                         uint32_t rank) {
    addBlock(StartingBlock{begin_cycle, linear_index, 0, std::move(cluster), rank});
  }
  // Receives L2's replies to the last epoch's requests, then runs until `end`, and beyond if it may.
  // `prefetches`: its state is not in the host's caches.
  void runEpoch(uint64_t end, bool may_run_ahead, bool prefetches);
  // The same for SMs whose blocks reach each other: cycle by cycle, in their order.
  static void runTogether(std::span<SmCore* const> cores, uint64_t end);
  // Returns the report of the epoch that ended then. It is out of date once the SM has been changed from
  // outside: given a block, or a warp of it woken.
  EpochReport report(uint64_t epoch_end) const;
  // Lets a warp go on that waits for its cluster or for an mbarrier.
  void wake(uint32_t block, uint32_t warp_in_block, uint64_t cycle);
  // Ends waits for mbarriers that nothing else can end; false: there are none, or they have ended so often
  // that it is a deadlock.
  bool timeOutWaits(uint64_t cycle);
  // The launch before is complete: warps do not stand at griddepcontrol.wait any longer.
  void openGridDependency(uint64_t cycle);
  bool standsAtGridDependency() const { return !standing_.empty(); }
  uint32_t freeBlocks() const { return free_blocks_; }
  // Executes the instruction that a waiter of the finished epoch stopped at. Must not run concurrently with
  // anything.
  void finishMemory(const MemoryWaiter& waiter, uint64_t epoch_end);

  uint32_t smid() const { return smid_; }
  bool resident() const { return free_blocks_ < model_.options.blocks_per_sm || !starting_.empty(); }
  RequestBatch& batch() { return batch_; }
  std::vector<FreedBlock>& freed() { return freed_; }
  std::vector<MemoryWaiter>& memoryWaiters() { return memory_waiters_; }
  // Finds out when their accesses have an effect, once L2 has served the epoch's requests.
  void orderWaiters();
  const std::string* fault() const { return fault_.empty() ? nullptr : &fault_; }
  uint64_t faultCycle() const { return fault_cycle_; }
  // The positions at which the warps of its blocks wait, for the report of a deadlock.
  std::string waiting() const;

  const SmCounters& counters() const { return counters_; }
  uint64_t lastCycle() const { return last_cycle_; }  // of any activity so far
  const BlockWork& work() const { return work_; }
  const std::vector<BlockStay>& stays() const { return stays_; }
  std::vector<IssuedInstruction>& log() { return log_; }
  uint64_t logDropped() const { return log_dropped_; }

 private:
  using State = WarpSlot::State;
  using Partition = SubPartition;
  using CopyGroup = WarpSlot::CopyGroup;
  using BulkGroup = WarpSlot::BulkGroup;
  static constexpr uint32_t kNoGroup = WarpSlot::kNoGroup;
  static constexpr uint32_t kNoFlight = ~0U;
  static constexpr uint32_t kNoSegment = WarpSlot::kNoSegment;
  static constexpr uint32_t kNoFetchLine = WarpSlot::kNoFetchLine;

  // A bulk copy into shared memory whose bytes arrive in that cycle.
  struct BulkArrival {
    uint64_t cycle = 0;
    uint32_t block = 0;
    uint64_t stamp = 0;  // of the block that started it
    uint64_t copy = 0;
  };

  std::vector<uint32_t> standing_;  // slots of warps at griddepcontrol.wait
  bool dependency_open_ = false;

  // Warps whose barrier is complete in execution, and how many of them have not yet issued it.
  struct BarrierGroup {
    uint32_t to_issue = 0;
    bool used = false;
  };

  struct ResidentBlock {
    std::optional<Block> block;
    bool used = false;
    uint32_t warps_left = 0;
    uint64_t executed_before = 0;  // by the warps, for earlier blocks: PTX instructions
    uint64_t clock_begin = 0;      // what its clocks show in the launch's first cycle
    BlockStay stay;
    std::vector<uint32_t> slots;  // slots of its warps
    std::vector<BarrierGroup> barriers;
    SwapLoops swaps;
    std::shared_ptr<PlacedCluster> cluster;  // nullptr: the block is alone
    uint64_t stamp = 0;                      // tells the blocks that were here apart
  };

  // A memory instruction of which L2 has not yet given the last reply.
  struct alignas(64) Flight {
    enum class Kind : uint8_t { kRegisters, kStore, kCopy, kBulkLoad, kBulkStore } kind = Kind::kRegisters;
    uint8_t destination_count = 0;
    uint16_t destinations[8] = {};
    uint32_t slot = 0, generation = 0;
    uint32_t parts = 0;
    uint32_t copy_group = 0;  // kCopy, kBulkStore
    uint64_t number = 0;      // in the order of their beginning
    uint64_t done = 0;
    // For which its data take L1's data stage when they are there. If that is over 0, it is one of
    // waiting_loads_.
    double data_cycles = 0;
  };
  static_assert(sizeof(Flight) == 64);  // a line of the host's caches

  struct StartingBlock {
    uint64_t cycle = 0;
    uint32_t index = 0;
    uint64_t later = 0;
    std::shared_ptr<PlacedCluster> cluster;
    uint32_t rank = 0;
  };
  // A warp that goes on once another one has issued the instruction that lets it.
  struct PendingWake {
    uint32_t slot = 0;  // of the other one
    ClusterState::Woken woken;
    bool released = false;  // before it has come to its wait
  };

  // sm_core.cpp: blocks and epochs
  void addBlock(StartingBlock starting);
  void beginEpoch(uint64_t end, bool prefetches);
  // The next cycle in which something other than a sub-partition has something to do.
  uint64_t nextOfOthers() const {
    return starting_.empty() ? next_arrival_ : std::min(next_arrival_, starting_.front().cycle);
  }
  uint64_t nextStep() const {
    uint64_t next = nextOfOthers();
    for (const Partition& partition : partitions_) next = std::min(next, partition.next);
    return next;
  }
  void beginCycle(uint64_t now);
  void startBlocks(uint64_t now);
  // Returns whether everything before `end` has been done: false after a fault, or where running ahead ends.
  bool runUntil(uint64_t end);
  // Returns false if an SM that runs ahead must stop within this cycle.
  bool step(uint64_t now);
  void prefetchSlots(uint64_t end, std::vector<const WarpSlot*>& soon);
  void prefetchScores(const WarpSlot& warp) const;
  void prefetchWarps(uint64_t end, std::vector<const WarpSlot*>& soon) const;
  void startBlock(const StartingBlock& starting);
  void waitForConstants(WarpSlot& warp);
  uint64_t parametersReadyFrom(uint64_t cycle);
  static uint64_t executedBy(ResidentBlock& resident);
  uint32_t takeWarpSlot();
  void addSlot();
  void endWarp(uint32_t slot, uint64_t cycle);
  void receiveReplies(uint64_t epoch_begin);
  void completeFlight(uint32_t flight);
  static void wakeAt(WarpSlot& warp, uint64_t cycle) {
    warp.home->wakes.set(warp.local, cycle);
    warp.home->next = std::min(warp.home->next, cycle);
  }
  // Until something else wakes it.
  static void sleep(WarpSlot& warp) { warp.home->wakes.set(warp.local, kNever); }
  void countResidency(uint64_t cycle, int warps);
  // Ends a warp that has no more to do since `ended`, once its stores have left.
  void drain(uint32_t slot, uint64_t ended, uint64_t now);
  uint64_t effectOfReduction(uint64_t sent) const;
  uint64_t drainedAt(const WarpSlot& warp) const;
  void noteReductions();
  // True: the warp stands there.
  bool meetGridDependency(uint32_t slot, const Instruction& instruction, uint64_t cycle);

  // sm_ahead.cpp
  // The first cycle from `now` on with an event; kNever: there is none at all.
  uint64_t nextEvent(uint64_t now) const;
  void runAhead(uint64_t end);
  bool isAlone() const;
  bool goesOnAhead(uint64_t now) {
    ahead_.add(now);
    return !stops_ahead_;
  }
  bool groupReachesOut(const WarpSlot& warp) const;

  // sm_groups.cpp: what a warp executes before it issues
  void fetchGroup(uint32_t slot, uint64_t cycle);
  void runSegments(uint32_t slot, uint64_t cycle);
  bool continuesGroup(const WarpSlot& warp, uint32_t segment) const;
  void noteSegment(WarpSlot& warp, const SegmentResult& result);
  uint64_t takeSubroutine(WarpSlot& warp, const RareCase& rare, uint64_t cycle);
  uint64_t takeSubroutines(WarpSlot& warp, const IssueOp& op, uint64_t cycle);
  void noteYield(WarpSlot& warp, uint32_t mask);
  void endGroup(uint32_t slot, uint64_t cycle);
  void goOnAfterReduction(uint32_t slot, uint64_t epoch_end);
  // The warp goes on, maybe with other lanes.
  void changePath(uint32_t slot, uint64_t cycle);
  void resumeAt(uint32_t slot, uint64_t cycle, WarpState reason);

  // sm_issue.cpp
  bool stepPartition(Partition& partition, uint64_t cycle);
  uint64_t takePipe(Partition& partition, Pipe pipe, uint32_t ticks, uint64_t cycle);
  uint64_t takeSpecial(Partition& partition, uint32_t ticks, uint64_t cycle);
  void issue(Partition& partition, WarpSlot& warp, uint64_t pipe_free, uint64_t cycle);
  void issuePlain(Partition& partition, WarpSlot& warp, const IssueOp& op, uint64_t cycle);
  void issueOther(Partition& partition, WarpSlot& warp, const IssueOp& op, uint64_t cycle);
  static uint64_t matchedAt(Partition& partition, const WarpSlot& warp, uint32_t pc, uint64_t begin);
  void passStalls(WarpSlot& warp, const IssueOp& op, uint64_t earliest);
  void prepare(WarpSlot& warp, uint64_t earliest);
  void afterIssue(WarpSlot& warp, uint64_t earliest, WarpState reason);
  // The same, for what is executed so often that calls matter.
  void prepareInline(WarpSlot& warp, uint64_t earliest);
  void afterIssueInline(WarpSlot& warp, uint64_t earliest, WarpState reason);
  // Goes on to the next operation of the group that the warp issues. Returns false if none is left.
  bool skipOthersOperations(WarpSlot& warp) const {
    if (warp.op < warp.op_end) {
      const IssueOp& op = model_.ops[warp.op];
      if (op.every == 1 && op.member >= warp.member_first && op.member <= warp.member_last) return true;
    }
    return skipFurther(warp);
  }
  bool skipFurther(WarpSlot& warp) const;
  // When the pipe and the queue are free that an operation with this gate needs.
  uint64_t pipeFree(const Partition& partition, uint16_t gate) const {
    const auto pipe = static_cast<Pipe>(gate & Gate::kPipe);
    if (pipe == Pipe::kLoadStore) {
      const uint64_t free = partition.queue.free();
      if ((gate & Gate::kConstant) == Gate::kConstant)
        return std::max(free, partition.constants_queue.free());
      if ((gate & Gate::kImage) == Gate::kImage) return std::max(free, image_queue_.free());
      if ((gate & Gate::kGlobal) != 0) return std::max(free, global_queue_.free());
      if ((gate & Gate::kNoAccess) == 0) return free;
      return std::max(free, partition.others_queue.free());
    }
    const uint64_t special = (gate & Gate::kSpecial) != 0 ? partition.special.free() : 0;
    if (pipe == Pipe::kSpecial) return special;
    return std::max(special, partition.pipe_free[static_cast<size_t>(pipe)] / kPipeTicks);
  }
  static void takeTurn(Partition& partition, const WarpSlot& warp);
  uint64_t instructionFetched(uint32_t line, uint64_t cycle);

  // sm_accounting.cpp: what warps wait for
  void accountUntil(WarpSlot& warp, uint64_t cycle);
  // Counts them up to the cycle in which it issues. Most warps issue as soon as their own wait is over.
  void account(Partition& partition, WarpSlot& warp, const IssueOp& op, uint64_t pipe_free, uint64_t cycle) {
    if (warp.wait_until < cycle || warp.logged || warp.valued)
      return accountDelayed(partition, warp, op, pipe_free, cycle);
    counters_.state_cycles[static_cast<size_t>(warp.reason)] += cycle - std::min(warp.accounted, cycle);
    ++counters_.state_cycles[static_cast<size_t>(WarpState::kSelected)];
    warp.accounted = cycle + 1;
  }
  void accountDelayed(Partition& partition, WarpSlot& warp, const IssueOp& op, uint64_t pipe_free,
                      uint64_t cycle);
  void countSettling(WarpSlot& warp, uint64_t until, uint64_t cycles);
  uint64_t turnsOfOthers(const Partition& partition, const IssueOp& op, uint64_t waited) const;
  static void noteWait(WarpSlot& warp, WarpState state, uint64_t cycles);
  void logIssue(const WarpSlot& warp, const IssueOp& op, uint64_t cycle);

  // sm_barriers.cpp
  void barrierCompleted(uint32_t slot, uint64_t cycle);
  void barrierIssued(uint32_t slot, uint64_t cycle);
  void releaseBarrier(ResidentBlock& block, uint32_t group, uint64_t cycle);

  // sm_cluster.cpp: what blocks do in others of their cluster, and bulk copies
  void noteWoken(uint32_t slot);
  void deliverWakes(uint32_t slot, uint32_t pc, uint64_t cycle);
  // The SM and the block there of a warp in the same cluster.
  std::pair<SmCore*, uint32_t> placeOf(const ResidentBlock& resident, const ClusterState::Woken& woken);
  void wakeOf(const ResidentBlock& resident, const ClusterState::Woken& woken, uint64_t cycle);
  void release(WarpSlot& warp, uint32_t slot, uint64_t cycle);
  uint64_t issueRemote(WarpSlot& warp, const WarpAccess& access, uint64_t cycle);
  // Return when the last of it is done there, or has come from there.
  double sendRemote(const WarpSlot& warp, const WarpAccess& access, uint64_t cycle);
  double sendAtomics(const WarpSlot& warp, const WarpAccess& access, uint64_t cycle);
  double sendLines(uint32_t flight, bool loads, uint64_t address, uint64_t bytes, double now);
  void issueBulk(Partition& partition, uint32_t slot, const IssueOp& op, uint64_t cycle);
  void awaitBulk(uint32_t slot, const IssueOp& op, uint64_t cycle);
  bool awaitedBulkIsDone(const WarpSlot& warp, bool only_read, uint64_t& done) const;
  void bulkStoreDone(uint32_t slot, const Flight& flight);
  void addArrival(const BulkArrival& arrival);
  void takeArrivals(uint64_t now);

  // sm_queues.cpp: the queues in front of the load-store unit and L1
  uint64_t leaveQueueFrom(uint64_t ready, Partition& partition, uint64_t cycle, bool short_turn);
  uint64_t leaveQueue(Partition& partition, uint64_t cycle, bool short_turn = false);
  uint64_t leaveForL1(Partition& partition, const IssueOp& op, const WarpAccess& access, uint64_t cycle);
  uint64_t roomForReduction() const;
  double lookedUpFrom(uint64_t left, const WarpAccess& access, bool reads);
  void queueInL1(const WarpAccess& access, uint64_t left, uint64_t served);
  static void noteReads(WarpSlot& warp, const IssueOp& op, uint64_t read, ScoreClass score);
  static uint64_t readUntil(const WarpSlot& warp, const IssueOp& op);

  // sm_memory.cpp: the load-store unit
  double runSwapLoop(WarpSlot& warp, const IssueOp& op, const WarpAccess& access, uint64_t begin);
  void countSwapLoop(WarpSlot& warp, const IssueOp& op, const SwapTries& done);
  void emptyL1();
  void beginFence(uint32_t slot, uint64_t cycle);
  void endFence(uint32_t slot);
  void passFences(const Flight& flight);
  static void awaitCopies(WarpSlot& warp, const Instruction& wait);
  static bool awaitedCopiesAreBack(WarpSlot& warp);
  void issueMemory(Partition& partition, uint32_t slot, const IssueOp& op, uint64_t cycle);
  void issueConstant(Partition& partition, WarpSlot& warp, const IssueOp& op, const WarpAccess& access,
                     uint64_t cycle);
  uint64_t constantLineReady(uint32_t line, uint64_t cycle);
  void issueWithoutLanes(const IssueOp& op, uint64_t cycle);
  void issueShared(Partition& partition, WarpSlot& warp, const IssueOp& op, const WarpAccess& access,
                   uint64_t cycle);
  void issueGlobal(Partition& partition, uint32_t slot, const IssueOp& op, const WarpAccess& access,
                   uint64_t cycle);
  // sm_images.cpp
  void issueImage(Partition& partition, uint32_t slot, const IssueOp& op, const WarpAccess& access,
                  uint64_t cycle);
  double headerReady(uint64_t image, double cycle);
  void prefetchTags(const WarpSlot& warp, const WarpAccess& access) const;
  void issueStack(Partition& partition, uint32_t slot, const IssueOp& op, uint64_t cycle);
  void loadLine(const LineAccess& line, const WarpAccess& access, uint32_t flight, uint64_t cycle,
                uint64_t& hit_ready, L1Counters& counters);
  void storeLine(const LineAccess& line, const StoredBytes& written, uint8_t least_merged, uint32_t flight,
                 uint64_t cycle, L1Counters& counters);
  uint8_t mergeWithEarlier(const LineAccess& line, const StoredBytes& written, uint8_t least_merged,
                           uint64_t cycle);
  struct PartOfSector;
  PartOfSector& partOf(uint64_t sector);
  void send(L2Request request, uint64_t cycle);
  double outwardCycles(const L2Request& request) const;
  uint32_t newFlight(Flight::Kind kind, uint32_t slot, const IssueOp* op);
  static void setScores(WarpSlot& warp, const IssueOp& op, uint64_t cycle, ScoreClass score) {
    uint64_t* scores = warp.scores.data();
    for (uint32_t i = 0; i < op.destination_count; ++i) {
      const uint64_t early = i + op.early_count >= op.destination_count ? op.early_cycles : 0;
      scores[op.destinations[i]] = (cycle - early) << kScoreBits | static_cast<uint64_t>(score);
    }
  }
  uint64_t localMemoryOf(uint32_t slot) const;
  static LineAccess stackLine(uint64_t local_memory, uint32_t depth, uint32_t word, uint32_t lanes);
  L1Counters& counterOf(const WarpAccess& access, const IssueOp& op);

  static constexpr uint32_t kTurnBits = 40;  // of Partition::order
  static constexpr uint32_t kScoreBits = 3;
  static constexpr uint64_t kPendingScore = kNever << kScoreBits;
  // A marker in CacheLine::fill of L1: the sectors were requested in this epoch, by the request with this
  // index.
  static constexpr uint64_t kPendingFill = uint64_t{1} << 63;

  const LaunchModel& model_;
  uint32_t smid_;
  std::vector<Partition> partitions_;
  // Holds the lists of slots_: an SM has thousands of small ones, which are freed together with it.
  std::pmr::monotonic_buffer_resource storage_{4096};
  std::vector<WarpSlot> slots_;  // [local slot * partitions + partition]: %warpid
  std::vector<ResidentBlock> blocks_;
  std::vector<StartingBlock> starting_;  // ascending
  std::vector<BulkArrival> arrivals_of_bulk_;
  uint64_t next_arrival_ = kNever;
  std::vector<PendingWake> pending_wakes_;
  double remote_free_ = 0, bulk_free_ = 0;      // the way to other SMs, and the engine of bulk copies
  std::array<BookedUnit<>, 4> atomic_units_{};  // those for the atomics of other SMs
  uint64_t stamps_ = 0;
  uint32_t free_blocks_;
  ValueRecorder recorder_;  // of warps whose values are not wanted: what it has of AccessRecorder

  uint64_t lsu_free_ = 0;
  // Cycles at which the latest global and local accesses were served by L1; so many may wait for it, in the
  // sub-partitions' queues and in L1's. Of 32 warps that load four words at a time from L1, each with 4 to 32
  // wavefronts, the warps that wait for words have asked for 70 (an H100 with 580.159.04, 2026-11-27: long
  // scoreboard 55 to 57 %, LG throttle 24 to 39 %).
  QueuePlaces<64> global_queue_;
  // The same of instructions on textures and surfaces, which the texture units serve.
  QueuePlaces<16> image_queue_;
  double images_input_free_ = 0, images_free_ = 0;  // the input of the texture units, and what follows
  struct ImageHeader {
    uint64_t image = 0;
    double ready = 0;  // when the texture units know it
  };
  std::vector<ImageHeader> image_headers_;
  // In the order in which they look for warps in a cycle: one that found no room for a global access is the
  // first to look for it again.
  std::vector<Partition*> visiting_;
  Partition* refused_partition_ = nullptr;
  uint64_t done_until_ = 0;         // everything before this cycle has been done
  uint32_t next_home_ = 0;          // the sub-partition whose turn it is to get a warp, modulo their number
  std::vector<uint64_t> arrivals_;  // scratch: the arrivals of a barrier's warps
  double tags_free_ = 0;            // L1's tag stage
  DataStage data_;
  double outward_free_ = 0, inward_free_ = 0;  // to and from L2
  double loads_outward_free_ = 0;              // the same of loads by themselves
  uint64_t lines_asked_for_ = 0;               // by loads, since the launch began
  // When the units of L1's queue that were taken last are free again. It holds 3 KiB of what stores have
  // written: with 4 to 8 warps of an H100's SM that store words of 32 sectors, bytes, or four words at a
  // time, 25 to 32 stores of a word, or 8 of four words, are on their way when the warps end (580.159.04,
  // 2026-11-27; the shares of long scoreboards and drain were best with 24 words).
  QueuePlaces<96> l1_queue_;
  WaitingLoads waiting_loads_;
  SectoredTags l1_;
  // Sectors of which stores have written a part, by their numbers: what stores to them write before a cycle
  // goes to L2 together (partOf).
  struct PartOfSector {
    uint64_t sector = ~uint64_t{0};
    uint64_t leaves = 0;
    uint32_t bytes = 0;  // that are written
  };
  std::array<PartOfSector, 256> parts_of_sectors_{};
  bool l1_used_ = false;  // since it was emptied
  RequestBatch batch_;
  std::vector<Flight> flights_;
  std::vector<BulkArrival> bulk_loads_;  // by flight: where the bytes of a kBulkLoad arrive
  std::vector<uint32_t> free_flights_;
  uint64_t next_flight_ = 0, flights_done_ = 0;  // the next one's number; when all that are back were
  std::vector<uint32_t> fencing_;                // slots of warps that wait for flights

  uint64_t cold_code_cycles_;  // the launch's, until the first instructions are fetched
  struct CodeLine {
    uint64_t ready = 0;  // when it is in the SM's instruction cache; 0: not known yet
    bool executed = false;
  };
  std::vector<CodeLine> code_lines_;
  uint64_t parameters_ready_ = 0;  // when the cache of LDC has the parameters; 0: none was loaded
  uint64_t constants_ready_ = 0;   // when the launch's constants are in the SM's cache; 0: no warp began
  std::vector<FreedBlock> freed_;
  std::vector<MemoryWaiter> memory_waiters_;
  // The reductions on their way to L2, or in its queues: how many operations have been sent with each, and
  // when L2 executes them (kNever: not known yet).
  struct SentReduction {
    uint64_t sent = 0, effect = kNever;
  };
  std::deque<SentReduction> reductions_;
  uint64_t reductions_sent_ = 0;
  // When each line of constants at addresses in registers is in the SM's cache; 0: nothing has asked for it.
  std::vector<uint64_t> constant_lines_;
  double constants_free_ = 0;       // when the next constants at several addresses can be read
  std::vector<uint32_t> draining_;  // slots of warps that end it is not known when
  SmCounters counters_;
  uint64_t epoch_end_ = 0, last_cycle_ = 0;
  StepsAhead ahead_;
  bool runs_ahead_ = false, stops_ahead_ = false;
  uint32_t in_memory_ = 0;  // warps that wait for finishMemory
  BlockWork work_;
  std::vector<BlockStay> stays_;
  uint32_t resident_warps_ = 0;
  uint64_t residency_since_ = 0;
  std::string fault_;
  uint64_t fault_cycle_ = 0;
  std::vector<IssuedInstruction> log_;
  uint64_t log_dropped_ = 0;
};

}  // namespace warpscope::sim
