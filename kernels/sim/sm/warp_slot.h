// The state of a warp in one of an SM's slots: what it executes and issues, and what it waits for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <vector>

#include "kernels/run/warp_state.h"
#include "kernels/sim/simt/interpreter.h"
#include "kernels/sim/sm/access_recorder.h"
#include "kernels/sim/sm/launch_model.h"

namespace warpscope::sim {

struct SubPartition;

// The members that each issue needs come first, so that they are in few lines of the host's caches.
struct alignas(64) WarpSlot {
  enum class State : uint8_t {
    kEmpty,
    kNeedsGroup,  // its next operations are not known yet: execute first
    kIssuing,
    kWaitingForRegister,  // whose cycle L2 has not yet determined
    kAtBarrier,
    kWaitingForMemory,   // finishMemory
    kWaitingForStores,   // a fence for the block
    kWaitingForFlights,  // a fence for the GPU
    kAtGridDependency,
    kWaitingForCopies,  // cp.async.wait
    kWaitingForBulk,    // cp.async.bulk.wait_group
    kDraining,          // at its end, until its stores have left
  };
  static constexpr uint32_t kNoGroup = ~0U;
  static constexpr uint32_t kNoSegment = ~0U;
  static constexpr uint32_t kNoFetchLine = ~0U;  // of a warp that begins
  static constexpr size_t kSpacings = static_cast<size_t>(Spacing::kNone);

  // The copies that one cp.async.commit_group has grouped.
  struct CopyGroup {
    uint32_t pending = 0;
    uint64_t done = 0;
  };
  // Bulk copies to global memory that one commit_group has grouped; `read` is when shared memory may be
  // written again.
  struct BulkGroup {
    uint32_t pending = 0;
    uint64_t done = 0, read = 0;
  };

  explicit WarpSlot(std::pmr::memory_resource& storage)
      : scores(&storage),
        member_masks(&storage),
        reads(&storage),
        accesses(storage),
        turns(&storage),
        loaded(&storage),
        member_steps(&storage),
        copy_groups(&storage),
        bulk_groups(&storage) {}
  // The bytes in front of `accesses`.
  size_t bytesInFront() const {
    return static_cast<size_t>(reinterpret_cast<const std::byte*>(&accesses) -
                               reinterpret_cast<const std::byte*>(this));
  }

  State state = State::kEmpty;
  WarpState reason = WarpState::kNoInstruction;  // what it waits for until wait_until
  bool logged = false;
  bool valued = false;    // its values are recorded
  bool branched = false;  // it issued a branch last
  bool has_rare = false;  // accesses.rare, which is not in the host's caches, has something
  uint32_t local = 0;     // its number in its sub-partition
  uint32_t slot = 0;      // and in its SM
  SubPartition* home = nullptr;
  uint64_t block_order = 0;           // see SubPartition::order
  std::pmr::vector<uint64_t> scores;  // by register: cycle << kScoreBits | ScoreClass
  uint64_t reading_until = 0;         // the latest of `reads`
  uint64_t wait_until = 0;
  uint64_t accounted = 0;  // its states before this cycle have been counted
  uint64_t issued = 0;     // cycle of its last issue
  // The operations that it issues.
  uint32_t op = 0, op_end = 0;  // into LaunchModel::ops
  uint32_t pieces = 0;          // pieces of `op` that are still to be issued
  uint32_t fetch_line = kNoFetchLine;
  uint32_t member_first = 0, member_last = 0;
  std::pmr::vector<uint32_t> member_masks;  // lanes that executed each member of the group
  std::pmr::vector<uint64_t> reads;         // like scores, of accesses that still have to read the register
  // When it may issue another access to memory, instruction for the special function unit, LDC.
  std::array<uint64_t, kSpacings> next_of{};
  uint32_t segment = kNoSegment;  // with which its group begins
  uint32_t trips = 1;             // that it made of those that the group holds
  uint32_t call_depth = 0;        // of the path that executed the group
  // The end of its group.
  Stop stop = Stop::kSegment;
  bool at_barrier_instruction = false, at_cluster_wait = false, jumps = false, indirect = false;
  uint32_t path_cycles = 0;  // what its group's branches take for going from one path to another
  uint32_t stop_pc = 0;
  // The requests of the access that it stops at and whose result it needs, in the batch of the epoch that
  // ended then.
  uint32_t stop_requests = 0, stop_requests_end = 0;
  uint64_t stop_epoch = 0;
  uint32_t barrier_group = kNoGroup;
  uint32_t block = 0;  // index into blocks_
  Block* executing = nullptr;
  Warp* warp = nullptr;
  uint32_t stores_pending = 0;
  uint64_t stores_done = 0, copies_done = 0;
  // When its last store is on its way to L2; how many operations of reductions the SM has sent with its
  // last one.
  uint64_t stores_left = 0, reductions = 0;

  // Of the rest, only the beginning is prefetched, for warps that are awake (SmCore::prefetchWarps).
  AccessLog accesses;
  uint64_t loop_done = 0;           // when its latest loop of compare-and-swap in shared memory is over
  uint64_t special_begun = 0;       // how long its operation waits for the special function unit
  std::pmr::vector<uint8_t> turns;  // by MachineOp::turn: how often it came to it
  // By MachineCode::loops: how often it has issued the load since it entered the loop.
  std::pmr::vector<uint8_t> loaded;
  // If the warp's values are recorded: the step of the first instruction of each member, less its index in
  // the code.
  std::pmr::vector<std::optional<int64_t>> member_steps;
  // kWaitingForFlights: the flights that began before it and are not back; when all that are back were.
  uint32_t fence_awaits = 0;
  uint64_t fence_begin = 0, fence_ready = 0;
  // Groups that nothing has waited for yet, oldest first; the last one is still being formed. Earlier
  // groups are numbered 0 .. copy_groups_gone - 1.
  std::pmr::vector<CopyGroup> copy_groups;
  uint32_t copy_groups_gone = 0, copy_groups_awaited = 0;
  std::pmr::vector<BulkGroup> bulk_groups;  // all since it began; the last one is being formed
  uint32_t bulk_awaited = 0;                // of these, the first ones
  uint64_t remote_done = 0;                 // when what it has written in other blocks is there
  uint64_t woken_at = 0;                    // it may go on then, though it has not come to its wait; 0: not
  // The cluster's barrier is complete, and its wait passes, but not before that cycle. Pending: the last
  // arrival, which determines the cycle, has been executed, but not issued yet.
  uint64_t released_at = 0;
  bool release_pending = false;
  uint32_t generation = 0;
  uint32_t warp_in_block = 0;
  uint64_t begun = 0;
  // For a logged warp: the state that kept it longest since its last operation.
  WarpState waited_for = WarpState::kSelected;
  uint64_t longest_wait = 0;
};

}  // namespace warpscope::sim
