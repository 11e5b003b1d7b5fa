// A file of kernels as the subcommands take it: PTX, or CUDA C++, which is compiled first.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "kernels/core/error.h"

namespace warpscope {

struct CompilerArguments {
  std::string compiler = "auto";
  std::vector<std::string> defines, include_folders;
};
// `group`: the heading under which help lists them.
void addCompilerOptions(Command command, CompilerArguments& arguments, const std::string& group);

// The file's PTX. Warnings go to standard error. Errors: those of compileCuda, or no such file.
Expected<std::string> readPtx(const std::filesystem::path& file, const CompilerArguments& arguments);

}  // namespace warpscope
