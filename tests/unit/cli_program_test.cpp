// A user's own file in place of a family, as scripts use it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/clang_test.h"
#include "tests/support/parse_json.h"

namespace warpscope {
namespace {

using testing::Outcome;

constexpr const char* kAssets = WARPSCOPE_SOURCE_FOLDER "/assets";
constexpr const char* kSource = R"(
// warpscope: block = 64, n = 2^10 in 32..2^16, grid = ceil(n / block), in = random[n] in 0..99, out = zeros[n], output = 3
// warpscope: reference = host squaresOnHost
__global__ void squares(const int* in, int* out, int n, int output) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i] + output;
}
__global__ void wrong(const int* in, int* out, int n, int output) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i] + output + (i == 700);
}
void squaresOnHost(const int* in, int* out, int n, int output) {
  for (int i = 0; i < n; ++i) out[i] = in[i] * in[i] + output;
}
)";

class ProgramCommandLine : public testing::ClangTest {
 protected:
  void SetUp() override {
    ClangTest::SetUp();
    if (!folder_.empty()) std::ofstream(folder_ / "mine.cu") << kSource;
  }
  // "@mine.cu": in the test's folder.
  Outcome run(std::string arguments) const {
    for (size_t at = arguments.find('@'); at != std::string::npos; at = arguments.find('@'))
      arguments.replace(at, 1, folder_.string() + "/");
    return testing::runProgram(arguments, kAssets, folder_);
  }
};

TEST_F(ProgramCommandLine, RunsItsKernelsAndComparesThemWithTheReference) {
  const Outcome outcome = run("run @mine.cu --device sim:teaching --compiler clang --json");
  EXPECT_EQ(outcome.status, 1) << outcome.err;  // one of them is wrong
  const Json runs = testing::parseJson(outcome.out);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_TRUE(runs.at(0).at("verified").get<bool>());
  EXPECT_FALSE(runs.at(1).at("verified").get<bool>());
  EXPECT_EQ(runs.at(0).at("parameters").at("block").get<int64_t>(), 64);
  EXPECT_GT(runs.at(0).at("regions").size(), 0U);
  const Outcome table = run("run @mine.cu --kernel wrong --device sim:teaching --compiler clang");
  EXPECT_NE(table.out.find("out[700] = "), std::string::npos) << table.out;
}

// However the file is named: what compilers write into the PTX is its whole path.
TEST_F(ProgramCommandLine, LinesAreThoseOfAFileNamedByARelativePath) {
  const std::filesystem::path relative = std::filesystem::relative(folder_ / "mine.cu");
  ASSERT_TRUE(relative.is_relative());
  for (const std::string& file : {relative.string(), (folder_ / "mine.cu").string()}) {
    const Outcome outcome =
        run(fmt::format("lanes '{}' --variant squares --device sim:h100 --compiler clang --json", file));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const Json accesses = testing::parseJson(outcome.out).at("accesses");
    ASSERT_EQ(accesses.size(), 2U);
    EXPECT_EQ(accesses.at(0).at("line").get<int>(), 6) << file;
  }
}

TEST_F(ProgramCommandLine, WhatHeadersOfferStandsAtTheLineThatCallsIt) {
  std::ofstream(folder_ / "calls.cu") << R"(#include <cooperative_groups.h>
__global__ void k(int* out) {
  const int other = __shfl_xor_sync(0xffffffffu, out[threadIdx.x], 1);
  auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  out[threadIdx.x] = warp.shfl(other, 3);
}
)";
  const Outcome outcome = run("lanes @calls.cu --device sim:h100 --compiler clang --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::vector<int> lines;  // a read, two exchanges, a write
  const Json report = testing::parseJson(outcome.out);
  for (const Json& access : report.at("accesses")) lines.push_back(access.at("line").get<int>());
  EXPECT_EQ(lines, (std::vector<int>{3, 3, 5, 5}));
}

TEST_F(ProgramCommandLine, ParametersAreOptions) {
  const Outcome outcome =
      run("run @mine.cu --kernel squares --block 32,128 --n 100 --arg-output 7 --device sim:teaching "
          "--compiler clang --json");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json runs = testing::parseJson(outcome.out);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(1).at("parameters").at("block").get<int64_t>(), 128);
  EXPECT_EQ(runs.at(1).at("parameters").at("output").get<int64_t>(), 7);
  EXPECT_TRUE(runs.at(1).at("verified").get<bool>());
  EXPECT_EQ(run("run @mine.cu --n 99999999 --device sim:teaching --compiler clang").status, 2);
}

TEST_F(ProgramCommandLine, ARecordingHoldsTheProgram) {
  EXPECT_EQ(
      run("record @mine.cu --kernel squares --device sim:teaching --compiler clang --output @mine.wsrec")
          .status,
      0);
  std::filesystem::remove(folder_ / "mine.cu");
  const Outcome shown = run("show @mine.wsrec --json");
  ASSERT_EQ(shown.status, 0) << shown.err;
  EXPECT_EQ(testing::parseJson(shown.out).at(0).at("family").get<std::string>(), "mine.cu");
}

TEST_F(ProgramCommandLine, IsComparedAndSweptAndListed) {
  EXPECT_EQ(
      run("compare @mine.cu/squares,block=32 @mine.cu/squares --device sim:teaching --compiler clang").status,
      0);
  const Outcome sweep =
      run("sweep @mine.cu --kernel squares --block 32,64 --device sim:teaching --compiler clang --output "
          "@points");
  EXPECT_EQ(sweep.status, 0) << sweep.err;
  const Outcome list = run("list @mine.cu --compiler clang");
  EXPECT_NE(list.out.find("--arg-output"), std::string::npos) << list.out;
  const Outcome lanes = run("lanes @mine.cu --kernel squares --device sim:teaching --compiler clang");
  EXPECT_EQ(lanes.status, 0) << lanes.err;
  const Outcome occupancy = run("occupancy @mine.cu --kernel squares --device sim:teaching --compiler clang");
  EXPECT_EQ(occupancy.status, 0) << occupancy.err;
}

TEST_F(ProgramCommandLine, AScreenshotOpensItAsTheWindowDoes) {
  // What is refused is the selection, for which no display is needed, and not the file.
  const Outcome outcome = run("screenshot @mine.cu --select nonsense");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("--select: 'nonsense'"), std::string::npos) << outcome.err;
}

TEST_F(ProgramCommandLine, ErrorsNameFileAndLine) {
  std::ofstream(folder_ / "syntax.cu") << "__global__ void k(int* out) {\n  out[0] = ;\n}\n";
  const Outcome syntax = run("run @syntax.cu --compiler clang --device sim:teaching");
  EXPECT_EQ(syntax.status, 2);
  EXPECT_NE(syntax.err.find("syntax.cu:2:"), std::string::npos) << syntax.err;
  std::ofstream(folder_ / "comment.cu")
      << "// warpscope: out = many[3]\n__global__ void k(int* out) { out[0] = 1; }\n";
  const Outcome comment = run("run @comment.cu --compiler clang --device sim:teaching");
  EXPECT_EQ(comment.status, 2);
  EXPECT_NE(comment.err.find("comment.cu:1: out = many[3]"), std::string::npos) << comment.err;
  EXPECT_EQ(run("run @missing.cu").status, 2);
  // It writes behind its array: named with its line before anything else runs.
  std::ofstream(folder_ / "bounds.cu") << "// warpscope: block = 32, grid = 1, out = zeros[16]\n__global__ "
                                          "void k(int* out) {\n  out[threadIdx.x] = 1;\n}\n";
  const Outcome bounds = run("run @bounds.cu --compiler clang --device sim:teaching --checks");
  EXPECT_EQ(bounds.status, 1);
  EXPECT_NE((bounds.out + bounds.err).find("bounds.cu:3"), std::string::npos) << bounds.out << bounds.err;
  std::ofstream(folder_ / "endless.cu")
      << "// warpscope: block = 32, grid = 1, out = zeros[1]\n__global__ void k(volatile int* out) {\n"
         "  while (out[0] == 0) {\n  }\n}\n";
  const Outcome endless = run("run @endless.cu --compiler clang --device sim:teaching --checks");
  EXPECT_EQ(endless.status, 1);
  EXPECT_NE(endless.err.find("would not end"), std::string::npos) << endless.err;
}

}  // namespace
}  // namespace warpscope
