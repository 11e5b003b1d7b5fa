// Programs: kernels for what one instruction on registers cannot show (memory, atomics, barriers, copies,
// calls, branches), each with a reference of what it must leave. Threads have a record of cells to read and
// one to write; nothing here knows how the simulator works.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "kernels/sim/ptx/instruction.h"

namespace warpscope::test {

inline constexpr uint32_t kRecordCells = 16;
inline constexpr uint32_t kProgramBlocks = 2, kProgramThreads = 128;
inline constexpr uint32_t kBlobBytes = 128;       // of the kernel's parameter `blob`
inline constexpr uint32_t kConstantBytes = 1024;  // of the module's `.const` array `constants`
using Record = std::array<uint64_t, kRecordCells>;

// A block's threads: what they read, and what they must leave (zeros at first).
struct BlockRecords {
  uint32_t block = 0;
  std::span<const Record> in;
  std::span<Record> out;
};

struct Program {
  std::string label;  // the instruction under test, and what is special about it
  std::string body;   // see programModule()
  std::function<void(const BlockRecords&)> reference;
  ptx::Type operands = ptx::Type::kB64;  // what the records hold
  std::function<void(Record&, uint32_t thread)> prepare = {};
};

// Entry `program_FIRST`, ... each `(.param .u64 inputs, .param .u64 outputs, .param .align 16 .b8
// blob[128])`. A body finds: %in and %out, the thread's records; %t, its number in the grid; %i, in the
// block; registers %x %y %z (64 bits), %u %v %w (32), %g %h (16), %s %q (predicates); the functions and
// constants of the module's head. The kernel returns behind it.
std::string programModule(std::span<const Program> programs, size_t first);

// All threads' records, and what the reference leaves for them.
std::vector<Record> programInputs(const Program& program);
std::vector<Record> programReference(const Program& program, const std::vector<Record>& inputs);
// How the first few cells differ; empty: not at all.
std::string differences(const Program& program, const std::vector<Record>& inputs,
                        const std::vector<Record>& expected, std::span<const uint64_t> found);

// Contents of `blob` and of `constants`.
const std::array<std::byte, kBlobBytes>& programBlob();
const std::array<std::byte, kConstantBytes>& programConstants();

// "$1" and so on replaced.
std::string filled(std::string text, std::initializer_list<std::string> arguments);

// By what they show; all of them are accepted by ptxas for sm_90.
void addMemoryPrograms(std::vector<Program>& programs);
void addAddressPrograms(std::vector<Program>& programs);
void addAtomicPrograms(std::vector<Program>& programs);
void addBarrierPrograms(std::vector<Program>& programs);
void addAsyncPrograms(std::vector<Program>& programs);
void addControlPrograms(std::vector<Program>& programs);
void addSpecialPrograms(std::vector<Program>& programs);
std::vector<Program> allPrograms();

}  // namespace warpscope::test
