// `warpscope compare` of the built program: recordings and the simulated teaching GPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/recording/recording.h"
#include "tests/support/built_program.h"
#include "tests/support/parse_json.h"
#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

using testing::Outcome;

class CompareCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::makeScratchFolder();
    std::vector<warpscope::Run> runs;
    for (const int64_t block : {64, 128, 256}) {
      runs.push_back(testing::makeSyntheticRun("divergence", "even_odd", block));
      runs.push_back(testing::makeSyntheticRun("divergence", "warp_aligned", block));
    }
    runs[1].timing = {5, 4.9, 5.1, 20, 1};
    ASSERT_TRUE(writeRecording(folder_ / "r.wsrec", runs).has_value());
    runs.insert(runs.end(), runs.begin(), runs.end());
    ASSERT_TRUE(writeRecording(folder_ / "many.wsrec", runs).has_value());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  Outcome compare(const std::string& arguments) const {
    return testing::runProgram("compare " + arguments, {}, folder_);
  }
  std::string at(const std::string& name) const { return "'" + (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(CompareCommand, PicksRunsOfRecordings) {
  const Outcome two = compare(fmt::format("{}#1' {}#2' --baseline 2 --json", at("r.wsrec"), at("r.wsrec")));
  ASSERT_EQ(two.status, 0) << two.err;
  const Json report = testing::parseJson(two.out);
  ASSERT_EQ(report.at("runs").size(), 2U);
  EXPECT_EQ(report.at("baseline"), 2);
  EXPECT_EQ(report.at("runs").at(0).at("variant"), "even_odd");
  EXPECT_EQ(report.at("runs").at(1).at("variant"), "warp_aligned");
  EXPECT_EQ(report.at("order"), (Json{2, 1}));
  EXPECT_EQ(report.at("runs").at(0).at("speed_up").at("verdict"), "slower");
  const Outcome variant = compare(fmt::format("{}:even_odd' --json", at("r.wsrec")));
  ASSERT_EQ(variant.status, 0) << variant.err;
  EXPECT_EQ(testing::parseJson(variant.out).at("runs").size(), 3U);
  EXPECT_EQ(testing::parseJson(compare(at("r.wsrec") + "' --json").out).at("runs").size(), 6U);
}

TEST_F(CompareCommand, RacesAllVariants) {
  const Outcome race = compare("reduction --device sim:teaching --json");
  ASSERT_EQ(race.status, 0) << race.err;
  const Json report = testing::parseJson(race.out);
  EXPECT_GT(report.at("runs").size(), 8U);
  EXPECT_TRUE(report.at("regions").empty());
  EXPECT_FALSE(report.at("explanations").empty());
  const Outcome table = compare("banks,stride=32 --device sim:teaching");
  ASSERT_EQ(table.status, 0) << table.err;
  EXPECT_NE(table.out.find("bank conflicts: 32.0 wavefronts a shared load instead of 1.00"),
            std::string::npos)
      << table.out;
  EXPECT_NE(table.out.find("baseline"), std::string::npos);
  EXPECT_NE(table.out.find("modelled"), std::string::npos);
}

TEST_F(CompareCommand, IsTheSameWhateverRanBefore) {
  const std::string one = "transpose/shared,block=32x8@sim:teaching",
                    other = "transpose/naive_row@sim:teaching";
  const Outcome forwards = compare(one + " " + other + " --json");
  const Outcome backwards = compare(other + " " + one + " --json");
  ASSERT_EQ(forwards.status, 0) << forwards.err;
  const Json a = testing::parseJson(forwards.out), b = testing::parseJson(backwards.out);
  EXPECT_EQ(a.at("runs").at(0).at("time_us"), b.at("runs").at(1).at("time_us"));
  EXPECT_EQ(a.at("runs").at(1).at("time_us"), b.at("runs").at(0).at("time_us"));
}

TEST_F(CompareCommand, HoldsTheModelAgainstAMeasuredRun) {
  const std::string launch = "banks/broadcast,size=2^16,reads=256,block=256";
  const Outcome recorded = compare(fmt::format("{0}@recorded {0}@sim:h100 --json", launch));
  ASSERT_EQ(recorded.status, 0) << recorded.err;
  const Json report = testing::parseJson(recorded.out);
  ASSERT_EQ(report.at("model_errors").size(), 1U) << recorded.out;
  const Json& pair = report.at("model_errors").at(0);
  EXPECT_EQ(pair.at("measured"), 1);
  EXPECT_EQ(pair.at("modelled"), 2);
  EXPECT_FALSE(pair.contains("caution")) << "both are H100s";
  EXPECT_EQ(pair.at("errors").at(0).at("name"), "launch");
  EXPECT_TRUE(pair.at("errors").at(0).at("relative").isNumber());
  EXPECT_FALSE(report.at("runs").at(1).contains("speed_up"));
}

TEST_F(CompareCommand, RefusesWhatCannotBeCompared) {
  EXPECT_EQ(compare("").status, 2);
  EXPECT_EQ(compare("reduction/shuffle@sim:teaching").status, 2) << "one run";
  EXPECT_EQ(compare(at("r.wsrec") + "' " + at("r.wsrec") + "'").status, 2) << "twelve runs, and no ranking";
  EXPECT_EQ(compare(at("many.wsrec") + "'").status, 0) << "a race of a file";
  EXPECT_EQ(compare(at("r.wsrec") + "#0' " + at("r.wsrec") + "#1'").status, 2);
  EXPECT_EQ(compare(at("r.wsrec") + "#7' " + at("r.wsrec") + "#1'").status, 2);
  EXPECT_EQ(compare(at("r.wsrec") + ":nested' " + at("r.wsrec") + "#1'").status, 2);
  EXPECT_EQ(compare(at("r.wsrec") + "' --baseline 0").status, 2);
  EXPECT_EQ(compare(at("r.wsrec") + "' --baseline 7").status, 2);
  EXPECT_EQ(compare("reduction/nothing@sim:teaching reduction/shuffle@sim:teaching").status, 2);
  EXPECT_EQ(compare("reduction/shuffle,block reduction/shuffle").status, 2);
  EXPECT_EQ(compare("reduction/shuffle,stride=3 reduction/shuffle").status, 2);
  EXPECT_EQ(compare("reduction/shuffle@sim:none reduction/shuffle").status, 3);
  const Outcome neither = compare("nothing.wsrec nothing");
  EXPECT_EQ(neither.status, 2);
  EXPECT_NE(neither.err.find("no such recording"), std::string::npos);
}

// The lesson of the banks is the plainest: 32-way conflicts against none.
TEST_F(CompareCommand, PairsOfVariantsAreJudgedAgainstTheRecordedDevice) {
  const Outcome table = testing::runProgram("pairs --family banks --all", {}, folder_);
  ASSERT_EQ(table.status, 0) << table.err;
  EXPECT_NE(table.out.find("stride_vec2  broadcast"), std::string::npos) << table.out;

  const Outcome outcome = testing::runProgram("pairs --family banks --json", {}, folder_);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto families = testing::parseJson(outcome.out);
  ASSERT_EQ(families.size(), 1U);
  EXPECT_EQ(families[0]["family"], "banks");
  const auto& pairs = families[0]["pairs"];
  ASSERT_GT(pairs.size(), 0U);
  for (const auto& pair : pairs) {
    const auto slower = pair["slower"].get<std::string>(), faster = pair["faster"].get<std::string>();
    const double reference =
        families[0]["reference_us"][slower].get<double>() / families[0]["reference_us"][faster].get<double>();
    EXPECT_GT(reference, 1.1) << slower << " " << faster;
    EXPECT_DOUBLE_EQ(pair["reference_ratio"].get<double>(), reference);
    EXPECT_EQ(pair["shown"].get<bool>(), pair["ratio"].get<double>() >= 1.05);
  }
}

TEST_F(CompareCommand, PairsNeedsBothDevices) {
  const Outcome outcome = testing::runProgram("pairs --family banks --reference sim:nowhere", {}, folder_);
  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(outcome.err.find("sim:nowhere"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace warpscope
