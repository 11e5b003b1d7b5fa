// A PTX or CUDA C++ file as `warpscope exec` takes it: its text, and the names and parameters of its kernels.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/exec_argument.h"
#include "app/cli/source_file.h"
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

  ModuleImage image() const { return {file, text, {}}; }  // valid as long as the module lives
};

// Errors: no such file, not PTX (names the line), or a .cu file that cannot be compiled.
Expected<ExecModule> readExecModule(const std::filesystem::path& file,
                                    const CompilerArguments& compiler = {});
// By its name, by a part that only one kernel's name contains, or, if empty, the only kernel. The error lists
// all.
Expected<const ExecKernel*> findKernel(const ExecModule& module, const std::string& name);

}  // namespace warpscope
