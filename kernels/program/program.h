// A user's own file of kernels: read, compiled, marked, and made a family like any other.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kernels/compile/compile.h"
#include "kernels/core/error.h"
#include "kernels/experiments/experiment.h"
#include "kernels/run/program.h"

namespace warpscope {

// Whether the file's name is that of a program: .cu, .cuh or .ptx.
bool isProgramFile(const std::filesystem::path& file);

// Where the example programs are that come with this one.
std::filesystem::path examplesFolder();

struct LoadOptions {
  std::optional<Compiler> compiler{};  // absent: the first that is there
  std::vector<std::string> defines{};
  std::vector<std::filesystem::path> include_folders{};
  MarkLevel marks = MarkLevel::kCoarse;
};
struct LoadedProgram {
  std::shared_ptr<const Program> program;
  std::vector<Diagnostic> warnings;
};

// Reads the file, or takes `text` for its content, and compiles it. Errors: those of readFile and
// compileCuda; the file is not PTX; it has no kernels; a launch comment is not possible. Each names the file,
// and the line where there is one.
Expected<LoadedProgram> loadProgram(const std::filesystem::path& file, const LoadOptions& options = {},
                                    const std::stop_token& stop = {},
                                    std::optional<std::string> text = std::nullopt);

// Makes its kernels known to findExperiment() under the program's name, and returns their family. A program
// that was added before is only made the latest of its name. Errors as above: a recording may hold anything.
Expected<const Experiment*> addProgram(const std::shared_ptr<const Program>& program);

// What a launch comment would say to launch the request's kernel as the request does, and the program's
// source with that comment in it. Error: the request is not one of a program.
struct LaunchCommentText {
  std::string assignments;  // "block = 128, n = 2^20, ..."
  std::string source;
};
Expected<LaunchCommentText> launchComment(const RunRequest& request);

// How the kernel is marked, for people: what was left out, and why. Empty for families that are built in.
std::vector<std::string> markNotes(const RunRequest& request);

}  // namespace warpscope
