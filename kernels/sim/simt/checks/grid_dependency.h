// Finds what a programmatic dependent launch does too early. It may begin while the launch before it, its
// primary, still runs, whatever triggered it: only griddepcontrol.wait makes sure that the primary is
// complete and its writes can be read ("griddepcontrol", PTX ISA 8.0). So an access to memory that the
// primary has accessed, one of the two being a write, is a hazard unless the thread, or one that it has met
// at a barrier since, has waited. Barriers of some of a block's threads are taken for barriers of all.
//
// Not found: what other launches further before have left, and threads that learn by atomics that another one
// has waited are reported, though they are right.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/sim/simt/checks/shadow_memory.h"
#include "kernels/sim/simt/interpreter.h"

namespace warpscope::sim {

// What a checked launch has accessed, for the launch that depends on it.
struct PrimaryLaunch {
  Launch launch;
  ShadowMemory accesses;
};

// Which threads of a block know that the primary is complete.
class GridWaits {
 public:
  void begin(uint32_t threads) { waited_.assign((threads + 31) / 32, 0); }
  void wait(uint32_t warp, uint32_t mask) { waited_[warp] |= mask; }
  // These lanes meet.
  void warpBarrier(uint32_t warp, uint32_t mask) {
    if ((waited_[warp] & mask) != 0) waited_[warp] |= mask;
  }
  // All threads meet.
  void blockBarrier();
  // Those of the lanes that do not know.
  uint32_t early(uint32_t warp, uint32_t mask) const { return mask & ~waited_[warp]; }

 private:
  std::vector<uint32_t> waited_;  // lanes, by warp
};

}  // namespace warpscope::sim
