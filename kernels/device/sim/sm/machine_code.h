// What the hardware would issue for a kernel: PTX lowered to machine-like operations, for timing only
// (execution keeps PTX's semantics). Copies are coalesced, address arithmetic is folded into loads and
// stores, multiply-adds are fused, conversions that cost nothing dropped, short branches predicated, and each
// segment is list-scheduled so that independent loads go out before their first use. How close it comes is
// told by instruction counts against ncu's smsp__inst_executed (tests/golden).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/device/sim/simt/code.h"
#include "kernels/device/sim/sm/profile.h"

namespace warpscope::sim {

// One machine operation. Registers are value numbers of the timing model: 0 .. MachineCode::registers - 1,
// predicates included.
struct MachineOp {
  Pipe pipe = Pipe::kInt;
  uint8_t source_count = 0;
  uint8_t destination_count = 0;
  uint8_t issues = 1;           // machine instructions it stands for (a 64-bit add: 2; div: a sequence)
  uint16_t latency_cycles = 0;  // fixed; 0: the memory system says
  int16_t access = -1;          // which memory access of its segment (0-based, in PTX order); -1: none
  bool ends_segment = false;    // branch, barrier, exit, atomic ...: issues last
  uint32_t pc = 0;              // PTX instruction it stands for
  uint16_t sources[6] = {};
  uint16_t destinations[4] = {};
};

struct MachineSegment {
  uint32_t first = 0, count = 0;  // into MachineCode::ops, in the order of issue
  uint16_t accesses = 0;          // memory instructions in it
  bool predicated = false;        // a short branch's body: issued under a predicate, its branch costs nothing
};

struct MachineCode {
  std::vector<MachineOp> ops;
  std::vector<MachineSegment> segments;  // as Code::segments
  std::vector<bool> predicated_branch;   // by PTX instruction: a branch that became predication
  uint32_t registers = 0;                // value numbers
  uint32_t registers_per_thread = 0;     // estimated hardware registers: what occupancy counts with
};

MachineCode lowerToMachine(const Code& code, const DeviceProfile& profile);

}  // namespace warpscope::sim
