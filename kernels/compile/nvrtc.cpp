// NVRTC in a child process: this program, started again as `warpscope nvrtc`.
#include <fmt/format.h>

#include "kernels/compile/compilers.h"
#include "kernels/compile/host_part.h"
#include "kernels/compile/nvrtc_library.h"

namespace warpscope {
namespace {

// This program or, if this is another one (a test), the one beside it; empty: there is none.
std::string programWithSubcommand(const CompileRequest& request) {
  if (!request.nvrtc_program.empty()) return request.nvrtc_program;
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path program = self.parent_path() / "warpscope";
  return std::filesystem::exists(program, error) ? program.string() : std::string();
}

}  // namespace

Expected<CompilerAnswer> compileWithNvrtc(const CompileJob& job) {
  CompilerAnswer answer;
  const std::string program = programWithSubcommand(job.request);
  answer.is_here = !program.empty();
  if (!answer.is_here) return answer;
  std::vector<std::string> arguments{
      program, "nvrtc", job.input.string(), job.output().string(),
      // What the host's part leaves behind, such as variables, is then the device's.
      "--", "-lineinfo", "-std=c++17", "-default-device", fmt::format("-include={}", kPreludeName),
      fmt::format("-arch=compute_{}", job.request.sm)};
  for (std::string& argument : job.commonArguments()) arguments.push_back(std::move(argument));
  ProcessLimits limits = job.limits();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  limits.memory_bytes = 0;  // this program then needs terabytes of addresses itself
#endif
  auto end = runLimited(arguments, limits, job.scratch, job.stop);
  if (!end) return tl::unexpected(end.error());
  answer.is_here = end->exit_status != kNvrtcNotHere;
  const size_t first = end->output.find('\n');
  answer.version = end->output.substr(0, first);
  answer.end = std::move(*end);
  return answer;
}

}  // namespace warpscope
