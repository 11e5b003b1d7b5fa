// Executes a block's warps, one segment at a time. It is functional: it knows neither time nor caches; its
// driver (functional_grid.h, sm/sm_core.h) decides which warp runs next and when. The bodies of its templates
// are in interpreter_impl.h, for the few files that instantiate them.
//
// Global atomics and strong (volatile, relaxed, acquire) global loads are not executed immediately: the path
// stops with kMemory, and the driver executes them with finishMemory() at a point where no block runs, in an
// order of its own that does not depend on host threads (vprintf also waits for that point). So results do
// not depend on the number of host threads, as long as the kernel has no data race. Plain stores are visible
// immediately.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/core/image.h"
#include "kernels/sim/simt/code.h"
#include "kernels/sim/simt/hooks.h"
#include "kernels/sim/simt/memory.h"
#include "kernels/sim/simt/shared_words.h"
#include "kernels/sim/simt/warp.h"

namespace warpscope::sim {

// A texture or surface object: its texels lie in global memory. Slots of objects that were freed have none.
struct BoundImage {
  ImageDescription description;
  uint64_t texels = 0;  // their address; 0: there is no such object any more
};
// Handles of objects count from here, which is no address.
inline constexpr uint64_t kImageHandles = 0x5'0000'0000;

// The data that all blocks of a launch share; constant while it runs, except for memory.
struct Launch {
  const Code* code = nullptr;
  GlobalMemory* memory = nullptr;
  std::vector<std::byte> parameters;  // the parameter block
  Dim3 grid, block;
  Dim3 cluster;                   // blocks of a cluster
  bool explicit_cluster = false;  // the launch or the kernel says that there are clusters
  uint32_t dynamic_shared_bytes = 0;
  uint32_t sm_count = 1, max_warps_per_sm = 64;
  uint64_t grid_id = 1;
  // Of a cooperative launch: two words of global memory, their size (8) and a 0 that blocks count on, where
  // NVIDIA's cooperative_groups.h finds the barrier of the grid. 0: the grid has none, and grid.sync() traps.
  uint64_t grid_workspace = 0;
  std::function<void(const std::string& text)> print;  // receives vprintf's output; called under a lock
  // cudaGraphSetConditional; as print. Returns why it is not possible; empty: done. Not set: it never is.
  std::function<std::string(uint64_t handle, uint32_t value)> set_condition{};
  SharedWords* shared_words = nullptr;              // if set, atomics report to it (runFunctional)
  const std::vector<BoundImage>* images = nullptr;  // by handle - kImageHandles
};

// Whether a grid of this shape can be simulated. Error kBadRequest, naming the dimension, or the number of
// blocks, and its limit.
Expected<void> validateGrid(const std::string& kernel, const Dim3& grid);
// Whether the grid can be launched in clusters of this size. Errors: kBadRequest.
Expected<void> validateCluster(const Launch& launch);
// Checks what blocks rely on: possible sizes, and all parameters present. Errors: kBadRequest.
Expected<void> validateLaunch(const Launch& launch);

// A launch's first error: illegal address, trap, misaligned access, deadlock. The message names the kernel,
// source line, PTX, block and thread.
struct Fault {
  std::string message;
};

enum class Stop : uint8_t {
  kSegment,  // a segment is done; the warp can continue
  kMemory,   // its path waits for finishMemory(); another path may be ready
  kBarrier,  // no path can continue before a barrier completes
  kSleep,    // nanosleep: see Warp::sleep_ns
  kExited,   // all lanes have exited
  kFault,
};

// The outcome of runSegment, for a driver that times it.
struct SegmentResult {
  Stop stop = Stop::kSegment;
  uint32_t segment = 0;   // index in Code::segments
  uint32_t executed = 0;  // how many of its instructions, from first_pc on
  uint32_t mask = 0;      // lanes that executed it
  uint32_t taken = 0;     // for a conditional branch at its end: the lanes that took it
  bool branched = false;  // it ended with a branch that was executed (guard evaluated)
  uint32_t next_pc = 0;   // where the warp's current path is now
  // The start of execution: the segment's first instruction, except for the rest of a brx or indirect call
  // whose lanes have more than two targets.
  uint32_t first_pc = 0;
};

struct ClusterState;

// One resident block.
class Block {
 public:
  Block(const Launch& launch, uint32_t linear_index, uint32_t smid, uint32_t first_hardware_slot);
  ~Block();
  Block(Block&&) noexcept;
  // Starts over with another block of the same launch, keeping its storage.
  void restart(uint32_t linear_index, uint32_t smid, uint32_t first_hardware_slot);

  const Launch& launch() const;
  uint32_t index() const;  // linear
  uint32_t warpCount() const;
  Warp& warp(uint32_t i);
  std::byte* shared();  // static and dynamic
  uint32_t sharedBytes() const;
  bool done() const;

  // Runs the current path of a warp (or, if that waits, the next ready one) to the end of its segment.
  template <class Hooks>
  SegmentResult runSegment(Warp& warp, Hooks& hooks);
  // Runs segment after segment for about `budget` instructions: until no path can continue, a path sleeps, or
  // the warp is seen to spin (it then returns kSegment).
  template <class Hooks>
  Stop runWarp(Warp& warp, Hooks& hooks, uint64_t budget);
  // Executes the instruction at which the warp's waiting path stopped; the path is then ready again. Must not
  // run concurrently with anything that accesses the same addresses.
  template <class Hooks>
  void finishMemory(Warp& warp, Hooks& hooks);

  // Every warp whose block barrier has completed since the last call and which can continue (index in block).
  std::vector<uint32_t>& released();
  const Fault* fault() const;
  // The positions at which unfinished warps wait, for the report of a deadlock: "warp 3, lanes 0-15: at
  // bar.sync 0, reduction.cu:41".
  std::string waiting() const;

  struct State;
  State& state() { return *state_; }

  // Makes blocks that have just been (re)started the blocks of one cluster, by rank. The cluster must outlive
  // their run.
  static void join(ClusterState& cluster, std::span<Block* const> blocks);
  // What the block shares with its cluster; until it joins one, it is alone.
  ClusterState& cluster();
  // Moves the bytes of a bulk copy that the block's driver has timed, and signals its mbarriers; the warps
  // that can go on are in ClusterState::woken. False: a fault was raised.
  bool finishBulk(uint64_t copy);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace warpscope::sim
