// Unexpected input to the command line: it never crashes or hangs, and never passes on what a file says to a
// terminal or a spreadsheet.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "kernels/core/json.h"
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

class Input : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::makeScratchFolder();
    std::filesystem::create_directory(folder_ / "recordings");
    const std::vector<warpscope::Run> runs{makeSyntheticRun("divergence", "even_odd", 64),
                                           makeSyntheticRun("divergence", "even_odd", 256)};
    ASSERT_TRUE(writeRecording(recording(), runs).has_value());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path recording() const { return folder_ / "recordings" / "divergence.wsrec"; }
  std::string inFolder(const std::string& name) const { return "'" + (folder_ / name).string() + "'"; }
  Outcome run(const std::string& arguments) const {
    return testing::runProgram(arguments, folder_, folder_, "timeout 20");
  }
  void expectRefused(const std::string& arguments, int status, const std::string& why) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, status) << arguments << ": " << outcome.err;
    EXPECT_NE(outcome.err.find(why), std::string::npos) << arguments << ": " << outcome.err;
    EXPECT_EQ(outcome.err.find("defect"), std::string::npos) << outcome.err;
  }

  std::filesystem::path folder_;
};

constexpr const char* kSweep =
    "sweep divergence --variant even_odd --device recorded --block 64,512 --output ";

TEST_F(Input, PathsThatAreNotUtf8AreReplacedInJson) {
  const Outcome sweep = run(kSweep + inFolder("s\xFFt") + " --json");
  EXPECT_EQ(sweep.status, 0) << sweep.err;
  const Json report = testing::parseJson(sweep.out);
  EXPECT_NE(report["folder"].get<std::string>().find("s\xEF\xBF\xBDt"), std::string::npos);
  std::ofstream(folder_ / "m\xFF.ptx") << ".version 8.0\n.target sm_90\n.address_size 64\n";
  EXPECT_EQ(run("ptx --json " + inFolder("m\xFF.ptx")).status, 0);
}

TEST_F(Input, AFolderWhereAFileIsExpectedIsRefused) {
  ASSERT_EQ(run(kSweep + inFolder("sweep")).status, 0);
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "sweep")) {
    if (!entry.path().string().ends_with(".failed.json")) continue;
    std::filesystem::remove(entry.path());
    std::filesystem::create_directory(entry.path());
  }
  expectRefused("merge " + inFolder("m.wsrec") + " " + inFolder("sweep"), 1, "it is a folder");
  std::filesystem::remove(folder_ / "sweep" / "sweep.json");
  std::filesystem::create_directory(folder_ / "sweep" / "sweep.json");
  expectRefused("merge " + inFolder("m.wsrec") + " " + inFolder("sweep"), 2, "it is a folder");
  expectRefused(kSweep + inFolder("sweep"), 2, "it is a folder");
  expectRefused("show " + inFolder("recordings"), 2, "it is a folder");
  expectRefused("ptx " + inFolder("recordings"), 2, "it is a folder");
  expectRefused("exec " + inFolder("recordings"), 2, "it is a folder");
}

TEST_F(Input, PipesAndDevicesAreNoFiles) {
  const auto pipe = folder_ / "recordings" / "pipe.wsrec";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expectRefused("show '" + pipe.string() + "'", 2, "not a regular file");
  expectRefused("ptx '" + pipe.string() + "'", 2, "not a regular file");
  expectRefused("ptx /dev/zero", 2, "not a regular file");
  expectRefused("exec /dev/null", 2, "not a regular file");
  const Outcome devices = run("devices");
  EXPECT_EQ(devices.status, 0) << devices.err;
  EXPECT_NE(devices.out.find("pipe.wsrec"), std::string::npos) << devices.out;
}

TEST_F(Input, AProfileOfAnImpossibleCacheIsANoteOfDevices) {
  std::filesystem::create_directory(folder_ / "devices");
  std::string profile = contentOf(WARPSCOPE_SOURCE_FOLDER "/assets/devices/teaching.json");
  const size_t at = profile.find("\"value\": ", profile.find("\"l1.bytes\"")) + 9;
  profile.replace(at, profile.find(',', at) - at, "1e15");
  std::ofstream(folder_ / "devices" / "huge.json") << profile;
  const Outcome devices = run("devices");
  EXPECT_EQ(devices.status, 0) << devices.err;
  EXPECT_NE(devices.out.find("l1.bytes"), std::string::npos) << devices.out;
}

TEST_F(Input, ACheckOfNothingFails) {
  expectRefused("check --device recorded --family reduction", 1, "nothing could be checked");
  expectRefused("check --device recorded,nodev --family divergence", 3, "");
  std::filesystem::remove(recording());
  EXPECT_EQ(run("check --device recorded").status, 3);
  EXPECT_EQ(run("check --device nodev").status, 3);
}

TEST_F(Input, AWatchdogNeedsAPositiveTime) {
  for (const char* command : {"run divergence", "check", "compare divergence", "gui",
                              "sweep divergence --output /nowhere", "record divergence --output /nowhere"}) {
    for (const char* seconds : {"-5", "0", "nan", "inf", "1e999"}) {
      expectRefused(fmt::format("{} --watchdog {}", command, seconds), 2, "--watchdog");
    }
  }
}

TEST_F(Input, CountsAreNeverNegative) {
  expectRefused("occupancy --grid -1", 2, "-1 is negative");
  expectRefused("occupancy --shared -1", 2, "-1 is negative");
  expectRefused("exec x.ptx --step-limit -1", 2, "-1 is negative");
  expectRefused("exec x.ptx --step-limit 99999999999999999999", 2, "is too large");
}

TEST_F(Input, TooManySettingsAreRefusedBeforeTheyAreMade) {
  expectRefused("sweep reduction --block 32..1024 --size 1024..1000000:1 --output " + inFolder("huge"), 2,
                "settings at a time");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "huge"));
}

// A session of two kept runs and a shown one, as the window saves it, left on another page.
std::filesystem::path writeSession(const std::filesystem::path& path) {
  const auto recording_part = [](const std::string& name, std::vector<warpscope::Run> runs) {
    return SessionPart{name, SessionPartKind::kRecording, encodeRuns(runs, Compression::kZstd).value(), ""};
  };
  const std::vector<SessionPart> parts{
      textPart("settings", SessionPartKind::kJson, R"({"page": "compare"})"),
      recording_part("run", {makeSyntheticRun("divergence", "even_odd", 64)}),
      recording_part("kept_runs", {makeSyntheticRun("divergence", "even_odd", 128),
                                   makeSyntheticRun("divergence", "warp_aligned", 128)})};
  EXPECT_TRUE(writeSessionFile(path, parts).has_value());
  return path;
}

TEST_F(Input, ASessionIsARecordingToo) {
  writeSession(folder_ / "lesson.wssession");
  const Outcome shown = run("show --json " + inFolder("lesson.wssession"));
  ASSERT_EQ(shown.status, 0) << shown.err;
  const Json reports = testing::parseJson(shown.out);
  ASSERT_EQ(reports.size(), 3U);
  EXPECT_EQ(reports[1]["parameters"]["block"], 128);
  ASSERT_EQ(run("merge " + inFolder("m.wsrec") + " " + inFolder("lesson.wssession")).status, 0);
  EXPECT_EQ(readRecording(folder_ / "m.wsrec").value().size(), 3U);
}

TEST_F(Input, ADamagedSessionIsRefusedByName) {
  const auto path = writeSession(folder_ / "lesson.wssession");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 5);
  expectRefused("show '" + path.string() + "'", 1, "lesson.wssession");
}

TEST_F(Input, TheTerminalObeysNoNamesOfARecording) {
  warpscope::Run run_of_evil = makeSyntheticRun("divergence", "even_odd", 64);
  run_of_evil.request.variant = "\x1b[2J\x07=cmd\xC2\x9B";
  run_of_evil.device.name = "GPU\r\n\x1b]0;title\x07";
  run_of_evil.verification = {false, 100, 3, 2.0, "\x1b[31mout[17]"};
  const std::vector<warpscope::Run> runs{run_of_evil, makeSyntheticRun("divergence", "even_odd", 256)};
  ASSERT_TRUE(writeRecording(recording(), runs).has_value());
  const std::string file = "'" + recording().string() + "'";
  for (const std::string& arguments : std::vector<std::string>{
           "show " + file, "compare " + file, "compare --json " + file, "devices", "devices --json",
           "export --format csv --output /dev/null --index 9 " + file, "show --json " + file}) {
    const Outcome outcome = run(arguments);
    EXPECT_FALSE(outcome.out.empty() && outcome.err.empty()) << arguments;
    for (const char* control : {"\x1b", "\x07", "\r", "\xC2\x9B"}) {
      EXPECT_EQ(outcome.out.find(control), std::string::npos) << arguments << ": " << outcome.out;
      EXPECT_EQ(outcome.err.find(control), std::string::npos) << arguments << ": " << outcome.err;
    }
  }
  EXPECT_NE(run("show " + file).out.find("\\x1b[2J\\x07=cmd\\u009b"), std::string::npos);
  EXPECT_EQ(testing::parseJson(run("show --json " + file).out)[0]["variant"], run_of_evil.request.variant);
}

TEST_F(Input, AnOutputFileIsReplacedWholeOrNotAtAll) {
  std::ofstream(folder_ / "kernel.ptx")
      << ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p) {\nret;\n}\n";
  std::ofstream(folder_ / "out.bin") << "what was there";
  // 4 MiB of output, where a file may have 1 MiB at most.
  const Outcome outcome = testing::runProgram(
      "exec " + inFolder("kernel.ptx") +
          " --device sim:teaching --arg u8[4194304]=zeros --save 0=" + inFolder("out.bin"),
      WARPSCOPE_SOURCE_FOLDER "/assets", folder_, "sh -c 'ulimit -f 1000; exec \"$@\"' sh");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("out.bin"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("File too large"), std::string::npos) << outcome.err;
  EXPECT_EQ(contentOf(folder_ / "out.bin"), "what was there");
}

TEST_F(Input, CalibrateLooksAtItsRequestFirst) {
  const Outcome outcome =
      testing::runProgram("calibrate --device sim:teaching --id mine --out " + inFolder("p.json"),
                          WARPSCOPE_SOURCE_FOLDER "/assets", folder_, "timeout 60");
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_EQ(outcome.err.find("calibrate:"), std::string::npos) << outcome.err;  // no progress
}

}  // namespace
}  // namespace warpscope
