#include "kernels/program/program.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "kernels/core/files.h"
#include "kernels/experiments/kernel_modules.h"
#include "kernels/mark/mark.h"
#include "kernels/program/launch_comment.h"
#include "kernels/program/program_experiment.h"
#include "kernels/sim/ptx/parser.h"

namespace warpscope {
namespace {

// "saxpy.cu"; where another file of that name was read before, with its folder's name: "b/saxpy.cu".
std::string nameOf(const std::filesystem::path& file) {
  static std::mutex mutex;
  static std::map<std::string, std::filesystem::path> files;
  const std::lock_guard lock(mutex);
  std::error_code ignored;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(file, ignored);
  std::filesystem::path name = whole.filename();
  for (std::filesystem::path folder = whole.parent_path();; folder = folder.parent_path()) {
    const auto known = files.try_emplace(name.string(), whole).first;
    if (known->second == whole || folder == folder.parent_path()) return name.string();
    name = folder.filename() / name;
  }
}

Expected<std::vector<ProgramKernel>> kernelsOf(const Program& program) {
  // Another device may be able to execute what the simulated GPU cannot.
  const auto report = ptx::reportModule(program.ptx, program.file);
  if (!report) return tl::unexpected(report.error());
  const auto comments = readLaunchComments(program.source, program.file);
  if (!comments) return tl::unexpected(comments.error());
  std::vector<KernelSignature> signatures = kernelSignatures(report->module, program.source);
  if (signatures.empty()) {
    return fail(ErrorKind::kBadRequest, "{} has no kernel: a function that is __global__{}", program.file,
                program.isPtx() ? " (.entry)" : "; a template needs an explicit instantiation");
  }
  std::set<std::string> names;
  for (KernelSignature& each : signatures) {
    if (!names.insert(each.name).second) each.name = each.entry;  // overloads
  }
  std::vector<ProgramKernel> kernels;
  for (const KernelSignature& each : signatures) {
    auto rules = makeLaunchRules(each, signatures, *comments, program.file);
    if (!rules) return tl::unexpected(rules.error());
    kernels.push_back({each, std::move(*rules), {}, {}});
  }
  for (const LaunchAssignment& each : *comments) {
    const bool known =
        each.kernel.empty() || std::ranges::any_of(signatures, [&](const KernelSignature& kernel) {
          return kernel.name == each.kernel || kernel.name.substr(0, kernel.name.find('<')) == each.kernel;
        });
    if (known) continue;
    return fail(ErrorKind::kBadRequest, "{}:{}: there is no kernel '{}'; the file has {}", program.file,
                each.line, each.kernel, fmt::join(names, ", "));
  }
  return kernels;
}

const ProgramExperiment* experimentOf(const RunRequest& request) {
  return request.program == nullptr
             ? nullptr
             : dynamic_cast<const ProgramExperiment*>(addedExperiment(*request.program));
}

// Compilers write the whole path of a source that is named by a relative one; lines are looked up by the name
// that the user gave.
std::string withFileNamed(const std::string& ptx, const std::filesystem::path& file) {
  std::error_code ignored;
  const auto whole = std::filesystem::weakly_canonical(file, ignored);
  std::string named;
  size_t at = 0;
  while (at < ptx.size()) {
    const size_t end = std::min(ptx.find('\n', at), ptx.size() - 1) + 1;
    const std::string_view line = std::string_view(ptx).substr(at, end - at);
    at = end;
    const size_t open = line.find('"'), close = line.find('"', open + 1);
    const size_t first = line.find_first_not_of(" \t");
    const bool names = first != std::string_view::npos && line.substr(first).starts_with(".file") &&
                       close != std::string_view::npos;
    if (!names ||
        std::filesystem::weakly_canonical(line.substr(open + 1, close - open - 1), ignored) != whole) {
      named += line;
    } else {
      named += fmt::format("{}{}{}", line.substr(0, open + 1), file.string(), line.substr(close));
    }
  }
  return named;
}

}  // namespace

bool isProgramFile(const std::filesystem::path& file) {
  return isCudaSource(file) || file.extension() == ".ptx";
}

std::filesystem::path examplesFolder() {
  std::error_code ignored;
  std::filesystem::path installed = assetsFolder() / "examples";
  if (std::filesystem::is_directory(installed, ignored)) return installed;
  return assetsFolder().parent_path() / "examples" / "cuda";
}

Expected<LoadedProgram> loadProgram(const std::filesystem::path& file, const LoadOptions& options,
                                    const std::stop_token& stop, std::optional<std::string> text) {
  if (!text) {
    auto read = readFile(file);
    if (!read) return tl::unexpected(read.error());
    text = std::move(*read);
  }
  LoadedProgram loaded;
  Program program{
      .name = nameOf(file), .file = file.string(), .source = std::move(*text), .marks = options.marks};
  if (isCudaSource(file)) {
    auto compiled = compileCuda({.source = file,
                                 .text = program.source,
                                 .compiler = options.compiler,
                                 .defines = options.defines,
                                 .include_folders = options.include_folders},
                                stop);
    if (!compiled) return tl::unexpected(compiled.error());
    program.ptx = withFileNamed(compiled->ptx, file);
    program.compiler = fmt::format("{} ({})", compilerName(compiled->compiler), compiled->compiler_version);
    loaded.warnings = std::move(compiled->diagnostics);
  } else {
    program.ptx = program.source;
  }
  loaded.program = shared(std::move(program));
  return loaded;
}

Expected<const Experiment*> addProgram(const std::shared_ptr<const Program>& program) {
  if (const Experiment* known = addedExperiment(*program)) {
    addExperiment(program, nullptr);  // the latest of its name again
    return known;
  }
  auto kernels = kernelsOf(*program);
  if (!kernels) return tl::unexpected(kernels.error());
  auto marked = markModule(program->ptx, program->name, program->marks, program->file, program->source);
  if (!marked) return tl::unexpected(marked.error());
  const std::string module =
      fmt::format("{}#{:016x}", program->file, XXH3_64bits(marked->ptx.data(), marked->ptx.size()));
  std::vector<AddedKernel> entries;
  for (ProgramKernel& kernel : *kernels) {
    AddedKernel& entry = entries.emplace_back(AddedKernel{kernel.signature.name, kernel.signature.entry});
    const auto found = std::ranges::find(marked->kernels, kernel.signature.entry, &MarkedKernel::entry);
    if (found == marked->kernels.end()) continue;
    kernel.notes = found->notes;
    kernel.is_marked = !found->marked_entry.empty();
    kernel.regions = found->regions;
    entry.probed = found->marked_entry;
  }
  addModule(module, std::move(marked->ptx), std::move(entries));
  addExperiment(program, std::make_unique<ProgramExperiment>(program, module, std::move(*kernels)));
  return addedExperiment(*program);
}

Expected<LaunchCommentText> launchComment(const RunRequest& request) {
  const ProgramExperiment* experiment = experimentOf(request);
  const ProgramKernel* kernel = experiment == nullptr ? nullptr : experiment->kernel(request.variant);
  if (kernel == nullptr) return fail(ErrorKind::kBadRequest, "{} is not a kernel of a file", request.variant);
  LaunchCommentText comment;
  comment.assignments = formatLaunchRules(kernel->signature, kernel->rules, request.parameters);
  comment.source =
      withLaunchComment(experiment->program().source, kernel->signature.name, comment.assignments);
  return comment;
}

std::vector<std::string> markNotes(const RunRequest& request) {
  const ProgramExperiment* experiment = experimentOf(request);
  const ProgramKernel* kernel = experiment == nullptr ? nullptr : experiment->kernel(request.variant);
  return kernel == nullptr ? std::vector<std::string>{} : kernel->notes;
}

}  // namespace warpscope
