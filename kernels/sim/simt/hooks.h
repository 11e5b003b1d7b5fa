// What the interpreter tells whoever drives it: the functional grid (nothing), the SM model (accesses, time)
// or the checks (everything). A class of hooks is a template argument of the interpreter, so that what a
// driver does not want costs nothing; NoHooks shows every hook.
#pragma once

#include <cstdint>

#include "kernels/sim/simt/code.h"
#include "kernels/sim/simt/warp.h"

namespace warpscope::sim {

// One memory instruction as one path executes it. Addresses are resolved to `space` (never kGeneric): global
// ones are full addresses, shared and local ones offsets in the block's shared or the thread's local memory.
struct MemoryAccess {
  const Instruction* instruction = nullptr;
  uint32_t pc = 0;
  ptx::Space space = ptx::Space::kGlobal;  // kGlobal, kShared, kLocal
  uint32_t mask = 0;                       // lanes; empty when the guard let none through
  uint32_t bytes = 0;                      // per lane: all elements of a vector
  const uint64_t* addresses = nullptr;     // [32]; those outside the mask mean nothing
  bool reads = false, writes = false, atomic = false;
  // Of the path that executes it: a store's values, an atomic's operands. Set where kFilters is.
  const Registers* registers = nullptr;
};

// A barrier instruction as one path reaches it: bar.sync, bar.arrive, bar.red and their forms.
struct BarrierArrival {
  uint32_t pc = 0;
  uint32_t mask = 0;     // lanes of the path
  uint32_t barrier = 0;  // 0 .. 15
  uint32_t threads = 0;  // to wait for, as the instruction says; 0: all of the block
};

// An instruction that looks at other lanes (shfl, vote, match, activemask, redux, elect), executed by the
// lanes of `mask` together. Other instructions that only touch registers come here, too.
struct CrossLane {
  const Instruction& instruction;
  const Registers& registers;
  uint32_t pc = 0;
  uint32_t mask = 0;
};

struct NoHooks {
  // Whether access(), instruction() are wanted at all.
  static constexpr bool kAccesses = false;
  static constexpr bool kInstructions = false;
  // Whether filter(), barrierArrival(), fence() are wanted (the checks).
  static constexpr bool kFilters = false;
  // Whether crossLaneBegins(), crossLaneDone() are wanted.
  static constexpr bool kCrossLane = false;
  // Every memory instruction of global, shared and local memory (atomics, cp.async's two halves and mbarrier
  // operations included), immediately before it is executed and before alignment and bounds are judged.
  // Returns the lanes that may execute it: a load or atomic gives the others 0, a store drops them. For what
  // finishMemory() executes, it is called there.
  uint32_t filter(const Warp&, const MemoryAccess& access) { return access.mask; }
  // A path reaches a barrier, before it waits.
  void barrierArrival(const Warp&, const BarrierArrival&) {}
  // membar, fence: `pc`'s modifiers say which.
  void fence(const Warp&, uint32_t /*pc*/, uint32_t /*mask*/) {}
  void access(const Warp&, const MemoryAccess&) {}
  void instruction(const Warp&, uint32_t /*pc*/, uint32_t /*mask*/) {}
  // Before and after it is executed: the destination may be one of the sources.
  void crossLaneBegins(const Warp&, const CrossLane&) {}
  void crossLaneDone(const Warp&, const CrossLane&) {}
  // The bar.warp.sync or block barrier that these lanes took part in is complete. Not called for shfl.sync
  // and the like: they order no memory.
  void warpBarrier(const Warp&, uint32_t /*mask*/) {}
  void blockBarrier(uint32_t /*barrier*/) {}
  // Time as the warp sees it now.
  uint64_t clockCycles() { return 0; }
  uint64_t globaltimerNs() { return 0; }
};

}  // namespace warpscope::sim
