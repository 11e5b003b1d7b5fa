// nvcc on the path, or where the CUDA Toolkit installs it.
#include <fmt/format.h>

#include "kernels/compile/compilers.h"

namespace warpscope {

Expected<CompilerAnswer> compileWithNvcc(const CompileJob& job) {
  CompilerAnswer answer;
  const std::filesystem::path program = findProgram({"nvcc"}, job.search_path);
  answer.is_here = !program.empty();
  if (!answer.is_here) return answer;
  const auto version = runLimited({program.string(), "--version"}, job.limits(), job.scratch, job.stop);
  if (!version) return tl::unexpected(version.error());
  // "Cuda compilation tools, release 13.0, V13.0.88"
  if (const size_t at = version->output.find("release "); at != std::string::npos) {
    answer.version = "nvcc " + version->output.substr(at, version->output.find('\n', at) - at);
  }
  std::vector<std::string> arguments{program.string(),
                                     "-ptx",
                                     "-lineinfo",
                                     "-std=c++17",
                                     fmt::format("-arch=compute_{}", job.request.sm),
                                     "-Wno-deprecated-gpu-targets",
                                     "-x",
                                     "cu",
                                     "--keep-dir",
                                     job.scratch.string()};
  for (std::string& argument : job.commonArguments()) arguments.push_back(std::move(argument));
  for (const std::string& argument : {std::string("-o"), job.output().string(), job.input.string()}) {
    arguments.push_back(argument);
  }
  auto end = runLimited(arguments, job.limits(), job.scratch, job.stop);
  if (!end) return tl::unexpected(end.error());
  answer.end = std::move(*end);
  return answer;
}

}  // namespace warpscope
