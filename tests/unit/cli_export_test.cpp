// `warpscope export` as scripts use it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kernels/recording/recording.h"
#include "kernels/recording/session_file.h"
#include "tests/support/built_program.h"
#include "tests/support/parse_json.h"
#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

using testing::contentOf;
using testing::makeSyntheticRun;
using testing::Outcome;

class Export : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::makeScratchFolder();
    std::vector<warpscope::Run> runs;
    for (const int64_t block : {64, 256}) runs.push_back(makeSyntheticRun("divergence", "even_odd", block));
    runs.push_back(makeSyntheticRun("divergence", "warp_aligned", 256));
    ASSERT_TRUE(writeRecording(folder_ / "d.wsrec", runs).has_value());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Outcome run(const std::string& arguments) const {
    return testing::runProgram(fmt::format("export '{}' {}", (folder_ / "d.wsrec").string(), arguments), {},
                               folder_);
  }
  std::string output(const char* name = "out.file") const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(Export, WritesEveryFormat) {
  for (const char* format : {"csv", "json", "html", "perfetto --index 1", "chrome --index 1"}) {
    const Outcome outcome = run(fmt::format("--format {} --output '{}'", format, output()));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("bytes"), std::string::npos);
    EXPECT_GT(std::filesystem::file_size(output()), 1000U) << format;
  }
  const Json trace = testing::parseJson(contentOf(output()));
  EXPECT_EQ(trace["otherData"]["parameters"]["block"], "256");
}

TEST_F(Export, WritesARangeOfATrace) {
  const auto slices = [&](const char* arguments) {
    const Outcome outcome = run(fmt::format("--format chrome --index 1 {} --output -", arguments));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return testing::parseJson(outcome.out)["otherData"]["totals"]["region_slices"].get<int>();
  };
  const int all = slices("");
  EXPECT_EQ(slices("--range 0..1000000000"), all);
  const int some = slices("--range 100..400");
  EXPECT_GT(some, 0);
  EXPECT_LT(some, all);
}

TEST_F(Export, CompressesWhatIsCalledGz) {
  const Outcome plain = run("--format chrome --index 1 --output -");
  const Outcome packed = run(fmt::format("--format chrome --index 1 --output '{}'", output("t.json.gz")));
  ASSERT_EQ(packed.status, 0) << packed.err;
  const std::string bytes = contentOf(output("t.json.gz"));
  EXPECT_EQ(bytes.substr(0, 2), "\x1F\x8B");
  EXPECT_LT(bytes.size(), plain.out.size() / 3);
}

TEST_F(Export, WritesNothingElseToStandardOutput) {
  const Outcome outcome = run("--format json --output -");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json runs = testing::parseJson(outcome.out);
  ASSERT_EQ(runs.size(), 3U);
  const Outcome shown =
      testing::runProgram(fmt::format("show --json '{}'", (folder_ / "d.wsrec").string()), {}, folder_);
  EXPECT_EQ(runs, testing::parseJson(shown.out));  // the same report
}

TEST_F(Export, ChoosesRuns) {
  const auto chosen = [&](const std::string& arguments) {
    const Outcome outcome = run("--format json --table runs --output - " + arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::vector<int> runs;
    for (const Json& row : testing::parseJson(outcome.out)) runs.push_back(row["run"].get<int>());
    return runs;
  };
  using Runs = std::vector<int>;
  EXPECT_EQ(chosen(""), (Runs{0, 1, 2}));
  EXPECT_EQ(chosen("--variant even_odd"), (Runs{0, 1}));
  EXPECT_EQ(chosen("--variant even_odd,warp_aligned --block 256"), (Runs{1, 2}));
  EXPECT_EQ(chosen("--block 32..128"), (Runs{0}));
  EXPECT_EQ(chosen("--index 0,2"), (Runs{0, 2}));
  EXPECT_EQ(chosen("--index 0 --index 1 --variant even_odd"), (Runs{0, 1}));
  EXPECT_EQ(chosen("--family divergence --size 2^16"), (Runs{0, 1, 2}));
}

TEST_F(Export, SaysWhatIsThere) {
  struct Case {
    const char* arguments;
    const char* says;
  };
  for (const Case& wrong :
       {Case{"--format chrome --output -", "  2  divergence warp_aligned  block 256, size 2^16"},
        Case{"--format csv --output - --variant none", "has no such run"},
        Case{"--format csv --output - --index 3", "counted from 0"},
        Case{"--format csv --output - --family reduction", "even_odd"},
        Case{"--format csv --output - --stride 8", "has no such run"},
        Case{"--format pdf --output -", "html"}, Case{"--format csv --table none --output -", "residency"},
        Case{"--format html --table runs --output -", "--table goes with"},
        Case{"--format csv --range 1..9 --output -", "--range goes with"},
        Case{"--format chrome --index 1 --range 9..1 --output -", "'9..1' is not a range of cycles"},
        Case{"--format perfetto --index 1 --range 9 --output -", "'9' is not a range of cycles"},
        Case{"--format csv", "--output"}, Case{"--output -", "--format"}}) {
    const Outcome outcome = run(wrong.arguments);
    EXPECT_EQ(outcome.status, 2) << wrong.arguments;
    EXPECT_EQ(outcome.out, "") << wrong.arguments;
    EXPECT_NE(outcome.err.find(wrong.says), std::string::npos) << wrong.arguments << ": " << outcome.err;
  }
}

TEST_F(Export, WhatCannotBeWrittenLeavesTheOldFile) {
  std::ofstream(output()) << "old";
  const Outcome unwritable = run("--format csv --output /nowhere/file.csv");
  EXPECT_EQ(unwritable.status, 1);
  EXPECT_NE(unwritable.err.find("/nowhere/file.csv"), std::string::npos) << unwritable.err;
  const Outcome full = run("--format csv --output /dev/full");
  EXPECT_EQ(full.status, 1);
  EXPECT_NE(full.err.find("No space left"), std::string::npos) << full.err;
  // The recording's last run is damaged: what was written so far must not replace the old file.
  std::fstream recording(folder_ / "d.wsrec", std::ios::in | std::ios::out | std::ios::binary);
  recording.seekp(-1, std::ios::end);
  recording.put('\x55');
  recording.close();
  const Outcome damaged = run(fmt::format("--format csv --table spans --output '{}'", output()));
  EXPECT_EQ(damaged.status, 1) << damaged.err;
  EXPECT_EQ(contentOf(output()), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}),
            4);  // it, out, err and the recording
}

TEST_F(Export, HasHelpWithExamples) {
  const Outcome outcome = testing::runProgram("export --help", {}, folder_);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find("Examples:"), std::string::npos);
  EXPECT_NE(outcome.out.find("perfetto"), std::string::npos);
}

// The runs of a session, its own first.
TEST_F(Export, TakesSessions) {
  const auto session = folder_ / "lesson.wssession";
  const warpscope::Run run = makeSyntheticRun("divergence", "even_odd", 96);
  std::vector<SessionPart> parts{textPart("notes", SessionPartKind::kText, "hello")};
  parts.push_back(
      {"run", SessionPartKind::kRecording, encodeRuns({&run, 1}, Compression::kZstd).value(), ""});
  ASSERT_TRUE(writeSessionFile(session, parts).has_value());
  const auto of_session = [&](const std::string& arguments) {
    return testing::runProgram(fmt::format("export '{}' {}", session.string(), arguments), {}, folder_);
  };
  for (const char* format : {"csv", "json", "html", "chrome"}) {
    const Outcome outcome = of_session(fmt::format("--format {} --output '{}'", format, output()));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(contentOf(output()).find("96"), std::string::npos) << format;
  }
  std::string bytes = contentOf(session);
  bytes[70] = static_cast<char>(bytes[70] ^ 1);
  std::ofstream(session, std::ios::binary) << bytes;
  const Outcome damaged = of_session("--format csv --output -");
  EXPECT_EQ(damaged.status, 1);
  EXPECT_NE(damaged.err.find("lesson.wssession: header at offset 56"), std::string::npos) << damaged.err;
}

TEST_F(Export, PicturesNeedADisplayAndSayWhatElseIsWrong) {
  struct Case {
    const char* arguments;
    int status;
    const char* says;
  };
  for (const Case& c : {Case{"--format png --index 0 --output -", 2, "a picture needs a file"},
                        Case{"--format png --output x.png", 2, "holds one run"},
                        Case{"--format png --index 0 --output x.svg", 2, "use --format svg"},
                        Case{"--format svg --index 0 --view nothing --output x.svg", 2, "no view 'nothing'"},
                        Case{"--format csv --view timeline --output -", 2, "--view goes with"},
                        Case{"--format png --index 0 --output x.png", 1, "display"}}) {
    const Outcome outcome =
        testing::runProgram(fmt::format("export '{}' {}", (folder_ / "d.wsrec").string(), c.arguments), {},
                            folder_, "env -u DISPLAY -u WAYLAND_DISPLAY");
    if (outcome.err.find("built without the window") != std::string::npos) continue;
    EXPECT_EQ(outcome.status, c.status) << c.arguments << ": " << outcome.err;
    EXPECT_NE(outcome.err.find(c.says), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace warpscope
