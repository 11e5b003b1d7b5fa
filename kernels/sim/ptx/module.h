// A PTX module as parsed: its functions, variables and source files. A plain value that owns all it names and
// knows nothing of execution. parser.h makes it; what it cannot express is refused there, with file, line and
// text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/ids.h"
#include "kernels/sim/ptx/instruction.h"

namespace warpscope::ptx {

struct Register {
  std::string name;  // "%r12"
  Type type = Type::kNone;
};

// A .global, .const, .shared, .local or .param variable. Size 0: extern shared memory, whose size the launch
// gives.
struct Variable {
  std::string name;
  Space space = Space::kGlobal;
  Type type = Type::kNone;
  uint64_t bytes = 0;
  uint32_t alignment = 1;
  bool is_extern = false;
  std::vector<std::byte> initial;  // empty: zeros; else `bytes` long
  // The address of another variable or function within `initial`; it is known once the module is placed.
  struct Relocation {
    uint64_t at = 0;  // byte in initial
    // Bytes of the address that are kept, starting at its byte `skip`: the mask operator 0xFF00(symbol)
    // keeps 1 byte and skips 1.
    uint32_t bytes = 8;
    uint32_t skip = 0;
    bool is_function = false;
    uint32_t index = 0;  // into Module::variables or Module::functions
    int64_t addend = 0;
    bool generic = false;  // generic(symbol)
  };
  std::vector<Relocation> relocations;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool is_declared_only = false;  // .extern: vprintf and friends
  std::vector<Register> registers;
  std::vector<Variable> variables;   // its own .param (also those of calls), .local and .shared variables
  std::vector<uint32_t> parameters;  // indices into variables, in order
  std::vector<uint32_t> results;     // for device functions only
  std::vector<Instruction> instructions;
  std::map<uint32_t, std::string> labels;  // instruction index -> the name of one of its labels, for listings
  std::vector<uint32_t> not_unrolled;      // instruction indices: the loops there have the pragma "nounroll"
  std::optional<uint32_t> max_threads_per_block;  // .maxntid, .reqntid: product
  std::optional<uint32_t> max_registers;          // .maxnreg
  uint32_t min_blocks_per_sm = 1;                 // .minnctapersm
  std::optional<Dim3> required_cluster;           // .reqnctapercluster
  bool explicit_cluster = false;                  // .explicitcluster: the launch must give the cluster's size
  std::optional<uint32_t> max_cluster_rank;       // .maxclusterrank: the most blocks a cluster may have
  uint32_t ptx_line = 0;
};

struct Module {
  std::string name;             // the file's name, for messages
  std::string version, target;  // "7.8", "sm_75"
  std::vector<Function> functions;
  std::vector<Variable> variables;        // module scope
  std::map<uint32_t, std::string> files;  // by number of the .file directive
  // It was written by hand: the instructions' source lines are those of the PTX itself (nameOwnLines).
  bool is_own_source = false;
};

}  // namespace warpscope::ptx
