// The state of one block in execution: its warps' registers, paths and barriers, its shared memory. Only
// state; interpreter.h changes it.
//
// Divergence: a warp is a set of paths, disjoint sets of lanes at one instruction each. A branch whose lanes
// disagree splits its path in two that join again at the branch's immediate post-dominator (Join). One path
// runs at a time; the others are ready, or wait (for lanes, for a barrier, for memory).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/core/ids.h"
#include "kernels/device/sim/simt/code.h"
#include "kernels/device/sim/simt/memory.h"

namespace warpscope::sim {

inline constexpr uint32_t kNoJoin = 0xFFFFFFFFU;

// Where diverged paths meet again.
struct Join {
  uint32_t pc = kNowhere;  // kNowhere: the return of the frame at `depth`
  uint32_t depth = 0;      // of calls
  uint32_t expected = 0;   // lanes that have neither exited nor left it for good
  uint32_t arrived = 0;
  uint32_t parent = kNoJoin;  // into Warp::joins
};

struct Frame {
  uint32_t function = 0;  // into Code::functions
  uint32_t return_pc = kNowhere;
  uint32_t row_base = 0, predicate_base = 0;
  uint32_t local_base = 0;
};

struct Path {
  enum class State : uint8_t {
    kReady,
    kWaitingForLanes,   // at a .sync instruction: for `awaited` to be together
    kWaitingAtBarrier,  // at barrier `barrier`
    kWaitingForMemory,  // a global atomic or strong load, done at the round's end
  } state = State::kReady;
  uint32_t pc = 0;
  uint32_t mask = 0;
  uint32_t join = kNoJoin;
  uint32_t awaited = 0;
  uint32_t barrier = 0;
  std::vector<Frame> frames;  // callers, the present one last; the kernel's own always there
};

struct Warp {
  uint32_t index_in_block = 0;
  uint32_t live = 0;  // lanes that exist
  uint32_t exited = 0;
  std::vector<Path> paths;  // [current] runs
  uint32_t current = 0;
  std::vector<Join> joins;
  std::vector<uint32_t> rows;  // registers of all frames (see Registers), 128-byte aligned by RowStorage
  uint32_t* row_data = nullptr;
  std::vector<uint32_t> predicates;
  std::vector<std::byte> local;  // [lane][local bytes per thread]
  uint64_t instructions = 0;     // warp-instructions executed
  uint32_t smid = 0, hardware_slot = 0;

  bool done() const { return exited == live; }
};

}  // namespace warpscope::sim
