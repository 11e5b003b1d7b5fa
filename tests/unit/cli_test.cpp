// The built program as scripts use it: help, exit statuses, JSON alone on stdout, errors that say what is
// possible. A synthetic recording stands in for a GPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "kernels/experiments/experiment.h"
#include "kernels/recording/recording.h"
#include "tests/support/built_program.h"
#include "tests/support/parse_json.h"
#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

using testing::makeSyntheticRun;
using testing::Outcome;

class CommandLine : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::makeScratchFolder();
    std::filesystem::create_directory(folder_ / "recordings");
    std::vector<warpscope::Run> runs;
    for (const int64_t block : {64, 256}) runs.push_back(makeSyntheticRun("divergence", "even_odd", block));
    runs.push_back(makeSyntheticRun("divergence", "warp_aligned", 256));
    ASSERT_TRUE(writeRecording(recording(), runs).has_value());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path recording() const { return folder_ / "recordings" / "divergence.wsrec"; }

  Outcome run(const std::string& arguments) const { return testing::runProgram(arguments, folder_, folder_); }

  std::filesystem::path folder_;
};

TEST_F(CommandLine, EverySubcommandHasHelpWithExamples) {
  for (const char* name : {"", "devices", "list", "run", "record", "show", "sweep", "merge", "compare",
                           "export", "screenshot", "gui", "ptx", "occupancy"}) {
    const Outcome outcome = run(fmt::format("{} --help", name));
    EXPECT_EQ(outcome.status, 0) << name;
    EXPECT_NE(outcome.out.find("Examples:"), std::string::npos) << name;
    EXPECT_NE(outcome.out.find("warpscope"), std::string::npos) << name;
  }
  EXPECT_EQ(run("serve --help").status, 0);
}

TEST_F(CommandLine, ShowPrintsNumbersOfAPartOfARun) {
  const Outcome text = run(fmt::format("show {} --select 'b0-b1 @100..900'", recording().string()));
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("selected b0-b1 @100..900: "), std::string::npos);
  EXPECT_NE(text.out.find("800 cycles"), std::string::npos);
  EXPECT_NE(text.out.find("slowest: b"), std::string::npos);
  const Outcome outcome = run(fmt::format("show {} --select 'b0 w0; b1 w0' --json", recording().string()));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json reports = testing::parseJson(outcome.out);
  ASSERT_EQ(reports.size(), 3U);
  EXPECT_EQ(reports[0]["selection"]["warps"], 2);
  EXPECT_EQ(reports[0]["selection"]["selection"], "b0 w0; b1 w0");
  EXPECT_FALSE(testing::parseJson(run(fmt::format("show {} --json", recording().string())).out)[0].contains(
      "selection"));
  const Outcome wrong = run(fmt::format("show {} --select 'warp 3'", recording().string()));
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("--select"), std::string::npos);
  EXPECT_NE(run(fmt::format("show {} --select b99999", recording().string())).out.find("no recorded warp"),
            std::string::npos);
}

TEST_F(CommandLine, CalculatesOccupancy) {
  const Outcome outcome = run("occupancy --registers 40 --shared 8192 --block 256 --cc 9.0 --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json answer = testing::parseJson(outcome.out);
  EXPECT_EQ(answer["block"], 256);
  EXPECT_EQ(answer["blocks_per_sm"], 6);
  EXPECT_EQ(answer["warps_per_sm"], 48);
  EXPECT_EQ(answer["occupancy"], 0.75);
  EXPECT_EQ(answer["limiter"], "registers");
  EXPECT_EQ(answer["compute_capability"], "9.0");
  EXPECT_EQ(answer["budgets"].size(), 4U);
  EXPECT_FALSE(answer["suggestions"].empty());
  EXPECT_FALSE(answer.contains("waves"));
  const Json with_grid = testing::parseJson(
      run("occupancy --registers 40 --block 256 --cc 9.0 --sms 132 --grid 1000 --json").out);
  EXPECT_EQ(with_grid["waves"]["blocks_per_wave"], 6 * 132);

  const Json sweep = testing::parseJson(run("occupancy --registers 40 --cc 2.0 --sweep block --json").out);
  ASSERT_EQ(sweep.size(), 32U);
  EXPECT_EQ(sweep[7]["block"], 256);
  EXPECT_EQ(sweep[7]["blocks_per_sm"], 3);
  EXPECT_EQ(testing::parseJson(run("occupancy --sweep registers --json").out).size(), 255U);
  EXPECT_NE(run("occupancy --registers 40 --shared 8KB").out.find("occupancy 75 %"), std::string::npos);
}

TEST_F(CommandLine, RefusesImpossibleOccupancy) {
  const Outcome impossible = run("occupancy --registers 255 --block 1024 --json");
  EXPECT_EQ(impossible.status, 2);
  EXPECT_NE(testing::parseJson(impossible.out)["impossible"].get<std::string>().find("65,536"),
            std::string::npos);
  for (const char* wrong :
       {"--cc 9.7", "--cc x", "--sweep colour", "--size 12", "--registers 4x", "--barriers 17",
        "--carve-out 101", "--device sim:nothing", "reduction --variant nothing"}) {
    const Outcome outcome = run(std::string("occupancy ") + wrong);
    EXPECT_NE(outcome.status, 0) << wrong;
    EXPECT_FALSE(outcome.err.empty()) << wrong;
    EXPECT_TRUE(outcome.out.empty()) << wrong;
  }
}

TEST_F(CommandLine, ListsWhatIsInAPtxModule) {
  const Outcome outcome = run("ptx --json '" WARPSCOPE_SOURCE_FOLDER "/assets/ptx/reduction.ptx'");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json module = testing::parseJson(outcome.out);
  EXPECT_EQ(module["target"], "sm_75");
  EXPECT_TRUE(module["unsupported"].empty());
  ASSERT_GE(module["kernels"].size(), 10U);
  const Json& kernel = module["kernels"][0];
  EXPECT_EQ(kernel["max_threads_per_block"], 1024);
  ASSERT_EQ(kernel["parameters"].size(), 4U);
  EXPECT_EQ(kernel["parameters"][1]["type"], "u64");
  EXPECT_EQ(kernel["parameters"][1]["bytes"], 8);
  EXPECT_GT(kernel["registers"]["b32"], 0);
}

TEST_F(CommandLine, NamesWhatOfAModuleIsNotSupported) {
  const std::filesystem::path file = folder_ / "t.ptx";
  std::ofstream(file) << ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {\n.reg .f32 %f<4>;\n"
                         "tld4.r.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [t, {%f0,%f1}];\nret;\n}\n";
  const Outcome supported = run(fmt::format("ptx '{}'", file.string()));
  EXPECT_EQ(supported.status, 0);
  EXPECT_NE(supported.out.find(":6: tld4.r.2d.v4.f32.f32"), std::string::npos) << supported.out;
  EXPECT_NE(supported.out.find("this form of a texture instruction is not supported"), std::string::npos);
  std::ofstream(file) << "no PTX";
  EXPECT_EQ(run(fmt::format("ptx '{}'", file.string())).status, 2);
  EXPECT_EQ(run(fmt::format("ptx '{}'", folder_.string())).status, 2);
  EXPECT_EQ(run("ptx /nowhere.ptx").status, 2);
  EXPECT_EQ(run("ptx").status, 2);
}

TEST_F(CommandLine, ListsTheInstructionsOfTheSimulatedGpu) {
  const Outcome text = run("ptx --list");
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.out.find("add{.sat}.s32 d, a, b\n"), std::string::npos);
  const Json forms = testing::parseJson(run("ptx --list --json").out);
  EXPECT_GT(forms.size(), 200U);
  EXPECT_EQ(forms[0]["section"], "9.7.1");
}

TEST_F(CommandLine, WithoutArgumentsAndDisplayItSaysWhatToDo) {
  const Outcome outcome = run("");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find("There is no display"), std::string::npos);
}

TEST_F(CommandLine, ListsFamiliesAsTheContractSays) {
  const Outcome outcome = run("list --json");
  ASSERT_EQ(outcome.status, 0);
  const Json families = testing::parseJson(outcome.out);
  ASSERT_TRUE(families.isArray());
  std::vector<std::string> names;
  for (const Json& family : families) {
    names.push_back(family.at("family").get<std::string>());
    EXPECT_FALSE(family.at("variants").empty());
    for (const Json& parameter : family.at("parameters")) {
      for (const char* key : {"name", "kind", "min", "max", "step", "default", "unit"}) {
        EXPECT_TRUE(parameter.contains(key)) << parameter.at("name") << " " << key;
      }
    }
  }
  std::vector<std::string> expected;
  for (const Experiment* experiment : allExperiments()) expected.push_back(experiment->info().name);
  EXPECT_EQ(names, expected);
  EXPECT_EQ(run("list --names").out, fmt::format("{}\n", fmt::join(expected, "\n")));
}

TEST_F(CommandLine, ListsOnlyTheFamiliesThatAreNamed) {
  EXPECT_EQ(run("list banks reduction --names").out, "banks\nreduction\n");
  const Outcome unknown = run("list bank");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(unknown.out, "");
  EXPECT_NE(unknown.err.find("there is no family 'bank'"), std::string::npos) << unknown.err;
}

TEST_F(CommandLine, ListsTheVariantsOfAParameterOrTheFewThatLackIt) {
  const Outcome outcome = run("list reduction");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("--block .* all\n")));
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("--type .* all but redux\n")));
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("--coarsening .* coarsened\n")));
}

TEST_F(CommandLine, ListsTheRecordedDevice) {
  const Outcome outcome = run("devices --json");
  ASSERT_EQ(outcome.status, 0);
  bool found = false;
  for (const Json& device : testing::parseJson(outcome.out)) {
    if (device.at("id") != "recorded") continue;
    found = true;
    EXPECT_EQ(device.at("kind"), "recorded");
    EXPECT_EQ(device.at("provenance"), "measured");
    EXPECT_EQ(device.at("name"), "Synthetic H100");
  }
  EXPECT_TRUE(found) << outcome.out;
}

TEST_F(CommandLine, RunsOnTheRecordedDevice) {
  const Outcome outcome =
      run("run divergence --variant even_odd,warp_aligned --block 256 --device recorded --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json reports = testing::parseJson(outcome.out);
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_EQ(reports[0].at("variant"), "even_odd");
  EXPECT_EQ(reports[1].at("variant"), "warp_aligned");
  EXPECT_EQ(reports[0].at("parameters").at("block"), 256);
  EXPECT_EQ(reports[0].at("verified"), true);
  EXPECT_GT(reports[0].at("time_us").at("median").get<double>(), 0);
  // The point of even_odd: its paths have half of the lanes.
  for (const Json& region : reports[0].at("regions")) {
    if (region.at("name") == "odd path") {
      EXPECT_DOUBLE_EQ(region.at("mean_active_lanes").get<double>(), 16);
    }
  }
  const Outcome table = run("run divergence --variant even_odd --block 256 --device recorded");
  EXPECT_EQ(table.status, 0);
  EXPECT_NE(table.out.find("verified"), std::string::npos) << table.out;
}

TEST_F(CommandLine, WhatWasNotRecordedIsRefusedWithWhatWas) {
  const Outcome outcome = run("run divergence --variant even_odd --block 512 --device recorded");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("64, 256"), std::string::npos) << outcome.err;
}

TEST_F(CommandLine, TheOthersAreStillPrintedWhenOneFails) {
  const Outcome outcome =
      run("run divergence --variant even_odd,warp_aligned --block 64 --device recorded --json");
  EXPECT_EQ(outcome.status, 2);
  const Json reports = testing::parseJson(outcome.out);
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].at("variant"), "even_odd");
  EXPECT_NE(outcome.err.find("warp_aligned"), std::string::npos);
}

TEST_F(CommandLine, AWrongResultIsExitStatusOne) {
  warpscope::Run wrong = makeSyntheticRun("divergence", "even_odd", 64);
  wrong.verification = {false, 100, 3, 2.0, "out[17] = 3, expected 5 (first of 3)"};
  ASSERT_TRUE(writeRecording(recording(), {&wrong, 1}).has_value());
  const Outcome outcome = run("run divergence --variant even_odd --device recorded --json");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(testing::parseJson(outcome.out).at(0).at("verified"), false);
}

TEST_F(CommandLine, BadRequestsAreExitStatusTwoAndSayWhatIsPossible) {
  const std::vector<std::pair<std::string, std::string>> requests{
      {"bogus", "bogus"},
      {"run", "family"},
      {"run nosuch", "there are divergence, "},
      {"run divergence --variant nosuch", "even_odd"},
      {"run divergence --block 100", "32 to 1024 in steps of 32"},
      {"run divergence --block 64..32", "empty"},
      {"run divergence --nosuch 3", "nosuch"},
      {"run divergence --sample some", "blocks:N"},
      {"run divergence --repeats -1", "repeats"},
      {"record divergence", "--output"},
      {"show", "file"},
      {"show /nonexistent.wsrec", "/nonexistent.wsrec"},
  };
  for (const auto& [arguments, hint] : requests) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments << ": " << outcome.err;
    EXPECT_NE((outcome.out + outcome.err).find(hint), std::string::npos) << arguments << ": " << outcome.err;
  }
}

TEST_F(CommandLine, AHugeRangeStepDoesNotRunAway) {
  const Outcome outcome =
      run("run divergence --variant even_odd --block 64..1024:9223372036854775807 --device recorded --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(testing::parseJson(outcome.out).size(), 1U);
}

TEST_F(CommandLine, NoSuchDeviceIsExitStatusThree) {
  EXPECT_EQ(run("run divergence --device cuda:77").status, 3);
  EXPECT_EQ(run("run divergence --device nosuch").status, 3);
  std::filesystem::remove_all(folder_ / "recordings");
  EXPECT_EQ(run("run divergence --device recorded").status, 3);
}

TEST_F(CommandLine, ShowsARecording) {
  const Outcome outcome = run(fmt::format("show '{}' --json", recording().string()));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(testing::parseJson(outcome.out).size(), 3U);
  const Outcome table = run(fmt::format("show '{}'", recording().string()));
  EXPECT_EQ(table.status, 0);
  EXPECT_NE(table.out.find("odd path"), std::string::npos) << table.out;
}

TEST_F(CommandLine, ADamagedRecordingIsRefusedByName) {
  std::filesystem::resize_file(recording(), std::filesystem::file_size(recording()) - 5);
  const Outcome outcome = run(fmt::format("show '{}' --json", recording().string()));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(outcome.out.empty());
  EXPECT_NE(outcome.err.find("cut off"), std::string::npos) << outcome.err;
}

TEST_F(CommandLine, ADamagedRecordingAmongOthersIsANoteOfDevices) {
  std::ofstream(recording().parent_path() / "damaged.wsrec") << "no recording";
  const Outcome outcome = run("devices");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find("recorded"), std::string::npos);
  EXPECT_NE(outcome.out.find("damaged.wsrec"), std::string::npos) << outcome.out;
}

TEST_F(CommandLine, RecordsWhatADeviceAnswers) {
  const auto output = folder_ / "copy.wsrec";
  const Outcome outcome = run(fmt::format(
      "record divergence --variant even_odd --block 64,256 --size 2^16 --device recorded --output '{}'",
      output.string()));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(readRecording(output).value().size(), 2U);
}

}  // namespace
}  // namespace warpscope
