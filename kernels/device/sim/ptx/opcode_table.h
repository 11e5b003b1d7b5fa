// The one list of what of PTX is supported. Each entry is an instruction form: its name, the types and
// modifiers it takes and its operands. The parser accepts by it, the executor chooses by it, `warpscope ptx
// --list` and the documentation print it, and a test demands that each entry is executed at least once.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/device/sim/ptx/instruction.h"

namespace warpscope::ptx {

struct OpcodeEntry {
  const char* name;  // "add", "shfl.sync", "cp.async"
  Op op;
  const char*
      types;  // "u16 u32 u64 s16 s32 s64"; "" none; for two types "f32<-f16 ..." as documented in the .cpp
  const char* modifiers;  // "sat" ... as documented in the .cpp
  const char* operands;   // "d,a,b"
  const char* section;    // of the PTX ISA: "9.7.1.1"
};

std::span<const OpcodeEntry> opcodeTable();
// "add.{u16,...}{.sat} d, a, b": for listings.
std::string formatEntry(const OpcodeEntry& entry);

}  // namespace warpscope::ptx
