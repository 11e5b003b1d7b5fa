// Every program of examples/cuda, compiled by clang without CUDA and launched on the simulated GPU as its
// comments say: results against those of the reference kernel that the file names, or against what is
// computed here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "kernels/compile/limited_process.h"
#include "kernels/program/program.h"
#include "kernels/program/simulate_plan.h"
#include "tests/unit/example_results.h"

namespace warpscope {
namespace {

using testing::EndedLaunch;

// What has no result of its own: it prints, prepares what others begin with, or is broken on purpose.
const std::set<std::string> kWithoutResult{"hello", "makeMatrix", "makeGraph", "fill",
                                           "widen", "improve",    "shiftRace"};

std::vector<std::filesystem::path> examples() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(WARPSCOPE_SOURCE_FOLDER "/examples/cuda")) {
    if (isProgramFile(entry.path())) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

class Examples : public ::testing::TestWithParam<std::filesystem::path> {
 protected:
  void SetUp() override {
    if (findProgram({"clang++"}, std::getenv("PATH")).empty())
      GTEST_SKIP() << "clang is not here: apt install clang";
  }
};

EndedLaunch ended(const FamilyInfo& family, const std::string& kernel, const LaunchPlan& plan,
                  const std::vector<Bytes>& outputs) {
  EndedLaunch launch;
  for (const ParameterSpec* spec : parametersOf(family, kernel))
    launch.sizes[spec->name] = spec->default_value;
  size_t next = 0;
  for (const BufferSpec& buffer : plan.buffers) {
    if (buffer.role != BufferSpec::Role::kOutput) launch.arrays_before[buffer.name] = *buffer.generate();
    if (buffer.role != BufferSpec::Role::kInput) launch.arrays_after[buffer.name] = outputs.at(next++);
  }
  return launch;
}

TEST_P(Examples, LeaveWhatTheyShould) {
  LoadOptions options;
  options.compiler = Compiler::kClang;
  const auto loaded = loadProgram(GetParam(), options);
  ASSERT_TRUE(loaded) << loaded.error().message;
  for (const Diagnostic& warning : loaded->warnings) ADD_FAILURE() << formatDiagnostic(warning);
  const auto program = addProgram(loaded->program);
  ASSERT_TRUE(program) << program.error().message;
  for (const VariantInfo& kernel : (*program)->info().variants) {
    SCOPED_TRACE(kernel.name);
    EXPECT_EQ(kernel.summary.find("Guessed"), std::string::npos) << kernel.summary;
    RunRequest request;
    request.family = loaded->program->name;
    request.variant = kernel.name;
    request.program = loaded->program;
    const auto plan = (*program)->plan(request, DeviceLimits{});
    ASSERT_TRUE(plan) << plan.error().message;
    const auto outputs = simulatePlan(*plan, {.seconds = 60});
    ASSERT_TRUE(outputs) << outputs.error().message;
    const auto check = testing::exampleResults().find(kernel.name);
    if (plan->verify) {
      const std::vector<std::span<const std::byte>> views(outputs->begin(), outputs->end());
      const Verification result = plan->verify(views);
      EXPECT_TRUE(result.passed) << result.detail;
    } else if (check != testing::exampleResults().end()) {
      check->second(ended((*program)->info(), kernel.name, *plan, *outputs));
    } else {
      EXPECT_TRUE(kWithoutResult.contains(kernel.name)) << "nothing checks this kernel's result";
    }
  }
}

TEST_P(Examples, HaveTheSameKernelsWithNvrtc) {
  LoadOptions options;
  options.compiler = Compiler::kClang;
  const auto by_clang = loadProgram(GetParam(), options);
  ASSERT_TRUE(by_clang) << by_clang.error().message;
  options.compiler = Compiler::kNvrtc;
  const auto by_nvrtc = loadProgram(GetParam(), options);
  if (!by_nvrtc && by_nvrtc.error().message.find("there is no nvrtc here") != std::string::npos)
    GTEST_SKIP() << by_nvrtc.error().message;
  ASSERT_TRUE(by_nvrtc) << by_nvrtc.error().message;
  const auto kernels = [](const LoadedProgram& loaded) {
    std::set<std::string> names;
    const auto program = addProgram(loaded.program);
    EXPECT_TRUE(program) << (program ? "" : program.error().message);
    if (!program) return names;
    for (const VariantInfo& kernel : (*program)->info().variants) names.insert(kernel.name);
    return names;
  };
  EXPECT_EQ(kernels(*by_nvrtc), kernels(*by_clang));
}

INSTANTIATE_TEST_SUITE_P(All, Examples, ::testing::ValuesIn(examples()),
                         [](const auto& of) { return of.param.stem().string(); });

TEST(ExamplePrograms, AreAllFound) {
  EXPECT_GE(examples().size(), 42U);
}

}  // namespace
}  // namespace warpscope
