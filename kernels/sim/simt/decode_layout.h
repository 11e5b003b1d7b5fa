// Decides where a kernel's registers, variables and parameters are: the first half of decoding.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/sim/ptx/module.h"
#include "kernels/sim/simt/code.h"
#include "kernels/sim/simt/decode.h"

namespace warpscope::sim {

struct FunctionLayout {
  uint32_t module_index = 0;  // into ptx::Module::functions
  const ptx::Function* function = nullptr;
  std::vector<Row> rows;                   // by register; unused for predicates
  std::vector<PredicateIndex> predicates;  // by register; kNoPredicate for others
  // By variable: its offset in the frame, in shared memory, or in the kernel's parameters.
  std::vector<uint64_t> variables;
  std::vector<bool> is_kernel_parameter;  // by variable
  uint32_t row_count = 0, predicate_count = 1;
  uint32_t local_bytes = 0, frame_bytes = 0;
};

struct KernelLayout {
  std::vector<FunctionLayout> functions;     // the kernel first, then whatever it can call
  std::map<uint32_t, uint32_t> function_of;  // by module index
  std::vector<uint64_t> shared_offsets;      // by Module::variables
  std::vector<KernelParameter> parameters;
  uint32_t parameter_bytes = 0, static_shared_bytes = 0;
  uint32_t stack_bytes = 0;
  bool recursive = false;
};

// Errors: a called function is missing; more memory is needed than there can be.
Expected<KernelLayout> layOut(const LoadedModule& module, uint32_t kernel);

// Whether a function is provided here, not by the module.
bool isProvided(const ptx::Function& function);

// decode_names.cpp. Fills in which registers the instructions of a function write, by name. To be called
// before shareRows(), for one function after the other.
void nameRegisters(const FunctionLayout& layout, uint32_t function, Code& code);

// decode_rows.cpp. Lets registers that are never live together share rows: the last step of decoding. PTX
// uses a new register for each value; without this step the registers of a GPU's warps would not fit into the
// host's caches.
//
// Renumbers the rows of one function of decoded code. A row is shared only where no lane can notice: a lane's
// column of registers follows the lane's own way through the code, whatever the others do. A register that is
// read without having been written keeps a row that nothing else writes before, and so reads as zero.
void shareRows(const FunctionLayout& layout, uint32_t function, Code& code);

}  // namespace warpscope::sim
