#include "kernels/compile/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "kernels/compile/compilers.h"
#include "kernels/compile/host_part.h"
#include "kernels/compile/scratch_folder.h"
#include "kernels/compile/source_text.h"
#include "kernels/core/files.h"

namespace warpscope {
namespace {

constexpr uint64_t kMostSourceBytes = uint64_t{16} << 20;
constexpr size_t kMostShownErrors = 20;

struct Entry {
  Compiler compiler;
  std::string_view name;
  Expected<CompilerAnswer> (*compile)(const CompileJob&);
};
constexpr std::array<Entry, 3> kChain{{{Compiler::kNvrtc, "nvrtc", compileWithNvrtc},
                                       {Compiler::kNvcc, "nvcc", compileWithNvcc},
                                       {Compiler::kClang, "clang", compileWithClang}}};

constexpr const char* kRemedy = "apt install clang";

std::string searchPath(const CompileRequest& request) {
  return request.search_path ? *request.search_path : usualSearchPath() + ":/usr/local/cuda/bin";
}

// The file to compile. Text that is given goes into a file of ours, whose lines are said to be the source's.
Expected<std::filesystem::path> prepareInput(const CompileRequest& request,
                                             const std::filesystem::path& scratch) {
  if (!request.text) {
    const auto readable = readFile(request.source, kMostSourceBytes);
    if (!readable) return tl::unexpected(readable.error());
    return request.source;
  }
  const std::filesystem::path input = scratch / "source.cu";
  const auto written = replaceFile(input, lineDirective(request.source) + *request.text);
  if (!written) return tl::unexpected(written.error());
  return input;
}

// Clang does not know a name that begins as those of CUDA do.
std::string hintForName(const std::string& text) {
  const bool unknown = text.find("undeclared identifier '") != std::string::npos ||
                       text.find("unknown type name '") != std::string::npos ||
                       text.find("no template named '") != std::string::npos ||
                       text.find("no matching function for call to '") != std::string::npos;
  const size_t quote = text.find('\'');
  if (!unknown || quote == std::string::npos) return {};
  const std::string_view name = std::string_view(text).substr(quote + 1);
  constexpr std::string_view kBeginnings[] = {"__",    "cuda", "atomic", "curand", "cublas",
                                              "cufft", "tex",  "surf",   "wmma"};
  if (std::ranges::none_of(kBeginnings, [&](std::string_view one) { return name.starts_with(one); }))
    return {};
  return " (warpscope's own headers do not offer this; NVIDIA's CUDA Toolkit may: --compiler nvcc or nvrtc)";
}

// What a message does not say: what offers a header or a function that is missing.
std::string hintFor(const Diagnostic& diagnostic, Compiler compiler) {
  const std::string& text = diagnostic.message;
  if (compiler == Compiler::kNvrtc && text.find("host functions are not allowed") != std::string::npos)
    return " (NVRTC takes no host part, and this one was not recognised: try --compiler clang)";
  const bool missing = text.find("file not found") != std::string::npos ||
                       text.find("cannot open source file") != std::string::npos ||
                       text.find("could not open source file") != std::string::npos;
  if (!missing) return compiler == Compiler::kClang ? hintForName(text) : "";
  if (compiler == Compiler::kNvrtc) return " (NVRTC has no headers of the host: try --compiler clang)";
  struct Offer {
    const char *part, *what;
  };
  constexpr Offer kOffers[] = {{"thrust/", "Thrust"},
                               {"cub/", "CUB"},
                               {"cuda/", "libcu++"},
                               {"nv/", "libcu++"},
                               {"cublas", "cuBLAS"},
                               {"curand", "cuRAND"},
                               {"cufft", "cuFFT"},
                               {"cusparse", "cuSPARSE"},
                               {"cusolver", "cuSOLVER"},
                               {"cudnn", "cuDNN, which is installed by itself"},
                               {"nccl", "NCCL, which is installed by itself"},
                               {"cutlass", "CUTLASS, which is installed by itself"},
                               {"mma.h", "tensor cores' functions"},
                               {"nvml", "NVML"},
                               {"nvToolsExt", "NVTX"},
                               {"nvtx3", "NVTX"},
                               {"helper_", "the CUDA samples' own header, of their folder Common"}};
  for (const auto& [part, what] : kOffers) {
    if (text.find(part) == std::string::npos) continue;
    return fmt::format(
        " ({}: it comes with NVIDIA's CUDA Toolkit or its samples, not with warpscope's own headers; with "
        "the "
        "Toolkit, --compiler nvcc takes it)",
        what);
  }
  return " (--include FOLDER adds a folder to search)";
}

Error sourceError(const CompileRequest& request, const Entry& entry, const CompilerAnswer& answer,
                  const std::vector<Diagnostic>& diagnostics) {
  std::vector<std::string> lines;
  size_t errors = 0;
  for (const Diagnostic& one : diagnostics) {
    if (one.severity != Severity::kError) continue;
    if (++errors > kMostShownErrors) continue;
    lines.push_back(formatDiagnostic(one) + hintFor(one, entry.compiler));
  }
  if (errors > kMostShownErrors)
    lines.push_back(fmt::format("and {} more errors", errors - kMostShownErrors));
  const std::string name = request.source.string();
  if (!lines.empty()) {
    return {ErrorKind::kBadRequest,
            fmt::format("{} cannot be compiled ({}):\n{}", name, answer.version, fmt::join(lines, "\n"))};
  }
  constexpr size_t kShownBytes = 2000;
  const std::string& said = answer.end.output;
  const std::string rest = said.substr(said.size() - std::min(said.size(), kShownBytes));
  if (answer.end.exit_status < 0) {
    return {ErrorKind::kWorkFailed,
            fmt::format("{}: {} crashed (signal {}) {}", name, entry.name, answer.end.signal, rest)};
  }
  return {ErrorKind::kWorkFailed, fmt::format("{}: {} failed with exit status {}: {}", name, entry.name,
                                              answer.end.exit_status, rest)};
}

// How each compiler and its allocator say that memory ran out.
bool ranOutOfMemory(const ProcessEnd& end) {
  if (end.exit_status == 0) return false;
  return std::ranges::any_of(std::array{"out of memory", "Out of memory", "bad_alloc",
                                        "Cannot allocate memory", "memory exhausted", "Killed"},
                             [&](const char* words) { return end.output.find(words) != std::string::npos; });
}

Expected<Compiled> finish(const CompileJob& job, const Entry& entry, CompilerAnswer answer) {
  const CompileRequest& request = job.request;
  const std::string name = request.source.string();
  if (answer.end.timed_out || answer.end.signal == SIGXCPU) {
    return fail(
        ErrorKind::kWorkFailed,
        "{}: {} was ended, because it took longer than {:g} s; a template or a loop of constants may be "
        "endless",
        name, entry.name, request.time_limit_s);
  }
  if (ranOutOfMemory(answer.end)) {
    return fail(
        ErrorKind::kWorkFailed,
        "{}: {} was ended, because it needs more than {:.2g} GiB of memory; a template may be endless", name,
        entry.name, static_cast<double>(request.memory_limit_bytes) / (1 << 30));
  }
  std::vector<Diagnostic> diagnostics = parseDiagnostics(answer.end.output);
  if (answer.end.exit_status != 0) return tl::unexpected(sourceError(request, entry, answer, diagnostics));
  auto ptx = readFile(job.output());
  if (!ptx) return fail(ErrorKind::kWorkFailed, "{}: {} wrote no PTX", name, entry.name);
  if (ptx->find(".entry") == std::string::npos) {
    return fail(ErrorKind::kBadRequest,
                "{} has no kernel: no __global__ function, or only templates of which none is launched",
                name);
  }
  // A header of the toolkit may define a name of our prelude again.
  std::erase_if(diagnostics, [](const Diagnostic& one) {
    return one.severity == Severity::kWarning && one.message.find(kPreludeName) != std::string::npos;
  });
  return Compiled{std::move(*ptx), entry.compiler, std::move(answer.version), std::move(diagnostics)};
}

// NVRTC compiles kernels alone. Where the host's part could not be taken out (host_part.h), it refuses the
// file, and the next compiler may take it.
bool mayHaveHostPart(const std::filesystem::path& input) {
  const auto text = readFile(input, kMostSourceBytes);
  return text && (text->find("<<<") != std::string::npos || text->find("main") != std::string::npos ||
                  text->find("#include") != std::string::npos);
}

}  // namespace

std::vector<std::string> CompileJob::commonArguments() const {
  std::vector<std::string> arguments;
  for (const std::string& define : request.defines) arguments.push_back("-D" + define);
  std::vector<std::filesystem::path> folders = request.include_folders;
  folders.insert(folders.begin(), request.source.has_parent_path() ? request.source.parent_path() : ".");
  for (const auto& folder : folders) arguments.push_back("-I" + folder.string());
  for (const auto& word :
       {std::string("-include"), (assetsFolder() / "cuda_headers/warpscope_mark.h").string()})
    arguments.push_back(word);
  return arguments;
}

Expected<Compiled> compileCuda(const CompileRequest& request, const std::stop_token& stop) {
  const ScratchFolder scratch;
  if (scratch.path().empty()) {
    return fail(ErrorKind::kWorkFailed, "cannot make a temporary folder to compile {} in",
                request.source.string());
  }
  const auto input = prepareInput(request, scratch.path());
  if (!input) return tl::unexpected(input.error());
  const CompileJob job{request, *input, scratch.path(), searchPath(request), stop};
  std::optional<Error> refused;
  for (const Entry& entry : kChain) {
    if (request.compiler && *request.compiler != entry.compiler) continue;
    auto answer = entry.compile(job);
    if (!answer) return tl::unexpected(answer.error());
    if (!answer->is_here) continue;
    auto compiled = finish(job, entry, std::move(*answer));
    if (compiled || request.compiler) return compiled;
    refused = compiled.error();
    if (entry.compiler != Compiler::kNvrtc || !mayHaveHostPart(*input)) break;
  }
  if (refused) return tl::unexpected(*refused);
  if (request.compiler) {
    return fail(ErrorKind::kBadRequest, "{}: there is no {} here; --compiler auto takes another{}",
                request.source.string(), compilerName(*request.compiler),
                *request.compiler == Compiler::kClang ? fmt::format(", and so does: {}", kRemedy) : "");
  }
  return fail(ErrorKind::kBadRequest,
              "{}: there is no CUDA compiler here (looked for libnvrtc.so, nvcc and clang++); do: {}",
              request.source.string(), kRemedy);
}

std::string_view compilerName(Compiler compiler) {
  return std::ranges::find(kChain, compiler, &Entry::compiler)->name;
}

bool isCudaSource(const std::filesystem::path& file) {
  return file.extension() == ".cu" || file.extension() == ".cuh";
}

Expected<std::optional<Compiler>> parseCompiler(std::string_view name) {
  if (name == "auto") return std::optional<Compiler>();
  for (const Entry& entry : kChain) {
    if (entry.name == name) return std::optional(entry.compiler);
  }
  return fail(ErrorKind::kBadRequest, "there is no compiler '{}': auto, nvrtc, nvcc or clang", name);
}

}  // namespace warpscope
