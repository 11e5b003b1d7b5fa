// The instructions that the hardware would issue for a kernel: PTX lowered to machine-like operations, for
// timing only (execution keeps PTX's semantics). Copies are coalesced, address arithmetic is folded into
// loads and stores, multiply-adds are fused, conversions that cost nothing are dropped, short branches are
// predicated, and each stretch of straight-line code is list-scheduled so that independent loads issue before
// their first use. Instruction counts compared with Nsight Compute's smsp__inst_executed (tests/golden) show
// how close it comes.
//
// Groups. Code that PTX breaks into several segments (a short branch with its body and what follows,
// shuffles) is often one basic block of the hardware, and is scheduled as one: all its loads issue before the
// first is waited for. Such consecutive segments form a group and share one list of operations, each of which
// says to which member it belongs. The timing model of a warp
//   1. executes segment s, then the warp's further segments as long as each is a later member of the same
//      group than the one before, or one that other lanes jumped over (the other body of a short branch); a
//      member that is left out is one that no lane entered (or an empty one);
//   2. issues, in their order, the group's operations whose member lies in [the first executed, the last
//      one that was executed]; those of left-out members issue too, without lanes: they were predicated off.
// A path can be interrupted within a group (its lanes wait for others) and continue at a later member: the
// same two rules hold. Branches between members issue nothing. Most segments are a group of their own. A
// segment can have no operations (a lone `ret` whose EXIT its predecessors issue).
//
// Trips. A group can hold several trips of an unrolled loop, with their operations mixed. The warp executes
// up to that many trips before the operations issue; those of trips that it did not make do not issue.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/sim/simt/code.h"
#include "kernels/sim/sm/profile.h"

namespace warpscope::sim {

// By the word of 8 bytes of the parameter block: whether the kernel writes to global memory through the
// pointer there.
using WrittenParameters = std::bitset<128>;

// The access of a function to the stack, where it keeps registers of its caller: one word of each lane, which
// is not in PTX.
struct StackAccess {
  enum class Kind : uint8_t { kNone, kPush, kPop } kind = Kind::kNone;
  uint8_t word = 0;  // of the frame
};

// One machine operation. Registers are value numbers of the timing model: 0 .. MachineCode::registers - 1,
// predicates included.
struct MachineOp {
  Pipe pipe = Pipe::kInt;
  uint8_t source_count = 0;
  uint8_t destination_count = 0;
  uint8_t pipe_eighths = 8;     // of the pipe's issue interval
  uint8_t on_pipe = 0;          // of the issues, those on the pipe, the others being elsewhere; 0: all
  uint8_t on_special = 0;       // of the issues, those on the special function unit besides
  uint8_t retried = 0;          // of the issues, those repeated for each further lane that changes one word
  uint8_t holds_cycles = 0;     // if not 0: until something else issues
  bool settles = false;         // what the warp issued before must have left its pipe
  uint8_t issues = 1;           // machine instructions that it represents (a 64-bit add: 2; div: a sequence)
  uint16_t latency_cycles = 0;  // fixed; 0: the memory system decides
  int16_t access = -1;          // index of the memory access in its member (from 0, in PTX order); -1: none
  // Of a loop that was unrolled, what is computed once for several trips: a warp issues it on every so
  // many-th of the times that it comes to it. MachineCode::turns numbers tell such operations apart.
  uint8_t every = 1;
  uint16_t turn = 0;
  StackAccess stack;
  // The member of its group that it belongs to. In the first trip member m is segment group_first + m; each
  // further trip adds group_count to the number.
  uint8_t member = 0;
  uint8_t trip = 0;
  bool ends_segment = false;  // branch, barrier, exit, atomic ...: issues last in its group
  bool is_fence = false;      // for the whole GPU, though its PTX instruction is none
  bool sync = false;          // BSYNC
  bool branch = false;        // counts as a branch instruction (BRA, BSYNC, EXIT, but not BSSY)
  // Its reads of 32-bit registers. Three of them take the register file two cycles: it has two banks with a
  // port each (Huerta et al., arXiv 2503.20481, section 5.3), so that two of the three meet in one. On an
  // H100 a chain of FFMA R, R, R, R goes at 2.1 cycles each and scheduler, one with an immediate at 1.2
  // (unrolled by 16, 8 warps; driver 580.159.04, 2026-11-23).
  uint8_t register_reads = 0;
  bool is_added = false;     // stands for no PTX instruction; `pc` is only where it belongs
  bool reads_twice = false;  // takes two cycles, as nothing that the operation before it read is reused
  // It is a ULDC: all lanes have the same address, in a uniform register. ptxas 13.0 uses it for words on
  // sm_90; bytes and halves are loaded by LDC.
  bool loads_uniform = false;
  uint32_t pc = 0;  // the PTX instruction that it represents
  // A predicate that an operation makes is among its destinations twice: as a guard, and as an operand of a
  // selection or comparison. The operands are the last `early_count` of them, and are ready `early_cycles`
  // sooner.
  uint8_t early_count = 0, early_cycles = 0;
  uint8_t read_count = 0;  // of the sources, the first ones, which are registers
  uint16_t sources[12] = {};
  uint16_t destinations[8] = {};
};

// MachineOp::every of a load that ptxas moves out of a loop, which is MachineCode::loops[MachineOp::turn].
inline constexpr uint8_t kOnceInLoop = 0;

// The segments of a loop, from the first one to the last, and how often a load that was moved out of it
// issues when a warp has entered it: more than once if it is in a loop that is unrolled in full.
struct MachineLoop {
  uint32_t first = 0, last = 0;
  uint8_t times = 1;

  bool contains(uint32_t segment) const { return segment >= first && segment <= last; }
};

struct MachineSegment {
  uint32_t first = 0, count = 0;              // into MachineCode::ops, in issue order, for its whole group
  uint32_t group_first = 0, group_count = 1;  // the segments of its group
  uint32_t trips = 1;                         // the number of trips that its group holds
  uint16_t accesses = 0;                      // memory instructions in this segment itself
  bool predicated = false;  // body of a short branch: issued under a predicate, its branch costs nothing
};

struct MachineCode {
  std::vector<MachineOp> ops;
  std::vector<MachineSegment> segments;  // as Code::segments
  std::vector<bool> predicated_branch;   // by PTX instruction: a branch that became predication
  std::vector<bool> exit_branch;  // by PTX instruction: a branch that became an EXIT, which has no target
  // By PTX instruction: a branch with a BSYNC where its lanes meet again. Each of the paths that it splits
  // them into issues that BSYNC; the operations have it once.
  std::vector<bool> meets_at_sync;
  // By PTX instruction: a branch back in a loop that may wait for another warp, and has a YIELD.
  std::vector<bool> yields;
  uint32_t turns = 0;              // number of MachineOp::turn
  std::vector<MachineLoop> loops;  // by load that was moved out of one
  uint32_t registers = 0;          // number of value numbers
  WrittenParameters written_parameters;
  uint32_t registers_per_thread = 0;  // estimated hardware registers, which determine occupancy
};

// Whether a memory instruction has to see what other SMs have written before, so that its SM's L1 forgets
// all.
inline bool acquiresForGpu(const Instruction& instruction) {
  using ptx::Semantics;
  const Semantics semantics = instruction.modifiers.semantics;
  return (instruction.kind == Kind::kLoad || instruction.kind == Kind::kAtomic) &&
         instruction.modifiers.scope != ptx::Scope::kCta &&
         (semantics == Semantics::kAcquire || semantics == Semantics::kAcqRel || semantics == Semantics::kSc);
}

MachineCode lowerToMachine(const Code& code, const DeviceProfile& profile);

}  // namespace warpscope::sim
