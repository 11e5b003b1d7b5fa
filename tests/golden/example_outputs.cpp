// What the programs of examples/cuda compute on a device, as digests that can be compared between devices and
// between compilers:
//   example_outputs DEVICE PROGRAM...                 a program is a .cu file, or a saved one
//   example_outputs --save FOLDER COMPILER FILE...    compiles files for a machine that has no such compiler
#include <fmt/format.h>
#include <xxhash.h>

#include <chrono>
#include <exception>

#include "kernels/core/files.h"
#include "kernels/core/json.h"
#include "kernels/device/device.h"
#include "kernels/execute/executor.h"
#include "kernels/program/program.h"
#include "kernels/recording/run_json.h"
#include "tests/support/plan_runner.h"

namespace warpscope::test {
namespace {

using ProgramPointer = std::shared_ptr<const Program>;

RunRequest requestOf(const ProgramPointer& program, const std::string& kernel) {
  RunRequest request{.family = program->name, .variant = kernel, .repeats = 11};
  request.program = program;
  return request;
}

ProgramPointer open(const std::filesystem::path& file) {
  if (isProgramFile(file)) return loadProgram(file).value().program;
  return requestFromJson(Json::parse(readFile(file).value()).value()).value().program;
}

int save(const std::filesystem::path& folder, const std::string& compiler, std::span<char*> files) {
  LoadOptions options;
  options.compiler = compiler == "clang" ? Compiler::kClang : Compiler::kNvrtc;
  for (const std::filesystem::path file : files) {
    const ProgramPointer program = loadProgram(file, options).value().program;
    const auto written =
        replaceFile(folder / (program->name + ".json"), toJson(requestOf(program, "")).dump());
    if (!written) fmt::print(stderr, "{}\n", written.error().message);
  }
  return 0;
}

std::string digests(const std::vector<Bytes>& outputs) {
  std::string text;
  for (const Bytes& output : outputs) text += fmt::format(" {:016x}", XXH64(output.data(), output.size(), 0));
  return text;
}

// One line: the kernel, what its outputs are with and without marks, and how its run went.
void report(const OpenedBackend& opened, Executor& executor, const Experiment& experiment,
            const RunRequest& request) {
  const auto plan = experiment.plan(request, opened.any().description().limits);
  const auto run = executor.run(request, {}, {});
  if (!plan || !run) {
    fmt::print("{} {} FAILED: {}\n", request.family, request.variant,
               plan ? run.error().message : plan.error().message);
    return;
  }
  const auto outputs = runPlan(opened.any(), *plan, ProbeKind::kBare, Bytes());
  const char* verdict = run->verification.passed      ? "verified"
                        : run->verification.unchecked ? "unchecked"
                                                      : "WRONG";
  fmt::print("{} {}{} | {}, {:.1f} us, marks cost {:.2f}, {} events kept, {} lost; {}\n", request.family,
             request.variant, digests(outputs), verdict, run->timing.median_us, run->probe.ratio,
             run->probe.kept, run->probe.dropped, run->verification.detail);
}

int run(const std::string& device, std::span<char*> files) {
  const OpenedBackend opened = openBackend(device).value();
  Executor executor(opened);
  for (const std::filesystem::path file : files) {
    try {
      const auto begin = std::chrono::steady_clock::now();
      const ProgramPointer program = open(file);
      const Experiment* experiment = addProgram(program).value();
      const std::chrono::duration<double, std::milli> loading = std::chrono::steady_clock::now() - begin;
      fmt::print("# {}: {}, {:.0f} ms to load\n", program->name, program->compiler, loading.count());
      for (const VariantInfo& kernel : experiment->info().variants)
        report(opened, executor, *experiment, requestOf(program, kernel.name));
    } catch (const std::exception& problem) {
      fmt::print("{} FAILED: {}\n", file.string(), problem.what());
    }
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace warpscope::test

int main(int argc, char** argv) {
  const std::span<char*> words(argv, static_cast<size_t>(argc));
  try {
    if (words.size() > 4 && std::string(words[1]) == "--save")
      return warpscope::test::save(words[2], words[3], words.subspan(4));
    if (words.size() > 2) return warpscope::test::run(words[1], words.subspan(2));
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}\n", problem.what());
    return 1;
  }
  fmt::print(stderr, "example_outputs DEVICE PROGRAM... | --save FOLDER COMPILER FILE...\n");
  return 2;
}
