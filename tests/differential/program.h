// Programs: kernels for what a single instruction on registers cannot show (memory, atomics, barriers,
// copies, calls, branches), each with a reference for its outputs. Threads have one record of cells to read
// and one to write; nothing here knows how the simulator works.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/tensor_map.h"
#include "kernels/sim/ptx/instruction.h"

namespace warpscope::test {

inline constexpr uint32_t kRecordCells = 16;
inline constexpr uint32_t kProgramBlocks = 2, kProgramThreads = 128;
inline constexpr uint32_t kBlobBytes = 128;       // size of the kernels' parameter `blob`
inline constexpr uint32_t kConstantBytes = 1024;  // size of the module's `.const` array `constants`
using Record = std::array<uint64_t, kRecordCells>;

// The threads of a block: their inputs, and the outputs that they must produce (zeros at first).
struct BlockRecords {
  uint32_t block = 0;
  std::span<const Record> in;
  std::span<Record> out;
  std::span<const Record> grid = {};  // the inputs of all blocks
};

struct Program {
  std::string label;  // the instruction under test, and what is special about it
  std::string body;   // see programModule()
  std::function<void(const BlockRecords&)> reference;
  ptx::Type operands = ptx::Type::kB64;  // the type of the records' values
  std::function<void(Record&, uint32_t thread)> prepare = {};
  uint32_t cluster = 1;  // blocks of a cluster: the two blocks of the launch may be one
  // Then `blob` is the map of this tensor, whose bytes are all threads' inputs, or outputs if it is written.
  std::optional<TensorMapDescription> tensor = {};
  bool tensor_is_written = false;
};

// Entries `program_FIRST`, ... each `(.param .u64 inputs, .param .u64 outputs, .param .align 64 .b8
// blob[128])`. A body may use %in and %out, the thread's records; %t, its index in the grid; %i, its index in
// the block; registers %x %y %z (64 bits), %u %v %w (32), %g %h (16), %s %q (predicates); and the functions
// and constants of the module's head. The kernel returns after it.
std::string programModule(std::span<const Program> programs, size_t first);

// The records of all threads, and the reference's outputs for them.
std::vector<Record> programInputs(const Program& program);
std::vector<Record> programReference(const Program& program, const std::vector<Record>& inputs);
// Describes the first few cells that differ; empty if there are none.
std::string differences(const Program& program, const std::vector<Record>& inputs,
                        const std::vector<Record>& expected, std::span<const uint64_t> found);

// Contents of `blob` and of `constants`.
const std::array<std::byte, kBlobBytes>& programBlob();
const std::array<std::byte, kConstantBytes>& programConstants();

// Replaces "$1" and so on.
std::string filled(std::string text, std::initializer_list<std::string> arguments);

// Grouped by what they test; ptxas accepts all of them for sm_90.
void addMemoryPrograms(std::vector<Program>& programs);
void addAddressPrograms(std::vector<Program>& programs);
void addAtomicPrograms(std::vector<Program>& programs);
void addBarrierPrograms(std::vector<Program>& programs);
void addAsyncPrograms(std::vector<Program>& programs);
void addControlPrograms(std::vector<Program>& programs);
void addSpecialPrograms(std::vector<Program>& programs);
void addContractionPrograms(std::vector<Program>& programs);
void addMatrixPrograms(std::vector<Program>& programs);
void addClusterPrograms(std::vector<Program>& programs);
void addBulkPrograms(std::vector<Program>& programs);
void addTensorPrograms(std::vector<Program>& programs);
std::vector<Program> allPrograms();

}  // namespace warpscope::test
