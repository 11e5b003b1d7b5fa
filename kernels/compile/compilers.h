// The compilers of the chain. Each says whether it is here and compiles one job; compile.cpp chooses.
#pragma once

#include "kernels/compile/compile.h"
#include "kernels/compile/limited_process.h"

namespace warpscope {

struct CompileJob {
  const CompileRequest& request;
  std::filesystem::path input;    // what is compiled: the source, or its text in a file of ours
  std::filesystem::path scratch;  // a folder for the compiler's files, which is removed afterwards
  std::string search_path;
  std::stop_token stop;

  ProcessLimits limits() const { return {request.time_limit_s, request.memory_limit_bytes}; }
  std::filesystem::path output() const { return scratch / "kernels.ptx"; }
  // "-DN=4", "-I/folder", and the header that is there by itself
  std::vector<std::string> commonArguments() const;
};

struct CompilerAnswer {
  bool is_here = true;
  std::string version;
  ProcessEnd end;
};

Expected<CompilerAnswer> compileWithNvrtc(const CompileJob& job);
Expected<CompilerAnswer> compileWithNvcc(const CompileJob& job);
Expected<CompilerAnswer> compileWithClang(const CompileJob& job);

}  // namespace warpscope
