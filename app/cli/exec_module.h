// A PTX file as `warpscope exec` takes it: its text, and what its kernels are called and declare.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/exec_argument.h"
#include "kernels/core/error.h"
#include "kernels/experiments/kernel_modules.h"

namespace warpscope {

struct ExecKernel {
  std::string name;
  std::vector<DeclaredParameter> parameters;
};

struct ExecModule {
  std::string file;
  std::string text;  // the PTX
  std::vector<ExecKernel> kernels;

  ModuleImage image() const { return {file, text, {}}; }  // as long as the module lives
};

// Errors: no such file, or not PTX (names the line).
Expected<ExecModule> readExecModule(const std::filesystem::path& file);
// By its name, by a part that only one kernel's name has, or, left empty, the only one. The error lists all.
Expected<const ExecKernel*> findKernel(const ExecModule& module, const std::string& name);

}  // namespace warpscope
