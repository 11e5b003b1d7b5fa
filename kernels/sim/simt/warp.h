// The state of one warp in execution: its lanes' paths and where they join, its registers and local memory.
// It knows how paths split, meet and end, not what instructions do: interpreter.h moves it.
//
// Divergence: a warp is a set of paths, disjoint sets of lanes at one instruction each. A branch whose lanes
// disagree splits its path in two that join again at the branch's immediate post-dominator (Join). One path
// runs at a time; the others are ready, or wait (for lanes, for a barrier, for memory). Lanes that exit leave
// every join. Nothing relies on joins: where all others wait or spin, lanes that have arrived at a join go on
// without the rest, so that each lane makes progress, as NVIDIA promises since Volta.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "kernels/core/ids.h"
#include "kernels/sim/simt/code.h"
#include "kernels/sim/simt/memory.h"
#include "kernels/sim/simt/registers.h"

namespace warpscope::sim {

inline constexpr uint32_t kNoJoin = 0xFFFFFFFFU;
inline constexpr uint32_t kNoFrame = 0xFFFFFFFFU;

// Where diverged paths meet again.
struct Join {
  uint32_t pc = kNowhere;
  uint32_t frame = 0;     // into Warp::frames: the call it belongs to
  uint32_t expected = 0;  // lanes that have neither exited nor left it for good
  uint32_t arrived = 0;
  uint32_t parent = kNoJoin;  // into Warp::joins
  bool returns = false;       // at the return of `frame`; pc is where its caller goes on
  bool used = true;           // false: free for another
};

// One call in progress; lanes of several paths may be in it. Its registers are found by function and by how
// many calls of that function stand below it, so that two paths in different functions never share a row.
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
    kWaitingForLanes,   // at a .sync instruction: for `awaited` to be there
    kWaitingAtBarrier,  // at barrier `barrier`
    kWaitingForMemory,  // a global atomic, strong load or print, done at the round's end
  } state = State::kReady;
  bool sync_done = false;  // the .sync instruction at pc has been executed together with other paths
  uint32_t pc = 0;
  uint32_t mask = 0;
  uint32_t join = kNoJoin;
  uint32_t frame = 0;
  uint32_t awaited = 0;
  uint32_t barrier = 0;
  // What its last strong loads and atomics gave: a path that gets the same again and again waits for
  // somebody.
  struct Answer {
    uint64_t value = 0;
    uint32_t pc = kNowhere, mask = 0;
  };
  std::array<Answer, 4> answers{};
  uint32_t spins = 0;  // answers like those before, one after the other
};

// One cp.async of some lanes, not yet done.
struct PendingCopy {
  uint32_t pc = 0;
  uint32_t mask = 0;
  uint32_t bytes = 0;
  std::array<uint64_t, 32> from{};  // global
  std::array<uint64_t, 32> to{};    // shared offsets
  std::array<uint32_t, 32> source_bytes{}, group{};
};

// Rows, zero at first.
struct FreeStorage {
  void operator()(uint32_t* storage) const { std::free(storage); }
};
using RowStorage = std::unique_ptr<uint32_t[], FreeStorage>;

struct Warp {
  uint32_t index_in_block = 0;
  uint32_t live = 0;  // lanes that exist
  uint32_t exited = 0;
  uint32_t current = 0;     // index of the path that runs
  std::vector<Path> paths;  // those made last stand last and go first
  std::vector<Join> joins;
  std::vector<Frame> frames;
  std::vector<uint32_t> free_joins, free_frames;
  uint64_t instructions = 0;         // warp-instructions executed, of all blocks that were run here
  uint64_t thread_instructions = 0;  // the same times the lanes of the path, predicated-off ones included
  uint64_t turn_begin = 0;           // `instructions` when the present path's turn began
  uint32_t spins = 0;     // how often a path was seen to wait for somebody by asking again and again
  uint32_t sleep_ns = 0;  // of the last nanosleep
  uint32_t smid = 0, hardware_slot = 0;
  std::array<std::array<uint32_t, 32>, 3> thread_index{};  // %tid
  std::vector<std::vector<RowStorage>> storage;            // [function][instance]: rows, then predicates
  std::unique_ptr<std::byte[], void (*)(void*)> local{nullptr, std::free};  // [lane][stack bytes]
  uint32_t stack_bytes = 0;
  std::vector<PendingCopy> copies;
  std::array<uint32_t, 32> copy_groups{};  // committed, by lane

  bool done() const { return exited == live; }

  // Before the first start().
  void prepare(const Code& code, uint32_t index, Dim3 block);
  // All lanes stand at the kernel's first instruction.
  void start(uint32_t smid_now, uint32_t slot_now);

  // Lanes `taken` of a path go to `target`, its others (there are some) to `next`.
  void diverge(uint32_t path, uint32_t taken, uint32_t target, uint32_t next, uint32_t reconverge);
  // Makes lanes of a path one of their own, before it in the order; returns its index.
  uint32_t split(uint32_t path, uint32_t lanes);
  bool standsAtJoin(const Path& path) const {
    if (path.join == kNoJoin) return false;
    const Join& join = joins[path.join];
    return join.pc == path.pc && join.frame == path.frame && !join.returns;
  }
  // Ends the path if it stands where it meets others; the last one to come goes on for all.
  void arrive(uint32_t path);
  void exitLanes(uint32_t path, uint32_t lanes);
  // Lanes return from the path's frame (not the kernel's).
  void returnLanes(uint32_t path, uint32_t lanes);
  // The whole path calls. False: too many calls stand.
  bool call(const Code& code, uint32_t path, uint32_t function, uint32_t call_pc);
  // Paths at the same place, which nothing else tells apart, become one.
  void mergeEqual();
  // Another path that is ready gets its turn.
  void rotate();
  // Lanes that wait at some join go on without those that they wait for. False: none do.
  bool breakJoin();

  Registers registers(const Code& code, const Path& path) const {
    const Frame& frame = frames[path.frame];
    return {frame.rows, code.constants.data(), frame.predicates};
  }
  std::byte* localOf(uint32_t lane) const { return local.get() + size_t{lane} * stack_bytes; }

 private:
  uint32_t addJoin(const Join& join);
  void removePath(uint32_t path);
  void leaveJoins(uint32_t from, uint32_t until, uint32_t lanes);
  void releaseArrived(uint32_t join);
  void freeJoin(uint32_t join);
  bool placeFrame(const Code& code, Frame& frame);
};

}  // namespace warpscope::sim
