// The state of one warp in execution: its lanes' paths and where they join, its registers and local memory.
// It owns its local memory; the rest is in its block's storage. It knows how paths split, meet and
// end, not what instructions do: interpreter.h moves it.
//
// Divergence: a warp is a set of paths, which are disjoint sets of lanes at one instruction each. A branch
// whose lanes disagree splits its path in two, which join again at the branch's immediate post-dominator
// (Join); lanes that stay in a loop, or the function, while others leave it meet before that. One path runs
// at a time; the others are ready, or wait (for lanes, at a barrier, for memory). Lanes that exit leave every
// join. No guarantee depends on joins: where all other paths wait or spin, lanes that have arrived at a join
// continue without the rest, so that each lane makes progress, as NVIDIA guarantees since Volta (independent
// thread scheduling).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/ids.h"
#include "kernels/sim/simt/bulk_copy.h"
#include "kernels/sim/simt/code.h"
#include "kernels/sim/simt/memory.h"
#include "kernels/sim/simt/registers.h"

namespace warpscope::sim {

inline constexpr uint32_t kNoJoin = 0xFFFFFFFFU;
inline constexpr uint32_t kNoFrame = 0xFFFFFFFFU;

// A point where diverged paths reconverge.
struct Join {
  uint32_t pc = kNowhere;
  uint32_t frame = 0;     // into Warp::frames: the call it belongs to
  uint32_t expected = 0;  // lanes that have neither exited nor left the join for good
  uint32_t arrived = 0;
  uint32_t parent = kNoJoin;  // into Warp::joins
  bool returns = false;       // at the return of `frame`; pc is where its caller continues
  bool used = true;           // false: free for reuse
  bool may_miss = false;      // its lanes may come to a join around it without coming to this one
};

// One call in progress; lanes of several paths may be in it. Its registers are found by the function and by
// the number of calls of that function below it, so that two paths in different functions never share a row.
struct Frame {
  uint32_t function = 0;        // into Code::functions
  uint32_t instance = 0;        // calls of the same function below it
  uint32_t depth = 0;           // calls below it
  uint32_t parent = kNoFrame;   // into Warp::frames
  uint32_t call_pc = kNowhere;  // the call that made it
  uint32_t local_base = 0;      // in the thread's local memory
  uint32_t* rows = nullptr;
  uint32_t* predicates = nullptr;
};

struct Path {
  enum class State : uint8_t {
    kReady,
    kWaitingForLanes,   // at a .sync instruction, until the lanes in `awaited` are there
    kWaitingAtBarrier,  // at barrier `barrier`
    kWaitingAtCluster,  // at the cluster's barrier
    kWaitingForPhase,   // of the mbarrier at `mbarrier`
    kWaitingForMemory,  // a global atomic, strong load or print, done at the round's end
  } state = State::kReady;
  bool sync_done = false;  // the .sync instruction at pc has been executed together with other paths
  uint32_t pc = 0;
  uint32_t mask = 0;
  uint32_t join = kNoJoin;
  uint32_t frame = 0;
  uint32_t awaited = 0;
  uint32_t barrier = 0;
  uint32_t mbarrier = 0;    // its offset in the block's shared memory
  bool asks_again = false;  // it executes its instruction again when the phase is complete
  // The results of its last strong loads and atomics: a path that repeatedly gets the same ones waits for
  // another thread.
  struct Answer {
    uint64_t value = 0;
    uint32_t pc = kNowhere, mask = 0;
  };
  std::array<Answer, 4> answers{};
  uint32_t spins = 0;  // consecutive answers equal to earlier ones
};

// One cp.async of some lanes that has not been executed yet.
struct PendingCopy {
  uint32_t pc = 0;
  uint32_t mask = 0;
  uint32_t bytes = 0;
  std::array<uint64_t, 32> from{};  // global
  std::array<uint64_t, 32> to{};    // shared offsets
  std::array<uint32_t, 32> source_bytes{}, group{};
};

struct Warp {
  // The bytes of its block's storage that a warp needs if it neither diverges nor calls functions.
  static size_t storageBytes(const Code& code);
  // `storage` must outlive it.
  explicit Warp(std::pmr::memory_resource& storage)
      : paths(&storage),
        joins(&storage),
        frames(&storage),
        free_joins(&storage),
        free_frames(&storage),
        rows(&storage),
        copies(&storage),
        bulk_stores(&storage) {}

  uint32_t index_in_block = 0;
  uint32_t live = 0;  // lanes that exist
  uint32_t exited = 0;
  uint32_t current = 0;          // index of the path that runs
  std::pmr::vector<Path> paths;  // the newest are last, and run first
  std::pmr::vector<Join> joins;
  std::pmr::vector<Frame> frames;
  std::pmr::vector<uint32_t> free_joins, free_frames;
  uint64_t instructions = 0;         // warp-instructions executed, for all blocks that ran here
  uint64_t thread_instructions = 0;  // the same times the lanes of the path, including predicated-off ones
  uint64_t turn_begin = 0;           // `instructions` when the current path's turn began
  uint32_t spins = 0;                // how often a path was seen to wait for another by polling
  uint32_t sleep_ns = 0;             // from the last nanosleep
  uint32_t smid = 0, hardware_slot = 0;
  std::array<std::array<uint32_t, 32>, 3> thread_index{};  // %tid
  std::pmr::vector<std::pmr::vector<uint32_t*>> rows;      // [function][instance]: rows, then predicates
  std::unique_ptr<std::byte[], void (*)(void*)> local{nullptr, std::free};  // [lane][stack bytes]
  uint32_t stack_bytes = 0;
  std::pmr::vector<PendingCopy> copies;
  std::array<uint32_t, 32> copy_groups{};  // committed, by lane
  std::pmr::vector<BulkCopy> bulk_stores;  // to global memory, that have not been executed
  std::array<uint32_t, 32> bulk_groups{};  // of these, committed, by lane
  // Lanes that have arrived at the cluster's barrier since it was last complete, and those that have not
  // waited for it since they arrived.
  uint32_t cluster_arrived = 0, cluster_open = 0;

  bool done() const { return exited == live; }

  // To be called once, before the first start().
  void prepare(const Code& code, uint32_t index, Dim3 block);
  // Puts all lanes at the kernel's first instruction.
  void start(uint32_t smid_now, uint32_t slot_now);

  // Lanes `taken` of a path go to `target`, its others (there must be some) to `next`.
  // They meet at `reconverge`, or, as far as they come there, at the `meetings` before it.
  void diverge(uint32_t path, uint32_t taken, uint32_t target, uint32_t next, uint32_t reconverge,
               std::span<const uint32_t> meetings = {});
  // Makes lanes of a path a path of their own, before it in the order; returns its index.
  uint32_t split(uint32_t path, uint32_t lanes);
  bool standsAtJoin(const Path& path) const { return joinAt(path) != kNoJoin; }
  // Ends the path if it is where it meets others; the last one to arrive continues for all.
  void arrive(uint32_t path);
  void exitLanes(uint32_t path, uint32_t lanes);
  // Lanes return from the path's frame (not the kernel's).
  void returnLanes(uint32_t path, uint32_t lanes);
  // The whole path calls a function. Returns false if too many calls are in progress.
  bool call(const Code& code, uint32_t path, uint32_t function, uint32_t call_pc);
  // Merges paths that are at the same place and do not differ in anything else.
  void mergeEqual();
  // Gives another ready path its turn.
  void rotate();
  // Lets lanes that wait at some join continue without those they wait for. Returns false if none wait.
  bool breakJoin();

  Registers registers(const Code& code, const Path& path) const {
    const Frame& frame = frames[path.frame];
    return {frame.rows, code.constants.data(), frame.predicates};
  }
  std::byte* localOf(uint32_t lane) const { return local.get() + size_t{lane} * stack_bytes; }

 private:
  static bool isAt(const Join& join, uint32_t pc, uint32_t frame) {
    return join.pc == pc && join.frame == frame && !join.returns;
  }
  // The join that the path has come to: its innermost, or one around those that it has missed.
  uint32_t joinAt(const Path& path) const {
    for (uint32_t at = path.join; at != kNoJoin; at = joins[at].parent) {
      if (isAt(joins[at], path.pc, path.frame)) return at;
      if (!joins[at].may_miss) break;
    }
    return kNoJoin;
  }
  void meetAt(Path& path, uint32_t reconverge, std::span<const uint32_t> meetings);
  uint32_t addJoin(const Join& join);
  void removePath(uint32_t path);
  void leaveJoins(uint32_t from, uint32_t until, uint32_t lanes);
  void releaseArrived(uint32_t join);
  void freeJoin(uint32_t join);
  bool placeFrame(const Code& code, Frame& frame);  // false: the host has no memory for it
};

}  // namespace warpscope::sim
