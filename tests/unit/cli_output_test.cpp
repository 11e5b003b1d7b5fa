// Output that cannot be written: an error with exit status 1, for every subcommand, as text and as JSON; and
// what is written elsewhere stays whole when a standard stream is closed.
#include <gtest/gtest.h>

#include <fstream>

#include "kernels/recording/recording.h"
#include "tests/support/built_program.h"
#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

using testing::makeSyntheticRun;
using testing::Outcome;

constexpr const char* kFull = "sh -c 'exec \"$@\" >/dev/full' sh";
constexpr const char* kClosedOutput = "sh -c 'exec \"$@\" >&-' sh";
constexpr const char* kClosedErrors = "sh -c 'exec \"$@\" 2>&-' sh";
constexpr const char* kFullErrors = "sh -c 'exec \"$@\" 2>/dev/full' sh";

struct Example {
  const char* name;
  const char* arguments;  // FOLDER stands for the test's folder
  bool has_json = true;
};

const Example kExamples[] = {
    {"help", "--help", false},
    {"version", "--version", false},
    {"run_help", "run --help", false},
    {"man_page", "help --man", false},
    {"completion", "help --completion bash", false},
    {"no_subcommand", "", false},
    {"devices", "devices"},
    {"list", "list"},
    {"list_names", "list --names", false},
    {"run", "run divergence --variant even_odd --device recorded"},
    {"run_tables", "run divergence --variant even_odd --device recorded --regions --theory --counters",
     false},
    {"run_operations", "run streams --variant depth_first --size 4096 --device sim:teaching --operations",
     false},
    {"exec", "exec FOLDER/add.ptx --device sim:teaching --arg u32[4]=iota --print 0"},
    {"lanes", "lanes banks --variant stride --size 1024 --device sim:teaching"},
    {"record", "record divergence --variant even_odd --device recorded --output FOLDER/r.wsrec", false},
    {"show", "show FOLDER/recordings/a.wsrec"},
    {"compare", "compare FOLDER/recordings/a.wsrec#1 FOLDER/recordings/a.wsrec#2"},
    {"sweep", "sweep divergence --variant even_odd --device recorded --output FOLDER/sweep"},
    {"sweep_csv", "sweep divergence --variant even_odd --device recorded --output FOLDER/sweep --csv", false},
    {"merge", "merge FOLDER/m.wsrec FOLDER/recordings/a.wsrec", false},
    {"export_csv", "export FOLDER/recordings/a.wsrec --format csv --output -", false},
    {"export_json", "export FOLDER/recordings/a.wsrec --format json --output -", false},
    {"export_file", "export FOLDER/recordings/a.wsrec --format html --output FOLDER/a.html", false},
    {"occupancy", "occupancy --registers 40"},
    {"check", "check --device recorded --family divergence"},
    {"ptx", "ptx FOLDER/add.ptx"},
    {"ptx_list", "ptx --list"},
};

class Output : public ::testing::TestWithParam<std::tuple<Example, bool>> {
 protected:
  void SetUp() override {
    const auto& [example, json] = GetParam();
    if (json && !example.has_json) GTEST_SKIP() << "it has no --json";
    folder_ = testing::makeScratchFolder();
    // The program's own assets, with a recording of ours in place of those.
    for (const auto& entry : std::filesystem::directory_iterator(WARPSCOPE_SOURCE_FOLDER "/assets")) {
      if (entry.path().filename() != "recordings")
        std::filesystem::create_directory_symlink(entry.path(), folder_ / entry.path().filename());
    }
    std::filesystem::create_directory(folder_ / "recordings");
    const std::vector<warpscope::Run> runs{makeSyntheticRun("divergence", "even_odd", 64),
                                           makeSyntheticRun("divergence", "even_odd", 256)};
    ASSERT_TRUE(writeRecording(folder_ / "recordings" / "a.wsrec", runs).has_value());
    std::ofstream(folder_ / "add.ptx")
        << ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry add(.param .u64 p) {\n"
           ".reg .b64 %d<2>;\n.reg .b32 %r<2>;\nld.param.u64 %d0, [p];\nmov.u32 %r0, 7;\n"
           "st.global.u32 [%d0], %r0;\nret;\n}\n";
    arguments_ = example.arguments;
    for (size_t at = 0; (at = arguments_.find("FOLDER")) != std::string::npos;)
      arguments_.replace(at, 6, folder_.string());
    if (json) arguments_ += " --json";
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  Outcome run(const std::string& wrapper = "") const {
    return testing::runProgram(arguments_, folder_, folder_, wrapper);
  }
  void expectError(const Outcome& outcome) const {
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_NE(outcome.err.find("cannot write standard output"), std::string::npos) << outcome.err;
  }

  std::filesystem::path folder_;
  std::string arguments_;
};

TEST_P(Output, IsWrittenOrAnError) {
  const Outcome whole = run();
  ASSERT_EQ(whole.status, 0) << whole.err;
  EXPECT_FALSE(whole.out.empty());
  expectError(run(kFull));
  expectError(run(kClosedOutput));
}

TEST_P(Output, NeedsNoStandardError) {
  ASSERT_EQ(run().status, 0);
  const Outcome whole = run();  // once what it writes is there
  for (const char* wrapper : {kClosedErrors, kFullErrors}) {
    const Outcome outcome = run(wrapper);
    EXPECT_EQ(outcome.status, 0) << wrapper;
    EXPECT_EQ(outcome.out, whole.out) << wrapper;
  }
  // The output did not end up in a file that took the stream's number.
  for (const char* file : {"r.wsrec", "m.wsrec"}) {
    if (std::filesystem::exists(folder_ / file)) {
      EXPECT_TRUE(readRecording(folder_ / file).has_value()) << file;
    }
  }
  if (std::filesystem::exists(folder_ / "sweep" / "sweep.lock")) {
    EXPECT_EQ(testing::contentOf(folder_ / "sweep" / "sweep.lock").find("divergence"), std::string::npos);
  }
}

std::string nameOf(const ::testing::TestParamInfo<std::tuple<Example, bool>>& info) {
  return std::string(std::get<0>(info.param).name) + (std::get<1>(info.param) ? "_json" : "_text");
}

INSTANTIATE_TEST_SUITE_P(Subcommands, Output,
                         ::testing::Combine(::testing::ValuesIn(kExamples), ::testing::Bool()), nameOf);

}  // namespace
}  // namespace warpscope
