// `warpscope ptx`: lists what a PTX module contains, and which parts the simulated GPU does not support.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/shared_options.h"
#include "app/cli/source_file.h"
#include "app/cli/table.h"
#include "kernels/core/json.h"
#include "kernels/sim/ptx/opcode_table.h"
#include "kernels/sim/ptx/parser.h"

namespace warpscope {
namespace {

struct PtxArguments {
  std::string file;
  CompilerArguments compiler;
  bool json = false, list = false;
};

uint64_t bytesIn(const ptx::Function& function, ptx::Space space) {
  uint64_t bytes = 0;
  for (const ptx::Variable& variable : function.variables) {
    if (variable.space == space) bytes += variable.bytes;
  }
  return bytes;
}

std::map<std::string, uint64_t> registersByType(const ptx::Function& function) {
  std::map<std::string, uint64_t> count;
  for (const ptx::Register& one : function.registers) ++count[ptx::typeName(one.type)];
  return count;
}

// An array's type is that of its elements: "b8[72]".
std::string parameterType(const ptx::Variable& parameter) {
  const uint64_t element = ptx::bytesOf(parameter.type);
  if (parameter.bytes == element) return ptx::typeName(parameter.type);
  return fmt::format("{}[{}]", ptx::typeName(parameter.type), parameter.bytes / element);
}

Json kernelReport(const ptx::Function& kernel) {
  Json json = {{"kernel", kernel.name},
               {"line", kernel.ptx_line},
               {"instructions", kernel.instructions.size()},
               {"registers", registersByType(kernel)},
               {"shared_bytes", bytesIn(kernel, ptx::Space::kShared)},
               {"local_bytes", bytesIn(kernel, ptx::Space::kLocal)}};
  if (kernel.max_threads_per_block) json["max_threads_per_block"] = *kernel.max_threads_per_block;
  json["parameters"] = Json::array();
  for (const uint32_t index : kernel.parameters) {
    const ptx::Variable& parameter = kernel.variables[index];
    json["parameters"].push_back({{"name", parameter.name},
                                  {"type", parameterType(parameter)},
                                  {"bytes", parameter.bytes},
                                  {"alignment", parameter.alignment}});
  }
  return json;
}

Json moduleReport(const ptx::ModuleReport& report) {
  Json json = {
      {"file", report.module.name}, {"version", report.module.version}, {"target", report.module.target}};
  json["kernels"] = Json::array();
  for (const ptx::Function& function : report.module.functions) {
    if (function.is_entry && !function.is_declared_only) json["kernels"].push_back(kernelReport(function));
  }
  json["unsupported"] = Json::array();
  for (const ptx::Unsupported& one : report.unsupported) {
    json["unsupported"].push_back({{"line", one.ptx_line}, {"what", one.what}});
  }
  return json;
}

void printKernel(const ptx::Function& kernel) {
  print("{}\n  {} instructions, registers:", kernel.name, kernel.instructions.size());
  for (const auto& [type, count] : registersByType(kernel)) print(" {} {}", count, type);
  print("; {} bytes shared, {} local a thread", bytesIn(kernel, ptx::Space::kShared),
        bytesIn(kernel, ptx::Space::kLocal));
  if (kernel.max_threads_per_block) print("; at most {} threads a block", *kernel.max_threads_per_block);
  print("\n");
  if (kernel.parameters.empty()) return;
  Table table({{"  #", Align::kRight},
               {"parameter"},
               {"type"},
               {"bytes", Align::kRight},
               {"alignment", Align::kRight}});
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const ptx::Variable& parameter = kernel.variables[kernel.parameters[i]];
    table.addRow({fmt::format("  {}", i), parameter.name, parameterType(parameter),
                  fmt::format("{}", parameter.bytes), fmt::format("{}", parameter.alignment)});
  }
  print("{}", table.text());
}

void printModule(const ptx::ModuleReport& report) {
  const ptx::Module& module = report.module;
  print("{}: PTX {} for {}\n", module.name, module.version, module.target);
  for (const ptx::Function& function : module.functions) {
    if (function.is_entry && !function.is_declared_only) printKernel(function);
  }
  if (report.unsupported.empty()) {
    print("The simulated GPU supports all of it.\n");
    return;
  }
  print("The simulated GPU does not support {} of its places:\n", report.unsupported.size());
  for (const ptx::Unsupported& one : report.unsupported) {
    print("  {}:{}: {}\n", module.name, one.ptx_line, one.what);
  }
}

void printOpcodes(bool as_json) {
  auto array = Json::array();
  for (const ptx::OpcodeEntry& entry : ptx::opcodeTable()) {
    const std::string form = ptx::formatEntry(entry);
    if (as_json) {
      array.push_back({{"form", form}, {"section", entry.section}});
    } else {
      print("{:<7} {}\n", entry.section, form);
    }
  }
  if (as_json) printJson(array);
}

Expected<ptx::ModuleReport> readModule(const PtxArguments& arguments) {
  const std::string& file = arguments.file;
  const auto text = readPtx(file, arguments.compiler);
  if (!text) return tl::unexpected(text.error());
  return ptx::reportModule(*text, file);
}

Expected<ExitStatus> runPtx(const PtxArguments& arguments) {
  if (arguments.list) {
    printOpcodes(arguments.json);
    return kExitDone;
  }
  if (arguments.file.empty()) {
    return fail(ErrorKind::kBadRequest, "ptx needs a FILE, or --list");
  }
  const Expected<ptx::ModuleReport> report = readModule(arguments);
  if (!report) return tl::unexpected(report.error());
  if (arguments.json) {
    printJson(moduleReport(*report));
  } else {
    printModule(*report);
  }
  return kExitDone;
}

}  // namespace

void addPtxCommand(Command root) {
  Command command = root.subcommand("ptx", "List a PTX module's kernels and what of it is not supported");
  command.examples(
      "Examples:\n  warpscope ptx kernels.ptx\n  warpscope ptx kernels.ptx --json\n"
      "  warpscope ptx mine.cu --compiler clang\n"
      "  warpscope ptx --list        every instruction form that the simulated GPU executes");
  const auto arguments = std::make_shared<PtxArguments>();
  command.option("FILE", arguments->file,
                 "PTX, as nvcc -ptx writes it, or CUDA C++ (.cu), which is compiled first");
  addCompilerOptions(command, arguments->compiler, "For a .cu file");
  addJsonFlag(command, arguments->json);
  command.flag("--list", arguments->list, "Print the supported instructions instead");
  command.runs([arguments] { return runPtx(*arguments); });
}

}  // namespace warpscope
