// The data that all SMs of a timed launch share, read-only: the kernel's machine operations with everything
// the issue loop needs to know about them, and the profile's figures in the form that the loop uses. Keeps
// references to the launch and profile, which must outlive it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/run/warp_state.h"
#include "kernels/sim/simt/interpreter.h"
#include "kernels/sim/sm/cycles.h"
#include "kernels/sim/sm/l2_cache.h"
#include "kernels/sim/sm/machine_code.h"
#include "kernels/sim/sm/profile.h"
#include "kernels/sim/sm/sm_counters.h"
#include "kernels/sim/sm/timed_grid.h"

namespace warpscope::sim {

// The effect of an operation on the warp or the memory system, besides registers.
enum class OpClass : uint8_t {
  kFixed,    // result after a fixed latency
  kShuffle,  // the same, but through the load-store unit
  kMemory,   // a memory access that the interpreter recorded
  kStack,    // an access that the function's frame needs
  kFence,
  kAsyncCommit,
  kAsyncWait,
  kSignal,  // of an mbarrier, which may let other warps go on
  kBulkCopy,
  kBulkCommit,
  kBulkWait,
  kGridDependency,
};

// The stall reason of an operation that waits for a register.
// The result of a held or branched one comes after a fixed time, but later than ptxas has the reader wait.
enum class ScoreClass : uint8_t { kFixed, kShort, kLong, kConstant, kHeld, kBranched };

// Instructions that ptxas keeps apart from the warp's next one of the same kind: accesses to memory, those of
// the special function unit, LDC.
enum class Spacing : uint8_t { kAccess, kSpecial, kConstant, kNone };

struct IssueOp {
  OpClass kind = OpClass::kFixed;
  Pipe pipe = Pipe::kInt;
  ScoreClass score = ScoreClass::kFixed;
  uint8_t issues = 1;
  uint8_t on_pipe = 1;     // of these, the first ones, which take the pipe
  uint8_t on_special = 0;  // of these, those on the special function unit besides
  uint8_t retried = 0;     // of these, those repeated for each further lane that changes one word
  uint8_t every = 1;
  uint16_t turn = 0;
  uint8_t destination_count = 0;
  uint16_t pipe_ticks = kPipeTicks;  // for which its pipe takes no other
  uint16_t held_ticks = 0;           // of these, those in which the dispatcher holds others back
  uint16_t latency_cycles = 0;
  uint8_t early_count = 0, early_cycles = 0;  // as MachineOp's
  uint8_t late_cycles = 0;                    // its result comes so many cycles after those
  uint16_t special_cycles = 0;  // of these, the special function unit's, after which the other issues follow
  Spacing spacing = Spacing::kNone;
  uint8_t spacing_cycles = 0;
  uint8_t stall_cycles = 1;  // until the warp's next instruction can issue
  uint8_t member = 0;        // which member of its group of segments it belongs to
  uint8_t trip = 0;          // which of the trips that its group holds
  bool branch = false;
  bool sync = false;
  bool exits = false;     // all lanes
  bool acquires = false;  // for the whole GPU: L1 forgets what it holds
  bool holds = false;     // a branch past a subroutine, or its BSYNC
  bool settled = false;   // what the warp issued before must have left its pipe
  StackAccess stack;
  bool is_global = false;         // accesses global or local memory
  bool is_image = false;          // accesses a texture or surface
  bool is_shared = false;         // accesses shared memory
  bool is_constant = false;       // loads a constant at an address in a register
  bool aggregates = false;        // an atomic of which one lane does the work of all
  bool reduces = false;           // an atomic on global memory that gives no result
  bool loads_uniform = false;     // a constant at an address that is the same for all lanes (ULDC)
  bool counts_lanes = false;      // adds the number of its lanes to a word of shared memory
  bool matches = false;           // match.any: the more different values its lanes have, the longer it takes
  bool counts_wavefront = false;  // passes the data stage of shared memory, though it accesses none
  bool plain = false;             // only occupies its pipe and writes registers: SmCore::issuePlain
  bool needs_ports = false;       // reads at least two registers
  bool reads_twice = false;
  bool loads_parameter = false;  // LDC of a kernel's parameter
  bool short_turn = false;       // takes the way to the load-store unit for half of the usual time
  uint16_t fetch_line = 0;       // which line of the instruction cache it is in
  uint32_t pc = 0;
  uint16_t gate = 0;  // what must be free besides its registers: see Gate
  // The registers that must be ready, sources and destinations, a multiple of kAwaitedAtOnce: the first one
  // is repeated.
  uint8_t awaited_count = 0;
  // An access to memory reads the first `read_count` of them when it leaves its queue; nothing may write them
  // before.
  uint8_t read_count = 0;
  uint16_t awaited[20] = {};
  uint16_t destinations[8] = {};
};
inline constexpr uint32_t kAwaitedAtOnce = 4;

// What an operation's gate says: the pipe it needs, and what else, so that a scheduler that looks for a warp
// to issue need not read the operations of those whose pipes are taken.
struct Gate {
  static constexpr uint16_t kPipe = 0x0F;         // of these bits: a Pipe
  static constexpr uint16_t kSpecial = 0x10;      // room in the queue to the special function unit
  static constexpr uint16_t kPorts = 0x20;        // the register ports
  static constexpr uint16_t kGlobal = 0x40;       // accesses global or local memory
  static constexpr uint16_t kNoAccess = 0x80;     // goes to the load-store unit, but accesses no memory
  static constexpr uint16_t kReachesOut = 0x100;  // its effect is not only in its SM
  static constexpr uint16_t kConstant = kGlobal | kNoAccess;  // accesses constants at addresses of its own
  static constexpr uint16_t kImage = kGlobal | kSpecial;      // accesses a texture or surface
  static constexpr uint16_t kNone = 0xFFFF;                   // the warp's next operation is not known yet
};
static_assert(kPipeCount <= Gate::kPipe);

// The properties of a segment that a warp needs once it has executed it. They are found once for each launch;
// most of them concern the last instruction.
struct SegmentFacts {
  uint32_t last_pc = 0;
  bool waits_at_barrier = false, waits_for_cluster = false;
  bool is_conditional = false;                 // a branch with a guard
  bool has_no_target = false;                  // a branch that became predication, or an EXIT
  bool yields = false, meets_at_sync = false;  // as MachineCode's
  bool is_indirect = false;                    // the next instruction is not known until it is executed
  bool reaches_out = false;  // its group reads or writes what other SMs can, or may end the warp
};

struct LaunchModel {
  LaunchModel(const Launch& launch, const MachineCode& machine, const DeviceProfile& profile,
              const L2Cache& l2, const TimedOptions& options);

  const Launch& launch;
  const Code& code;
  const MachineCode& machine;
  const DeviceProfile& profile;
  const TimedOptions& options;

  std::vector<IssueOp> ops;  // in the order of MachineCode::ops
  // The register rows that the first instructions of a segment use, for the host to prefetch.
  std::span<const uint16_t> rowsOf(uint32_t segment) const {
    return std::span(rows).subspan(rows_begin[segment], rows_begin[segment + 1] - rows_begin[segment]);
  }
  // By instruction: whether it is an atomic on global memory that gives no result, and for which order does
  // not matter. Warps do not wait for such ones.
  std::vector<uint8_t> reductions;
  // By instruction: whether it is another atomic that gives no result, and the last thing that a thread does.
  std::vector<uint8_t> last_reductions;
  std::vector<SegmentFacts> segments;
  bool has_frames = false;  // some operations access the stack
  std::vector<uint16_t> rows;
  std::vector<uint32_t> rows_begin;  // by segment
  bool wakes_others = false;         // some instructions let other warps go on: mbarriers, clusters' barriers
  uint32_t fetch_lines = 1;
  uint32_t warps_per_block = 1;
  uint32_t warp_slots = 64;  // per SM
  uint32_t slots_per_partition = 16;
  uint32_t epoch_cycles = 128;
  // Until what each warp loads first is in an SM's cache of constants.
  struct FirstConstants {
    uint32_t cycles = 0;
    WarpState reason = WarpState::kImcMiss;
    // An IMC miss in between: so many cycles before the end it begins, and ends.
    uint32_t miss_begin = 0, miss_end = 0;
  };
  FirstConstants first_constants;
  // What the first instructions take longer to come from DRAM than from the caches; 0 unless they are cold.
  // Launches whose caches are emptied before wait 214 to 321 cycles more for instructions in a warp
  // (quartiles of 213 kernels of the truth suite, the median is 257; an H100 with 580.159.04, 2026-11-26).
  uint64_t cold_code_cycles = 0;
  uint64_t l1_bytes = 0;                // what shared memory leaves for L1
  uint32_t request_outward_cycles = 0;  // from an SM to L2
  StoreCycles store_cycles;             // on one SM's path to L2
  double clock_ghz = 1;
  // The load-store unit takes an access each so many cycles, and from one sub-partition each `lsu_share`.
  uint64_t lsu_interval_cycles = 1, lsu_share_cycles = 1;

 private:
  void findRows();
  void findSegmentFacts();
};

}  // namespace warpscope::sim
