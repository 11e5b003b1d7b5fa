// The events that the interpreter reports to its driver: the functional grid (nothing), the SM model
// (accesses, time) or the checks (everything). A class of hooks is a template argument of the interpreter, so
// that hooks which a driver does not need cost nothing; NoHooks shows every hook.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/sim/simt/code.h"
#include "kernels/sim/simt/warp.h"

namespace warpscope::sim {

struct ImageAccess;

// One memory instruction as one path executes it. Addresses are resolved to `space` (never kGeneric): global
// ones are full addresses; shared and local ones are offsets in the block's shared or the thread's local
// memory.
struct MemoryAccess {
  const Instruction* instruction = nullptr;
  uint32_t pc = 0;
  ptx::Space space = ptx::Space::kGlobal;  // kGlobal, kShared, kLocal
  uint32_t mask = 0;                       // lanes; empty if the guard let none through
  uint32_t bytes = 0;                      // per lane: all elements of a vector
  const uint64_t* addresses = nullptr;     // [32]; meaningless outside the mask
  // Of shared memory: the block of the cluster whose it is, if that is not the one that executes.
  std::optional<uint32_t> other_rank;
  bool reads = false, writes = false, atomic = false;
  // Registers of the executing path: a store's values, an atomic's operands. Set if kFilters.
  const Registers* registers = nullptr;
};

// A barrier instruction as one path reaches it: bar.sync, bar.arrive, bar.red and their forms.
struct BarrierArrival {
  uint32_t pc = 0;
  uint32_t mask = 0;     // lanes of the path
  uint32_t barrier = 0;  // 0 .. 15
  uint32_t threads = 0;  // threads to wait for, as the instruction says; 0: all of the block
};

// An instruction that exchanges values between lanes (shfl, vote, match, activemask, redux, elect), executed
// by the lanes of `mask` together. Other instructions that touch only registers are reported here, too.
struct CrossLane {
  const Instruction& instruction;
  const Registers& registers;
  uint32_t pc = 0;
  uint32_t mask = 0;
};

struct NoHooks {
  // Whether access() and instruction() are wanted.
  static constexpr bool kAccesses = false;
  static constexpr bool kInstructions = false;
  // Whether filter(), barrierArrival(), fence(), gridWait() are wanted (the checks).
  static constexpr bool kFilters = false;
  // Whether crossLaneBegins(), crossLaneDone() are wanted.
  static constexpr bool kCrossLane = false;
  // Whether executed() is wanted.
  static constexpr bool kValues = false;
  // Called for every instruction on global, shared and local memory (including atomics, both halves of
  // cp.async and mbarrier operations), immediately before it is executed and before alignment and bounds are
  // checked. Returns the lanes that may execute it: a load or atomic gives the others 0, a store drops them.
  // For instructions that finishMemory() executes, it is called there.
  uint32_t filter(const Warp&, const MemoryAccess& access) { return access.mask; }
  // A path reaches a barrier; called before it waits.
  void barrierArrival(const Warp&, const BarrierArrival&) {}
  // membar, fence: the modifiers at `pc` say which.
  void fence(const Warp&, uint32_t /*pc*/, uint32_t /*mask*/) {}
  // griddepcontrol.wait
  void gridWait(const Warp&, uint32_t /*mask*/) {}
  void access(const Warp&, const MemoryAccess&) {}
  // Whether imageAccess() is wanted: called once for a texture or surface instruction, before access() is
  // called for each texel of the lanes' footprints. The MemoryAccess has neither bytes nor addresses.
  static constexpr bool kImages = false;
  void imageAccess(const Warp&, const MemoryAccess&, const ImageAccess&) {}
  void instruction(const Warp&, uint32_t /*pc*/, uint32_t /*mask*/) {}
  // Called before and after execution, since the destination may be one of the sources.
  void crossLaneBegins(const Warp&, const CrossLane&) {}
  void crossLaneDone(const Warp&, const CrossLane&) {}
  // Whether doneTogether() is called after each instruction for which lanes have come together (shfl.sync,
  // match.sync ...).
  static constexpr bool kTogether = false;
  void doneTogether(const Warp&, const CrossLane&) {}
  // Whether rounded() is called after each division and root that is rounded correctly.
  static constexpr bool kRareCases = false;
  void rounded(const Instruction&, const Registers&, uint32_t /*pc*/, uint32_t /*mask*/) {}
  // The instruction has taken effect in these lanes of `frame`, which are those that its guard lets through;
  // `done` is false for one that finishMemory() will execute, for which it is called again then.
  void executed(const Warp&, const Frame&, uint32_t /*pc*/, uint32_t /*mask*/, bool /*done*/) {}
  // These lanes' part of a cp.async has been written to shared memory.
  void copied(const Warp&, const PendingCopy&, uint32_t /*mask*/) {}
  // The bar.warp.sync or block barrier in which these lanes took part is complete. Not called for shfl.sync
  // and the like, which do not order memory.
  void warpBarrier(const Warp&, uint32_t /*mask*/) {}
  void blockBarrier(uint32_t /*barrier*/) {}
  // The cluster's barrier is complete; `orders`: some thread released before it.
  void clusterBarrier(bool /*orders*/) {}
  // Whether an atomic on global memory, which nothing waits for and whose order does not matter, is executed
  // immediately, though other threads of the host may be executing such ones, too.
  static constexpr bool kReduces = false;
  bool reducesNow(uint32_t /*pc*/) const { return false; }
  // Whether the driver decides when the bytes of bulk copies arrive. Otherwise they arrive when a thread asks
  // the mbarrier that they signal.
  static constexpr bool kTimesBulk = false;
  // A lane has started a bulk copy, or its bytes have been moved. Called before they are checked for bounds.
  void bulkStarted(const Warp&, const BulkCopy&) {}
  // An asynchronous store of the lane has been added to what an mbarrier of that block has received.
  void received(const Warp&, uint32_t /*lane*/, uint32_t /*rank*/, uint64_t /*mbarrier*/) {}
  // Whether they may be moved.
  bool bulkMoves(const BulkCopy&) { return true; }
  // The time as the warp sees it now.
  uint64_t clockCycles() { return 0; }
  uint64_t globaltimerNs() { return 0; }
};

}  // namespace warpscope::sim
