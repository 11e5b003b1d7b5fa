// The common part of load and store programs: memory of the thread's own in each space, and the registers for
// the data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/sim/ptx/types.h"
#include "tests/differential/program.h"

namespace warpscope::test {

inline constexpr uint32_t kAt = 16;  // offset of the data from the beginning of its memory
inline constexpr uint32_t kMemoryBytes = 64;
inline constexpr ptx::Type kMemoryTypes[] = {
    ptx::Type::kB8,  ptx::Type::kB16, ptx::Type::kB32, ptx::Type::kB64, ptx::Type::kU8,
    ptx::Type::kU16, ptx::Type::kU32, ptx::Type::kU64, ptx::Type::kS8,  ptx::Type::kS16,
    ptx::Type::kS32, ptx::Type::kS64, ptx::Type::kF32, ptx::Type::kF64};

// Code that makes %y the address of kMemoryBytes of the thread's own memory.
inline constexpr const char* kSharedMemory =
    "  .shared .align 16 .b8 mem[16384];\n  mov.u32 %u, mem;\n  mad.lo.u32 %u, %i, 128, %u;\n"
    "  cvt.u64.u32 %y, %u;\n";
inline constexpr const char* kLocalMemory = "  .local .align 16 .b8 mem[64];\n  mov.u64 %y, mem;\n";
// Fill the memory at %y from the thread's record; fill it with zeros; copy it to the record; using the given
// instruction.
std::string copiedIn(const std::string& store);
std::string zeroed(const std::string& store);
std::string copiedOut(const std::string& load);

uint32_t registerWidth(ptx::Type type);                  // the narrowest that can hold the type
std::vector<uint32_t> registerWidths(ptx::Type type);    // all that may hold it
std::string registersOf(uint32_t bits, uint32_t count);  // %e0, %e1 ... declared
std::string operandOf(uint32_t count);                   // as one operand
std::string vectorWord(uint32_t count);                  // ".v2"
// "ld.global, generic address, 64-bit registers"
std::string labelOf(const std::string& opcode, const std::string& variant, ptx::Type type, uint32_t bits);

// programs_load.cpp, programs_store.cpp
void addLoadPrograms(std::vector<Program>& programs);
void addStorePrograms(std::vector<Program>& programs);

}  // namespace warpscope::test
