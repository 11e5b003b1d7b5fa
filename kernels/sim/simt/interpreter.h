// Executes a block's warps, a segment at a time. The bodies of its templates are in interpreter_impl.h, for
// the few files that instantiate them. Functional: it knows no time and no caches; whoever drives
// it (functional_grid.h, sm/sm.h) decides which warp goes next and when.
//
// Global atomics and strong (volatile, relaxed, acquire) global loads are not executed on the spot: the path
// stops with kMemory, and the driver executes them with finishMemory() at a point where no block runs, in an
// order of its own that does not depend on host threads (vprintf waits for that point too). So results are
// the same whatever the number of host threads, as long as the kernel has no data race. Plain stores are
// visible at once.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/sim/simt/code.h"
#include "kernels/sim/simt/hooks.h"
#include "kernels/sim/simt/memory.h"
#include "kernels/sim/simt/warp.h"

namespace warpscope::sim {

// What all blocks of a launch share; const while it runs, but for memory.
struct Launch {
  const Code* code = nullptr;
  GlobalMemory* memory = nullptr;
  std::vector<std::byte> parameters;  // the parameter block
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  uint32_t sm_count = 1, max_warps_per_sm = 64;
  uint64_t grid_id = 1;
  std::function<void(const std::string& text)> print;  // vprintf; called under a lock
};

// What blocks rely on: sizes that are possible, all parameters there.
Expected<void> validateLaunch(const Launch& launch);

// A launch's first error: illegal address, trap, misaligned access, deadlock. Names kernel, source line, PTX,
// block and thread.
struct Fault {
  std::string message;
};

enum class Stop : uint8_t {
  kSegment,  // a segment is done; the warp can go on
  kMemory,   // its path waits for finishMemory(); another path may be ready
  kBarrier,  // no path can go on before a barrier completes
  kSleep,    // nanosleep: sleep_ns of the block's context
  kExited,   // all lanes have left
  kFault,
};

// What runSegment did, for a driver that times it.
struct SegmentResult {
  Stop stop = Stop::kSegment;
  uint32_t segment = 0;   // index in Code::segments
  uint32_t executed = 0;  // instructions of it, from its first (see first_pc)
  uint32_t mask = 0;      // lanes that executed it
  uint32_t taken = 0;     // of a conditional branch at its end: lanes that took it
  bool branched = false;  // it ended with a branch that was executed (guard evaluated)
  uint32_t next_pc = 0;   // where the warp's present path stands now
  // Where it began: the segment's first, but for the rest of a brx or indirect call whose lanes go to more
  // than two places.
  uint32_t first_pc = 0;
};

// One resident block.
class Block {
 public:
  Block(const Launch& launch, uint32_t linear_index, uint32_t smid, uint32_t first_hardware_slot);
  ~Block();
  Block(Block&&) noexcept;
  // Takes up another block of the same launch, keeping its storage.
  void restart(uint32_t linear_index, uint32_t smid, uint32_t first_hardware_slot);

  const Launch& launch() const;
  uint32_t index() const;  // linear
  uint32_t warpCount() const;
  Warp& warp(uint32_t i);
  std::byte* shared();  // static and dynamic
  uint32_t sharedBytes() const;
  bool done() const;

  // Runs the current path of a warp (or, if it waits, the next ready one) to the end of its segment.
  template <class Hooks>
  SegmentResult runSegment(Warp& warp, Hooks& hooks);
  // The same segment after segment, about `budget` instructions: until no path can go on, a path sleeps, or
  // the warp is seen to spin (then kSegment).
  template <class Hooks>
  Stop runWarp(Warp& warp, Hooks& hooks, uint64_t budget);
  // Executes what the warp's waiting path stopped at; the path is ready again. Not concurrently with anything
  // that touches the same addresses.
  template <class Hooks>
  void finishMemory(Warp& warp, Hooks& hooks);

  // Every warp whose barrier is complete since the last call can go on (index in block).
  std::vector<uint32_t>& released();
  const Fault* fault() const;
  // Where each warp that is not done waits: "warp 3, lanes 0-15: at bar.sync 0, reduction.cu:41". For the
  // report of a deadlock.
  std::string waiting() const;

  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace warpscope::sim
