// Which block of which kernel gets the next room on an SM, while several kernels run at once. Kernels form a
// queue: by priority, then in the order in which they became ready. The first one's blocks are handed out, in
// order, to the SMs that have room for them; no other kernel's block is before all of them have been (the
// "leftover" policy that Amert et al., GPU Scheduling on the NVIDIA TX2: Hidden Details Revealed, RTSS 2017,
// found on real GPUs). Blocks that run are never interrupted.
//
// How long a block runs by itself is known from an execution of its kernel alone, as is the share of its SM
// that it then needs: of the issue slots, or of the pipe that its kernel uses most. Where the kernels on an
// SM need more than there is, all their blocks take so much longer. What kernels take from each other besides
// that (caches, bandwidth) is not modelled. Times are in SM cycles.
//
// Blocks of a kernel that depends programmatically on another one stand at griddepcontrol.wait, and keep
// their room, until that one is complete (block_life.h). So do blocks that touch managed memory, at their
// first access, until its pages are there (managed_pages.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "kernels/occupancy/occupancy.h"
#include "kernels/sim/sm/profile.h"
#include "kernels/sim/streams/block_life.h"

namespace warpscope::sim {

struct QueuedKernel {
  uint32_t operation = 0;
  int32_t priority = 0;                 // lower numbers come first
  std::vector<uint64_t> block_cycles;   // how long each block runs
  std::vector<ResourceBudget> needs;    // resourceBudgets(): what a block takes of an SM
  uint32_t blocks_per_sm = 0;           // as many of its own blocks an SM can hold
  std::vector<GridControl> controls{};  // by block; empty: no block does anything of the kind
  std::optional<uint32_t> primary{};    // the operation whose completion its blocks wait for
  double demand = 0;                    // the share of an SM that a block needs, 0..1
  // Each block stands where its control waits until goOn() is called for it, and not for the primary.
  bool stands_by_block = false;
};

struct PlacedStay {
  uint32_t operation = 0, block = 0, sm = 0;
  uint64_t begin = 0, end = 0;
  uint64_t held_until = 0;                 // BlockLife::heldUntil()
  std::vector<BlockLife::Point> points{};  // BlockLife::points()
};

class BlockScheduler {
 public:
  explicit BlockScheduler(const DeviceProfile& profile);

  void add(QueuedKernel kernel);
  // Hands out blocks to the room that there is at this cycle.
  void place(uint64_t now);
  // When the next running block ends, or comes to its wait or from it; kNoBlock: none will before complete()
  // is called.
  static constexpr uint64_t kNoBlock = BlockLife::kNever;
  uint64_t nextChange();
  // Goes on to `now`, which is not later than nextChange(), and frees the room of the blocks that have ended;
  // returns the operations whose last block they were, and when it is done with, which may be later.
  struct Ended {
    uint32_t operation = 0;
    uint64_t cycle = 0;
  };
  std::vector<Ended> release(uint64_t now);
  // What waits for the operation's completion goes on at this cycle.
  void complete(uint32_t operation, uint64_t cycle);
  // The blocks of kernels with `stands_by_block` that have come to where they stand since the last call.
  struct Standing {
    uint32_t operation = 0, block = 0;
    uint64_t since = 0;
  };
  std::vector<Standing> takeStanding() { return std::exchange(standing_, {}); }
  // One of these goes on at this cycle, which is not before it has come there.
  void goOn(uint32_t operation, uint32_t block, uint64_t cycle);
  // When the last block of the operation's kernel triggered or will, or ends without; kNoBlock: that is not
  // known yet.
  uint64_t triggeredAt(uint32_t operation) const;

  // Of all blocks that were handed out, in that order; `end` and what follows it: once they have ended.
  const std::vector<PlacedStay>& stays() const { return stays_; }

 private:
  static constexpr size_t kResources = 5;  // warps, block slots, registers, shared memory, barriers
  struct Sm {
    uint64_t used[kResources] = {};
    uint64_t ready = 0;                  // a block in freed room does not begin before
    std::vector<uint32_t> of_operation;  // how many blocks of each kernel it holds
    std::vector<size_t> lives;           // those of its running blocks
    double pace = 1;                     // of these: the cycles that an own cycle takes
  };
  struct Kernel {
    QueuedKernel queued;
    uint32_t next = 0, running = 0;
    uint64_t triggered = 0;       // the latest of its blocks that have ended
    std::vector<size_t> lives{};  // by block that has begun
  };

  Sm* roomFor(const Kernel& kernel);
  bool fits(const Sm& sm, const Kernel& kernel, size_t index) const;
  void take(Sm& sm, const Kernel& kernel, size_t index, bool back);
  void begin(Kernel& kernel, size_t index, uint32_t sm, uint64_t cycle);
  void end(size_t life, std::vector<Ended>& ended);
  void share(uint32_t sm, uint64_t now);
  double neededOf(const Sm& sm);
  void note(size_t life);
  const Kernel* kernelOf(uint32_t operation) const;

  double done_interval_;  // between two blocks that are done with
  uint64_t block_launch_;
  std::vector<Sm> sms_;
  std::vector<Kernel> kernels_;  // all that were added
  std::vector<size_t> queue_;    // indices of those that still have blocks to hand out, first one first
  // A block's next change as it was when it was noted. It has been noted again if that has changed since.
  struct Change {
    uint64_t at = 0;
    uint32_t sm = 0;
    size_t life = 0;
    bool operator>(const Change& other) const { return at != other.at ? at > other.at : sm > other.sm; }
  };
  std::priority_queue<Change, std::vector<Change>, std::greater<>> changes_;
  struct Life {
    BlockLife life;
    size_t kernel = 0;
  };
  std::vector<Life> lives_;  // as stays_
  std::vector<PlacedStay> stays_;
  std::vector<Standing> standing_;
  std::vector<double> needed_;              // by kernel: room for neededOf()
  std::map<uint32_t, uint64_t> completed_;  // by operation: when what waits for it goes on
  double next_begin_ = 0, done_with_ = 0;
};

}  // namespace warpscope::sim
