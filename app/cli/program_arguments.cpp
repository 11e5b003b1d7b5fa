#include "app/cli/program_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/source_file.h"
#include "kernels/program/program.h"

namespace warpscope {
namespace {

constexpr std::array<std::string_view, 10> kCommandsWithFamilies{
    "run", "lanes", "record", "compare", "sweep", "occupancy", "check", "list", "gui", "screenshot"};
constexpr std::array<std::string_view, 5> kOptionsOfPrograms{"--compiler", "--define", "--include", "--marks",
                                                             "--output"};

// "mine.cu" of "mine.cu/scan,block=64@sim:h100"; empty: the argument names no file of kernels.
std::string fileIn(const std::string& argument) {
  for (const std::string_view extension : {".cu", ".cuh", ".ptx"}) {
    const size_t at = argument.rfind(extension);
    if (at == std::string::npos) continue;
    const size_t end = at + extension.size();
    if (end == argument.size() || argument[end] == '/' || argument[end] == ',' || argument[end] == '@')
      return argument.substr(0, end);
  }
  return {};
}

MarkLevel markLevelNamed(const std::string& name) {
  return name == "off" ? MarkLevel::kOff : name == "fine" ? MarkLevel::kFine : MarkLevel::kCoarse;
}

// They hold what was given to the subcommand that runs.
struct ProgramArguments {
  CompilerArguments compiler;
  std::string marks = "coarse";
};
ProgramArguments& programArguments() {
  static ProgramArguments arguments;
  return arguments;
}

Expected<LoadOptions> loadOptions(const std::vector<std::string>& arguments) {
  LoadOptions options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    // "--define NAME" or "--define=NAME".
    const size_t equals = arguments[i].find('=');
    const std::string name = arguments[i].substr(0, equals);
    if (equals == std::string::npos && i + 1 == arguments.size()) break;
    const std::string value =
        equals == std::string::npos ? arguments[i + 1] : arguments[i].substr(equals + 1);
    if (name == "--define") options.defines.push_back(value);
    if (name == "--include") options.include_folders.emplace_back(value);
    if (name == "--marks") options.marks = markLevelNamed(value);
    if (name != "--compiler") continue;
    const auto compiler = parseCompiler(value);
    if (!compiler) return tl::unexpected(compiler.error());
    options.compiler = *compiler;
  }
  return options;
}

Expected<std::string> addProgramOf(const std::string& file, const LoadOptions& options) {
  InterruptSource interrupt;
  const auto loaded = loadProgram(file, options, interrupt.token());
  if (!loaded) return tl::unexpected(loaded.error());
  for (const Diagnostic& one : loaded->warnings) {
    if (!one.file.empty()) printError("{}\n", formatDiagnostic(one));
  }
  const auto experiment = addProgram(loaded->program);
  if (!experiment) return tl::unexpected(experiment.error());
  return (*experiment)->info().name;
}

}  // namespace

Expected<std::vector<std::string>> withPrograms(std::vector<std::string> arguments) {
  if (arguments.size() < 2) return arguments;
  const bool is_file = !fileIn(arguments[1]).empty() && fileIn(arguments[1]) == arguments[1];
  if (is_file) arguments.insert(arguments.begin() + 1, "gui");
  if (std::ranges::find(kCommandsWithFamilies, arguments[1]) == kCommandsWithFamilies.end()) return arguments;
  const auto options = loadOptions(arguments);
  if (!options) return tl::unexpected(options.error());
  for (size_t i = 2; i < arguments.size(); ++i) {
    const std::string file = fileIn(arguments[i]);
    if (file.empty() || std::ranges::find(kOptionsOfPrograms, arguments[i - 1]) != kOptionsOfPrograms.end())
      continue;
    // The window opens files itself: it also shows those that have errors.
    const bool is_window = arguments[1] == "gui" || arguments[1] == "screenshot";
    if (is_window && arguments[i - 1] != "--family") continue;
    auto family = addProgramOf(file, *options);
    if (!family) return tl::unexpected(family.error());
    arguments[i].replace(0, file.size(), *family);
  }
  return arguments;
}

void addProgramOptions(Command command) {
  constexpr const char* kGroup = "For a file of your own (.cu, .ptx) in place of a family";
  addCompilerOptions(command, programArguments().compiler, kGroup);
  command.option("--marks", programArguments().marks, "How much its kernels record of themselves")
      .oneOf({"coarse", "fine", "off"})
      .showDefault()
      .inGroup(kGroup);
}

Expected<LoadOptions> programOptions() {
  const auto& [given, marks] = programArguments();
  const auto compiler = parseCompiler(given.compiler);
  if (!compiler) return tl::unexpected(compiler.error());
  LoadOptions options{.compiler = *compiler, .defines = given.defines, .marks = markLevelNamed(marks)};
  options.include_folders.assign(given.include_folders.begin(), given.include_folders.end());
  return options;
}

}  // namespace warpscope
