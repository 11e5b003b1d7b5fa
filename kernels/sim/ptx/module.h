// A PTX module as parsed: its functions, variables and source files. A plain value that knows nothing of how
// it is executed. parser.h makes one; everything it cannot express is refused there, by file, line and text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/sim/ptx/instruction.h"

namespace warpscope::ptx {

struct Register {
  std::string name;  // "%r12"
  Type type = Type::kNone;
};

// A .global, .const, .shared, .local or .param variable; size 0: extern shared, as large as the launch says.
struct Variable {
  std::string name;
  Space space = Space::kGlobal;
  Type type = Type::kNone;
  uint64_t bytes = 0;
  uint32_t alignment = 1;
  bool is_extern = false;
  std::vector<std::byte> initial;  // empty: zeros; else `bytes` long
  // Addresses of other variables or functions in `initial`: known once the module is placed.
  struct Relocation {
    uint64_t at = 0;  // byte in initial
    uint32_t bytes =
        8;  // of the address, from its byte `skip` on: mask operator, 0xFF00(symbol) is 1 byte, skip 1
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
  std::vector<Variable> variables;   // own .param (also for calls), .local and .shared ones
  std::vector<uint32_t> parameters;  // indices into variables, in order
  std::vector<uint32_t> results;     // of device functions
  std::vector<Instruction> instructions;
  std::map<uint32_t, std::string> labels;         // instruction index -> one label's name, for listings
  std::optional<uint32_t> max_threads_per_block;  // .maxntid, .reqntid: product
  std::optional<uint32_t> max_registers;          // .maxnreg
  uint32_t min_blocks_per_sm = 1;                 // .minnctapersm
  uint32_t ptx_line = 0;
};

struct Module {
  std::string name;             // file's name, for messages
  std::string version, target;  // "7.8", "sm_75"
  std::vector<Function> functions;
  std::vector<Variable> variables;        // module scope
  std::map<uint32_t, std::string> files;  // of .file
};

}  // namespace warpscope::ptx
