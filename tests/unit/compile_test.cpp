#include "kernels/compile/compile.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "kernels/compile/limited_process.h"
#include "kernels/sim/ptx/parser.h"
#include "tests/support/built_program.h"

namespace warpscope {
namespace {

using std::filesystem::path;

constexpr const char* kScale = R"(#include <cstdio>
#include <vector>
__global__ void scale(float* p, float by) {
  p[threadIdx.x] *= by;
}
int main() {
  std::vector<float> host(32);
  float* p;
  cudaMalloc(&p, 128);
  scale<<<1, 32>>>(p, 2.0f);
  std::printf("%d\n", static_cast<int>(cudaDeviceSynchronize()));
}
)";

// Compilers of our own: scripts, which are all that a search path of one folder has.
class Compiling : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::makeScratchFolder();
    request_.source = folder_ / "mine.cu";
    request_.text = kScale;
    request_.nvrtc_program = testing::builtProgram();
    setenv("WARPSCOPE_ASSETS", WARPSCOPE_SOURCE_FOLDER "/assets", 1);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  path script(const std::string& name, const std::string& text) {
    path file = folder_ / name;
    std::ofstream(file) << "#!/bin/sh\n" << text;
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }
  void onlyScripts() {
    request_.search_path = folder_.string();
    request_.nvrtc_program = script("no_nvrtc", "exit 3\n");
  }
  std::string errorOf(const CompileRequest& request, ErrorKind kind) {
    const auto compiled = compileCuda(request);
    if (compiled) return "it was compiled";
    EXPECT_EQ(compiled.error().kind, kind) << compiled.error().message;
    return compiled.error().message;
  }

  path folder_;
  CompileRequest request_;
};

#define EXPECT_CONTAINS(text, part) EXPECT_PRED_FORMAT2(::testing::IsSubstring, part, text)

class EachCompiler : public Compiling, public ::testing::WithParamInterface<Compiler> {
 protected:
  void SetUp() override {
    Compiling::SetUp();
    request_.compiler = GetParam();
    request_.text = "__global__ void k(int* p) { *p = 1; }";
    const auto compiled = compileCuda(request_);
    if (!compiled && compiled.error().message.find("there is no") != std::string::npos)
      GTEST_SKIP() << compiled.error().message;
  }
};

TEST_P(EachCompiler, GivesPtxWithTheLinesOfTheSource) {
  request_.text = "__global__ void scale(float* p, float by) {\n  p[threadIdx.x] *= by;\n}\n";
  const auto compiled = compileCuda(request_);
  ASSERT_TRUE(compiled) << compiled.error().message;
  EXPECT_EQ(compiled->compiler, GetParam());
  EXPECT_FALSE(compiled->compiler_version.empty());
  EXPECT_CONTAINS(compiled->ptx, "mine.cu");
  const auto module = ptx::parseModule(compiled->ptx, "mine.cu");
  ASSERT_TRUE(module) << module.error().message;
  bool has_line = false;
  for (const ptx::Instruction& instruction : module->functions.at(0).instructions) {
    has_line |= instruction.source.at.line == 2;
  }
  EXPECT_TRUE(has_line);
}

TEST_P(EachCompiler, NamesTheLineOfEachError) {
  request_.text = "__global__ void k(int* p) {\n  *p = first();\n  *p = second();\n}\n";
  const std::string message = errorOf(request_, ErrorKind::kBadRequest);
  EXPECT_CONTAINS(message, "mine.cu:2:");
  EXPECT_CONTAINS(message, "first");
  EXPECT_CONTAINS(message, "mine.cu:3:");
  EXPECT_CONTAINS(message, "second");
}

TEST_P(EachCompiler, TakesDefinesAndFolders) {
  std::filesystem::create_directory(folder_ / "more");
  std::ofstream(folder_ / "beside.h") << "#define BESIDE 1\n";
  std::ofstream(folder_ / "more" / "other.h") << "#define OTHER 2\n";
  request_.text =
      "#include \"beside.h\"\n#include \"other.h\"\n"
      "static_assert(BESIDE + OTHER + N == 7, \"\");\n__global__ void k() {}\n";
  request_.defines = {"N=4"};
  request_.include_folders = {folder_ / "more"};
  const auto compiled = compileCuda(request_);
  EXPECT_TRUE(compiled) << compiled.error().message;
}

// kernels/mark finds them there.
TEST_P(EachCompiler, KeepsTheNamesOfMarksAtTheirLines) {
  request_.text =
      "__device__ int twice(int a) {\n  WARPSCOPE_MARK(\"double it\");\n  return 2 * a;\n}\n"
      "__global__ void k(int* p) {\n  WARPSCOPE_MARK(\"load\");\n  const int a = *p;\n  *p = twice(a);\n}\n";
  const auto compiled = compileCuda(request_);
  ASSERT_TRUE(compiled) << compiled.error().message;
  const size_t load = compiled->ptx.find("// warpscope mark: load");
  const size_t twice = compiled->ptx.find("// warpscope mark: double it");
  ASSERT_NE(load, std::string::npos) << compiled->ptx;
  ASSERT_NE(twice, std::string::npos) << compiled->ptx;
  EXPECT_LT(load, compiled->ptx.find("ld.global"));
  EXPECT_LT(twice, compiled->ptx.find("st.global"));
}

TEST_P(EachCompiler, GivesItsWarnings) {
  request_.text = "__global__ void k(int* p) {\n  int a;\n#warning look here\n  *p = 1;\n}\n";
  const auto compiled = compileCuda(request_);
  ASSERT_TRUE(compiled) << compiled.error().message;
  bool found = false;
  for (const Diagnostic& one : compiled->diagnostics) {
    found |= one.severity == Severity::kWarning && one.line == 3;
  }
  EXPECT_TRUE(found);
}

INSTANTIATE_TEST_SUITE_P(Chain, EachCompiler,
                         ::testing::Values(Compiler::kNvrtc, Compiler::kNvcc, Compiler::kClang),
                         [](const auto& one) { return std::string(compilerName(one.param)); });

TEST_F(Compiling, AHostPartDoesNotDisturb) {
  if (findProgram({"clang++"}, std::getenv("PATH")).empty())
    GTEST_SKIP() << "clang is not here: apt install clang";
  request_.compiler = Compiler::kClang;
  const auto compiled = compileCuda(request_);
  ASSERT_TRUE(compiled) << compiled.error().message;
  request_.compiler.reset();
  EXPECT_TRUE(compileCuda(request_));
}

TEST_F(Compiling, AFileIsReadWhereNoTextIsGiven) {
  request_.text.reset();
  EXPECT_CONTAINS(errorOf(request_, ErrorKind::kBadRequest), "mine.cu: No such file");
}

TEST_F(Compiling, AFileWithoutKernelsIsRefused) {
  if (findProgram({"clang++"}, std::getenv("PATH")).empty())
    GTEST_SKIP() << "clang is not here: apt install clang";
  request_.compiler = Compiler::kClang;
  request_.text = "template <class T> __global__ void k(T* p) { *p = 1; }";
  EXPECT_CONTAINS(errorOf(request_, ErrorKind::kBadRequest), "has no kernel");
}

TEST_F(Compiling, WithoutACompilerTheRemedyIsNamed) {
  onlyScripts();
  const std::string message = errorOf(request_, ErrorKind::kBadRequest);
  EXPECT_CONTAINS(message, "libnvrtc.so, nvcc and clang++");
  EXPECT_CONTAINS(message, "apt install clang");
  request_.compiler = Compiler::kNvcc;
  EXPECT_CONTAINS(errorOf(request_, ErrorKind::kBadRequest), "there is no nvcc here");
}

TEST_F(Compiling, AnOldClangIsRefused) {
  onlyScripts();
  script("clang++", "echo 'clang version 11.0.1'\n");
  EXPECT_CONTAINS(errorOf(request_, ErrorKind::kBadRequest), "clang 14 or later is needed");
}

TEST_F(Compiling, ACompilerThatHangsIsKilled) {
  onlyScripts();
  script("clang++", "[ \"$1\" = --version ] && echo 'clang version 14.0.6' && exit\nsleep 1000 & wait\n");
  request_.time_limit_s = 0.3;
  EXPECT_CONTAINS(errorOf(request_, ErrorKind::kWorkFailed), "took longer than 0.3 s");
}

TEST_F(Compiling, ACompilerThatTakesAllMemoryIsEnded) {
  onlyScripts();
  script("clang++",
         "[ \"$1\" = --version ] && echo 'clang version 14.0.6' && exit\n"
         "head -c 800000000 /dev/zero | tail -c 700000000 >/dev/null\n");
  request_.memory_limit_bytes = uint64_t{256} << 20;
  EXPECT_CONTAINS(errorOf(request_, ErrorKind::kWorkFailed), "needs more than 0.25 GiB");
}

TEST_F(Compiling, CanBeCancelled) {
  onlyScripts();
  script("clang++", "[ \"$1\" = --version ] && echo 'clang version 14.0.6' && exit\nsleep 1000\n");
  std::stop_source stop;
  std::jthread soon([&stop] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  });
  const auto compiled = compileCuda(request_, stop.get_token());
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().kind, ErrorKind::kCancelled);
}

}  // namespace
}  // namespace warpscope
