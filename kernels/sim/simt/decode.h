// Turns a kernel of a parsed module, and every device function it can call, into Code.
#pragma once

#include <memory>
#include <string>

#include "kernels/core/error.h"
#include "kernels/sim/ptx/module.h"
#include "kernels/sim/simt/code.h"
#include "kernels/sim/simt/memory.h"

namespace warpscope::sim {

// A module whose global and const variables have been placed in memory.
struct LoadedModule {
  std::shared_ptr<const ptx::Module> module;
  std::vector<uint64_t> variable_addresses;  // by Module::variables; 0 for shared ones
};

// Places and initialises the variables. Fails if there is not enough memory.
Expected<LoadedModule> loadModule(std::shared_ptr<const ptx::Module> module, GlobalMemory& memory);

// Errors (kBadRequest): there is no such kernel; an instruction is parsed but cannot be executed here.
Expected<std::shared_ptr<const Code>> decodeKernel(const LoadedModule& module, const std::string& kernel);

// The handler of a register-only instruction, by operation, types and modifiers; nullptr if there is none.
Handler selectHandler(const ptx::Instruction& instruction);

// The two sets of handlers from which selectHandler() chooses (alu/select.cpp), for the test that compares
// them.
bool hasAvx2Handlers();  // whether selectHandler() gives these
Handler selectPortableHandler(const ptx::Instruction& instruction);

}  // namespace warpscope::sim
