// The checks of one resident block: it judges every access, in order, and applies what barriers and fences
// change. Owns the block's clocks and the shadow of its shared memory; LaunchChecks owns what the blocks
// share.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "kernels/sim/simt/checks/launch_checks.h"

namespace warpscope::sim {

class BlockChecks {
 public:
  explicit BlockChecks(LaunchChecks& launch, uint32_t shared_bytes);

  void begin(uint32_t block, std::byte* shared);
  // The checks of the blocks of its cluster, by rank; they must outlive the block's run.
  void joinCluster(const std::vector<BlockChecks*>& cluster) { peers_ = cluster; }
  void end();  // all threads of the block have exited

  // Returns the lanes that may execute the access, after reporting, recording and ordering it.
  uint32_t filter(const Warp& warp, const MemoryAccess& access);
  void fence(const Warp& warp, uint32_t pc, uint32_t mask);
  void warpBarrier(const Warp& warp, uint32_t mask) {
    clocks_.warpBarrier(warp.index_in_block, mask);
    grid_waits_.warpBarrier(warp.index_in_block, mask);
  }
  void gridWait(const Warp& warp, uint32_t mask) { grid_waits_.wait(warp.index_in_block, mask); }
  void barrierArrival(const Warp& warp, const BarrierArrival& arrival);
  // `running`: the number of lanes of the block that have not exited.
  void blockBarrier(uint32_t barrier, uint32_t running);

  // All threads of the cluster have come to its barrier.
  void clusterBarrier();
  // Whether each of them has fenced and written nothing since: a barrier without order of its own orders
  // them.
  bool clusterHasFenced();
  // The bytes of a bulk copy that one of the cluster's threads has started are about to move. Returns whether
  // they may.
  bool bulkMoves(const BulkCopy& copy);
  // A thread's asynchronous store has been added to an mbarrier of the block with that rank.
  void received(const Warp& warp, uint32_t lane, uint32_t rank, uint64_t mbarrier);

  // The number of instructions that have changed memory, as far as this can be known.
  uint64_t changes() const { return changes_; }

 private:
  uint32_t thread(const Warp& warp, uint32_t lane) const { return warp.index_in_block * 32 + lane; }
  Executor executor(const Warp& warp, uint32_t lane, uint32_t pc) const {
    return {clocks_.block(), thread(warp, lane), pc};
  }
  // The checks of the block whose memory is accessed.
  BlockChecks& home(const MemoryAccess& access) {
    return access.other_rank ? peer(*access.other_rank) : *this;
  }
  BlockChecks& peer(uint32_t rank) { return peers_.empty() ? *this : *peers_[rank]; }
  bool bulkRange(const BulkCopy& copy, ptx::Space space, BlockChecks& home, uint64_t address, uint32_t bytes,
                 bool writes);
  bool bulkGlobal(const BulkCopy& copy, bool writes);
  uint64_t spaceBytes(const Warp& warp, ptx::Space space) const;
  uint32_t aligned(const Warp& warp, const MemoryAccess& access, uint32_t mask);
  uint32_t inBounds(const Warp& warp, const MemoryAccess& access, uint32_t mask);
  void reportAddress(HazardKind kind, const Warp& warp, const MemoryAccess& access, uint32_t lane,
                     uint64_t count);
  void checkWritten(const Warp& warp, const MemoryAccess& access, uint32_t mask);
  void markWritten(const MemoryAccess& access, uint32_t mask);
  void checkPrimary(const Warp& warp, const MemoryAccess& access, uint32_t mask);
  void checkRaces(const Warp& warp, const MemoryAccess& access, uint32_t mask);
  void noteTouched(const MemoryAccess& access, uint32_t mask);
  void checkCollision(const Warp& warp, const MemoryAccess& access, CheckedAccess& checked);
  void order(const Warp& warp, const MemoryAccess& access, Strength strength, uint32_t mask);
  // Whether atomics leave memory as it is: a lock that is taken, or an exchange of equal values.
  bool sameAfterwards(const MemoryAccess& access, uint32_t mask);
  const std::byte* hostAddress(const MemoryAccess& access, uint32_t lane);
  Strength strengthOf(const MemoryAccess& access) const;
  Published* publishedAt(const MemoryAccess& access, uint64_t address, bool make);

  LaunchChecks& launch_;
  std::vector<BlockChecks*> peers_;  // by rank in the cluster; empty: the block is alone
  BlockClocks clocks_;
  GridWaits grid_waits_;
  ShadowMemory shadow_;
  WrittenBytes written_;
  UnwrittenReads unwritten_;
  std::unordered_map<uint64_t, Published> published_;
  std::byte* shared_ = nullptr;
  uint64_t changes_ = 0;
  struct Waiting {
    std::vector<BlockClocks::Part> parts;
    uint32_t lanes = 0;
    bool all_wait = true;
  };
  std::array<Waiting, 16> barriers_;
};

}  // namespace warpscope::sim
