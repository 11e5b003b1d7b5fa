// Keeps what a warp's execution of a group of segments does to memory until its operations are issued: lines
// and sectors, or wavefronts, one record for each memory instruction. The hooks of a timed launch.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/sim/simt/hooks.h"
#include "kernels/sim/sm/coalescer.h"

namespace warpscope::sim {

struct WarpAccess {
  enum class Kind : uint8_t {
    kNone,
    kShared,
    kGlobal,  // global and, by the addresses that interleaving gives, local memory
    kConstant,
  };
  uint32_t pc = 0;
  uint32_t first_line = 0;
  uint16_t line_count = 0;
  uint16_t wavefronts = 0;  // shared memory, also of a cp.async's second half
  uint8_t minimum = 0;      // of wavefronts, without conflicts
  uint8_t same_word = 0;
  uint8_t serial = 1;  // of a global atomic: operations on one address that L2 cannot combine
  Kind kind = Kind::kNone;
  bool reads = false, writes = false, atomic = false;
  bool is_local = false;
  bool asynchronous = false;
  bool bypasses_l1 = false;
};

// Storage of one warp; kept from group to group.
struct AccessLog {
  std::vector<WarpAccess> records;  // in the order of execution: ascending pc
  std::vector<LineAccess> lines;
  uint32_t hint = 0;  // where find() looks first

  void clear() {
    records.clear();
    lines.clear();
    hint = 0;
  }
  const WarpAccess* find(uint32_t pc);
};

struct AccessRecorder : NoHooks {
  static constexpr bool kAccesses = true;
  AccessLog* log = nullptr;
  uint64_t local_base = 0;  // where the warp's interleaved local memory lies
  uint64_t clock_cycles = 0;
  uint64_t globaltimer_ns = 0;

  void access(const Warp& warp, const MemoryAccess& access);
  uint64_t clockCycles() const { return clock_cycles; }
  uint64_t globaltimerNs() const { return globaltimer_ns; }
};

}  // namespace warpscope::sim
