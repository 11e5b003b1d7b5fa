// Which block of which kernel gets the next room on an SM, while several kernels run at once. Kernels form a
// queue: by priority, then in the order in which they became ready. The first one's blocks are handed out, in
// order, to the SMs that have room for them; no other kernel's block is before all of them have been (the
// "leftover" policy that Amert et al., GPU Scheduling on the NVIDIA TX2: Hidden Details Revealed, RTSS 2017,
// found on real GPUs). Blocks that run are never interrupted.
//
// How long a block runs is known from an execution of its kernel alone: what kernels take from each other
// besides room (issue slots, caches, bandwidth) is not modelled. Times are in SM cycles.
//
// Blocks of a kernel that depends programmatically on another one stand at griddepcontrol.wait, and keep
// their room, until that one is complete. All that such a block does once the last of its warps has come
// there is then later by the same time, so that its warps keep their distances.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <vector>

#include "kernels/occupancy/occupancy.h"
#include "kernels/sim/sm/profile.h"

namespace warpscope::sim {

// What a block does about the kernels before and behind its own, in cycles since its begin; kNever: it does
// not.
struct GridControl {
  static constexpr uint64_t kNever = ~uint64_t{0};
  uint64_t triggered = kNever;                       // griddepcontrol.launch_dependents
  uint64_t first_wait = kNever, last_wait = kNever;  // griddepcontrol.wait, by the first and the last warp
  bool waits() const { return first_wait != kNever; }
  // Whether its trigger does not depend on how long it waits.
  bool triggersFirst() const { return triggered <= first_wait && triggered != kNever; }
};

struct QueuedKernel {
  uint32_t operation = 0;
  int32_t priority = 0;                 // lower numbers come first
  std::vector<uint64_t> block_cycles;   // how long each block runs
  std::vector<ResourceBudget> needs;    // resourceBudgets(): what a block takes of an SM
  uint32_t blocks_per_sm = 0;           // as many of its own blocks an SM can hold
  std::vector<GridControl> controls{};  // by block; empty: no block does anything of the kind
  std::optional<uint32_t> primary{};    // the operation whose completion its blocks wait for
};

struct PlacedStay {
  uint32_t operation = 0, block = 0, sm = 0;
  uint64_t begin = 0, end = 0;
  // If its warps were held at griddepcontrol.wait: until when, and by how much that moved what followed.
  uint64_t held_until = 0, held_cycles = 0;
};

class BlockScheduler {
 public:
  explicit BlockScheduler(const DeviceProfile& profile);

  void add(QueuedKernel kernel);
  // Hands out blocks to the room that there is at this cycle.
  void place(uint64_t now);
  // When the next running block ends; kNoBlock: none runs.
  static constexpr uint64_t kNoBlock = ~uint64_t{0};
  uint64_t nextEnd() const;
  // Frees the room of the blocks that have ended by now; returns the operations whose last block they were,
  // and when it is done with, which may be later.
  struct Ended {
    uint32_t operation = 0;
    uint64_t cycle = 0;
  };
  std::vector<Ended> release(uint64_t now);
  // What waits for the operation's completion goes on at this cycle.
  void complete(uint32_t operation, uint64_t cycle);
  // When the last block of the operation's kernel triggered, or ended without; kNoBlock: that is not known
  // yet.
  uint64_t triggeredAt(uint32_t operation) const;

  // Of all blocks that were handed out, in that order.
  const std::vector<PlacedStay>& stays() const { return stays_; }

 private:
  static constexpr size_t kResources = 5;  // warps, block slots, registers, shared memory, barriers
  struct Sm {
    uint64_t used[kResources] = {};
    uint64_t ready = 0;                  // a block in freed room does not begin before
    std::vector<uint32_t> of_operation;  // how many blocks of each kernel it holds
  };
  struct Kernel {
    QueuedKernel queued;
    uint32_t next = 0, running = 0;
    uint64_t triggered = 0;    // the latest of those blocks of which it is known
    uint32_t to_trigger = 0;   // held blocks that trigger behind their wait
    std::vector<size_t> held;  // stays of blocks whose end depends on when the primary is complete
  };

  Sm* roomFor(const Kernel& kernel);
  bool fits(const Sm& sm, const Kernel& kernel, size_t index) const;
  void take(Sm& sm, const Kernel& kernel, size_t index, bool back);
  void begin(Kernel& kernel, size_t index, uint32_t sm, uint64_t cycle);
  void settle(Kernel& kernel, size_t index, PlacedStay& stay, std::optional<uint64_t> completed);

  double done_interval_;  // between two blocks that are done with
  uint64_t block_launch_;
  std::vector<Sm> sms_;
  std::vector<Kernel> kernels_;  // all that were added
  std::vector<size_t> queue_;    // indices of those that still have blocks to hand out, first one first
  struct Running {
    uint64_t end = 0;
    uint32_t sm = 0;
    size_t kernel = 0;
    bool operator>(const Running& other) const { return end != other.end ? end > other.end : sm > other.sm; }
  };
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
  std::vector<PlacedStay> stays_;
  std::map<uint32_t, uint64_t> completed_;  // by operation: when what waits for it goes on
  double next_begin_ = 0, done_with_ = 0;
};

}  // namespace warpscope::sim
