// clang with headers of our own (assets/cuda_headers) in place of CUDA's.
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "kernels/compile/compilers.h"
#include "kernels/compile/scratch_folder.h"
#include "kernels/core/files.h"

namespace warpscope {
namespace {

constexpr uint32_t kOldest = 14;

std::vector<std::string> programNames() {
  std::vector<std::string> names{"clang++"};
  for (uint32_t version = 22; version >= kOldest; --version)
    names.push_back(fmt::format("clang++-{}", version));
  return names;
}

// "Debian clang version 14.0.6": its first line and its number; 0: another program.
struct Version {
  std::string text;
  uint32_t major = 0;
};
Expected<Version> versionOf(const std::filesystem::path& program, const CompileJob& job) {
  const auto end = runLimited({program.string(), "--version"}, job.limits(), job.scratch, job.stop);
  if (!end) return tl::unexpected(end.error());
  Version version;
  version.text = end->output.substr(0, end->output.find('\n'));
  constexpr std::string_view kWord = "clang version ";
  if (const size_t at = version.text.find(kWord); at != std::string::npos) {
    const char* first = version.text.data() + at + kWord.size();
    std::from_chars(first, version.text.data() + version.text.size(), version.major);
  }
  return version;
}

// The architectures that a version knows, and the PTX version that its kernels are written in. Sources: the
// release notes of LLVM 14 and 16. PTX for an older architecture runs on a newer one.
uint32_t targetFor(uint32_t sm, uint32_t clang) {
  constexpr std::array<uint32_t, 7> kKnown{70, 72, 75, 80, 86, 89, 90};
  const uint32_t newest = clang >= 16 ? 90 : 86;
  uint32_t target = kKnown.front();
  for (const uint32_t known : kKnown) {
    if (known <= sm && known <= newest) target = known;
  }
  return target;
}

}  // namespace

Expected<CompilerAnswer> compileWithClang(const CompileJob& job) {
  CompilerAnswer answer;
  const std::filesystem::path program = findProgram(programNames(), job.search_path);
  answer.is_here = !program.empty();
  if (!answer.is_here) return answer;
  const auto version = versionOf(program, job);
  if (!version) return tl::unexpected(version.error());
  answer.version = version->text;
  if (version->major < kOldest) {
    return fail(ErrorKind::kBadRequest, "{} is '{}', but clang {} or later is needed: apt install clang",
                program.string(), version->text, kOldest);
  }
  const std::filesystem::path headers = assetsFolder() / "cuda_headers";
  std::vector<std::string> arguments{
      program.string(), "-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib",
      // Otherwise an installed CUDA Toolkit decides on the PTX's version, or is warned of.
      "--cuda-path=/nonexistent",
      fmt::format("--cuda-gpu-arch=sm_{}", targetFor(job.request.sm, version->major)), "-Xclang",
      "-target-feature", "-Xclang", version->major >= 16 ? "+ptx78" : "+ptx75", "-std=c++17", "-O3",
      "-gline-directives-only", "-fno-color-diagnostics", "-fno-caret-diagnostics", "-ferror-limit=50",
      "-Wno-unknown-cuda-version", "-Wno-register", "-isystem", headers.string(), "-include",
      "cuda_runtime.h"};
  for (std::string& argument : job.commonArguments()) arguments.push_back(std::move(argument));
  for (const std::string& argument :
       {std::string("-S"), job.input.string(), std::string("-o"), job.output().string()}) {
    arguments.push_back(argument);
  }
  auto end = runLimited(arguments, job.limits(), job.scratch, job.stop);
  if (!end) return tl::unexpected(end.error());
  answer.end = std::move(*end);
  return answer;
}

Expected<void> compileForHost(const std::string& text, const std::filesystem::path& folder,
                              const std::filesystem::path& program) {
  const std::filesystem::path clang = findProgram(programNames(), usualSearchPath());
  if (clang.empty()) return fail(ErrorKind::kNoDevice, "functions of the host need clang: apt install clang");
  const ScratchFolder scratch;
  const std::filesystem::path source = scratch.path() / "host.cu";
  if (auto written = replaceFile(source, text); !written) return written;
  const auto end = runLimited({clang.string(),
                               "-x",
                               "cuda",
                               "--cuda-host-only",
                               "-nocudainc",
                               "-nocudalib",
                               "--cuda-path=/nonexistent",
                               "-std=c++17",
                               "-O1",
                               "-w",
                               "-fno-color-diagnostics",
                               "-fno-caret-diagnostics",
                               "-isystem",
                               (assetsFolder() / "cuda_headers").string(),
                               "-include",
                               "cuda_runtime.h",
                               "-iquote",
                               folder.string(),
                               "-I",
                               folder.string(),
                               source.string(),
                               "-o",
                               program.string(),
                               "-no-pie",
                               "-Wl,--unresolved-symbols=ignore-all",
                               "-lm"},
                              {}, scratch.path(), {});
  if (!end) return tl::unexpected(end.error());
  if (end->exit_status == 0) return {};
  std::vector<std::string> errors;
  for (const Diagnostic& each : parseDiagnostics(end->output)) {
    if (each.severity == Severity::kError) errors.push_back(formatDiagnostic(each));
  }
  const std::string said = errors.empty() ? end->output : fmt::format("{}", fmt::join(errors, "\n"));
  return fail(ErrorKind::kBadRequest, "clang cannot compile it for the host: {}", said);
}

}  // namespace warpscope
