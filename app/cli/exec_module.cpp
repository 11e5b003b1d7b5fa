#include "app/cli/exec_module.h"

#include <fmt/format.h>

#include "kernels/sim/ptx/parser.h"

namespace warpscope {
namespace {

DeclaredParameter declared(const ptx::Variable& variable) {
  const uint32_t element = ptx::bytesOf(variable.type);
  std::string type = fmt::format(".{}", ptx::typeName(variable.type));
  if (element > 0 && variable.bytes != element) type += fmt::format("[{}]", variable.bytes / element);
  return {std::move(type), variable.bytes};
}

}  // namespace

Expected<ExecModule> readExecModule(const std::filesystem::path& file, const CompilerArguments& compiler) {
  auto text = readPtx(file, compiler);
  if (!text) return tl::unexpected(text.error());
  ExecModule module{file.string(), std::move(*text), {}};
  // Another device may be able to execute what the simulated GPU cannot.
  const auto report = ptx::reportModule(module.text, module.file);
  if (!report) return tl::unexpected(report.error());
  for (const ptx::Function& function : report->module.functions) {
    if (!function.is_entry) continue;
    ExecKernel kernel{function.name, {}};
    for (const uint32_t parameter : function.parameters) {
      kernel.parameters.push_back(declared(function.variables[parameter]));
    }
    module.kernels.push_back(std::move(kernel));
  }
  return module;
}

Expected<const ExecKernel*> findKernel(const ExecModule& module, const std::string& name) {
  std::vector<std::string> names;
  std::vector<const ExecKernel*> matching;
  for (const ExecKernel& kernel : module.kernels) {
    if (kernel.name == name) return &kernel;
    names.push_back(kernel.name);
    if (kernel.name.find(name) != std::string::npos) matching.push_back(&kernel);
  }
  if (matching.size() == 1) return matching.front();
  const std::string all = names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
  if (name.empty())
    return fail(ErrorKind::kBadRequest, "{}: say which --kernel; it has {}", module.file, all);
  return fail(ErrorKind::kBadRequest, "{}: {} is called '{}'; it has {}", module.file,
              matching.empty() ? "no kernel" : "more than one kernel", name, all);
}

}  // namespace warpscope
