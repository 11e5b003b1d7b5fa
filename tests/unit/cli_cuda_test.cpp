// The built program with CUDA C++ files: the programs of examples/cuda, compiled by clang without CUDA, on
// the simulated H100.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "tests/support/clang_test.h"
#include "tests/support/parse_json.h"

namespace warpscope {
namespace {

using testing::Outcome;

constexpr const char* kExamples = WARPSCOPE_SOURCE_FOLDER "/examples/cuda";
constexpr const char* kAssets = WARPSCOPE_SOURCE_FOLDER "/assets";

class CudaCommandLine : public testing::ClangTest {
 protected:
  Outcome run(const std::string& arguments) const { return testing::runProgram(arguments, kAssets, folder_); }
  // The report of an example that runs as `launch` says.
  Json exec(const std::string& example, const std::string& launch) const {
    const Outcome outcome = run(fmt::format(
        "exec {}/{}.cu --compiler clang --device sim:h100 --checks --json {}", kExamples, example, launch));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.status == 0 ? testing::parseJson(outcome.out) : Json();
  }
};

TEST_F(CudaCommandLine, Saxpy) {
  const Json report = exec("saxpy",
                           "--grid 4 --block 256 --arg u32=1000 --arg f32=2 --arg f32[1000]=iota "
                           "--arg f32[1000]=ones --print 3:996,4");
  EXPECT_EQ(report.at("outputs").at("3"), Json({1993, 1995, 1997, 1999}));
  EXPECT_TRUE(report.at("hazards").empty());
}

TEST_F(CudaCommandLine, TreeSum) {
  const Json report = exec(
      "tree_sum", "--grid 4 --block 256 --arg u32[1024]=iota --arg u32[1]=zeros --arg u32=1000 --print 1");
  EXPECT_EQ(report.at("outputs").at("1"), Json({499500}));
  EXPECT_TRUE(report.at("hazards").empty());
}

TEST_F(CudaCommandLine, Transpose) {
  const Json report = exec("transpose",
                           "--grid 2,2 --block 32,8 --arg f32[4096]=iota --arg f32[4096]=zeros "
                           "--arg s32=64 --arg s32=64 --print 1");
  const Json out = report.at("outputs").at("1");
  for (size_t i = 0; i < 4096; ++i) ASSERT_EQ(out.at(i), (i % 64) * 64 + i / 64) << i;
  EXPECT_TRUE(report.at("hazards").empty());
}

TEST_F(CudaCommandLine, Histogram) {
  const Json report = exec(
      "histogram", "--grid 4 --block 128 --arg u8[4096]=iota --arg u32=4096 --arg u32[256]=zeros --print 2");
  for (const Json& bin : report.at("outputs").at("2")) ASSERT_EQ(bin, 16);
  EXPECT_TRUE(report.at("hazards").empty());
}

TEST_F(CudaCommandLine, HelloPrints) {
  const Json report = exec("hello", "--grid 2 --block 64");
  std::istringstream printed(report.at("printed").get<std::string>());
  std::multiset<std::string> lines;  // which warp comes first is free
  for (std::string line; std::getline(printed, line);) lines.insert(line);
  EXPECT_EQ(lines, (std::multiset<std::string>{"block 0, warp 0: 8 lanes", "block 0, warp 1: 8 lanes",
                                               "block 1, warp 0: 8 lanes", "block 1, warp 1: 8 lanes"}));
}

TEST_F(CudaCommandLine, AHazardIsAtItsLineOfTheSource) {
  std::ofstream(folder_ / "out.cu") << "__global__ void k(int* p, int n) {\n  int i = threadIdx.x;\n"
                                       "  p[i + n] = i;\n}\n";
  const Outcome outcome = run(fmt::format(
      "exec {}/out.cu --compiler clang --device sim:h100 --checks --block 32 --arg s32[32]=zeros --arg s32=1",
      folder_.string()));
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_NE(outcome.out.find("out.cu:3"), std::string::npos) << outcome.out;
}

TEST_F(CudaCommandLine, ErrorsAndWarningsNameTheirLines) {
  const auto file = folder_ / "wrong.cu";
  std::ofstream(file) << "#warning look here\n__global__ void k(int* p) {\n  *p = missing;\n}\n";
  const Outcome outcome = run(fmt::format("ptx '{}' --compiler clang", file.string()));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("wrong.cu:3:8: error: use of undeclared identifier 'missing'"),
            std::string::npos)
      << outcome.err;
  std::ofstream(file) << "#warning look here\n__global__ void k(int* p) {\n  *p = LATER;\n}\n";
  const Outcome warned = run(fmt::format("ptx '{}' --compiler clang --define LATER=3 --json", file.string()));
  EXPECT_EQ(warned.status, 0) << warned.err;
  EXPECT_NE(warned.err.find("wrong.cu:1:2: warning: look here"), std::string::npos) << warned.err;
  EXPECT_EQ(testing::parseJson(warned.out).at("kernels").size(), 1U);
}

}  // namespace
}  // namespace warpscope
