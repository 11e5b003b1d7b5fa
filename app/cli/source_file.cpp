#include "app/cli/source_file.h"

#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "kernels/compile/compile.h"
#include "kernels/core/files.h"

namespace warpscope {

void addCompilerOptions(Command command, CompilerArguments& arguments, const std::string& group) {
  command.option("--compiler", arguments.compiler, "The first that is there, or one of them")
      .oneOf({"auto", "nvrtc", "nvcc", "clang"})
      .showDefault()
      .inGroup(group);
  command.option("--define", arguments.defines, "A macro, NAME or NAME=VALUE").repeatable().inGroup(group);
  command.option("--include", arguments.include_folders, "A folder of headers").repeatable().inGroup(group);
}

Expected<std::string> readPtx(const std::filesystem::path& file, const CompilerArguments& arguments) {
  if (!isCudaSource(file)) return readFile(file);
  const auto compiler = parseCompiler(arguments.compiler);
  if (!compiler) return tl::unexpected(compiler.error());
  CompileRequest request{.source = file, .compiler = *compiler, .defines = arguments.defines};
  request.include_folders.assign(arguments.include_folders.begin(), arguments.include_folders.end());
  InterruptSource interrupt;
  auto compiled = compileCuda(request, interrupt.token());
  if (!compiled) return tl::unexpected(compiled.error());
  for (const Diagnostic& one : compiled->diagnostics) {
    if (!one.file.empty()) printError("{}\n", formatDiagnostic(one));
  }
  return std::move(compiled->ptx);
}

}  // namespace warpscope
