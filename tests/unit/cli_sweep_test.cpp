// `warpscope sweep` and `merge` of the built program, on the simulated teaching GPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "tests/support/built_program.h"
#include "tests/support/parse_json.h"

namespace warpscope {
namespace {

using testing::Outcome;

constexpr const char* kGrid =
    "sweep reduction --variant shuffle,neighbored --block 64,256 --size 2^10,2^12 --device sim:teaching";

class SweepCommand : public ::testing::Test {
 protected:
  void SetUp() override { folder_ = testing::makeScratchFolder(); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  Outcome run(const std::string& arguments) const { return testing::runProgram(arguments, {}, folder_); }
  Outcome sweep(const std::string& name, const std::string& more = "") const {
    return run(fmt::format("{} --output '{}' {}", kGrid, (folder_ / name).string(), more));
  }
  std::string at(const std::string& name) const { return "'" + (folder_ / name).string() + "'"; }

  std::filesystem::path folder_;
};

TEST_F(SweepCommand, RunsAGridAndGoesOnWithIt) {
  const Outcome first = sweep("s", "--json");
  ASSERT_EQ(first.status, 0) << first.err;
  const Json report = testing::parseJson(first.out);
  ASSERT_EQ(report.at("points").size(), 8U);
  const Json& point = report.at("points").at(3);
  EXPECT_EQ(point.at("variant"), "shuffle");
  EXPECT_EQ(point.at("parameters").at("block"), 256);
  EXPECT_EQ(point.at("parameters").at("size"), 4096);
  EXPECT_EQ(point.at("parameters").at("type"), "int") << "a choice by its name, a default filled in";
  EXPECT_EQ(point.at("state"), "done");
  EXPECT_EQ(point.at("ran"), true);
  EXPECT_EQ(point.at("verified"), true);
  EXPECT_EQ(point.at("provenance"), "modelled");
  EXPECT_GT(point.at("time_us").at("median").get<double>(), 0);
  const Outcome shown = run(fmt::format("show --json '{}'", point.at("file").get<std::string>()));
  ASSERT_EQ(shown.status, 0) << shown.err;
  EXPECT_EQ(testing::parseJson(shown.out).at(0).at("time_us"), point.at("time_us"));

  std::filesystem::remove(point.at("file").get<std::string>());
  std::ofstream(report.at("points").at(0).at("file").get<std::string>()) << "no recording";
  const Outcome second = sweep("s", "--json");
  EXPECT_EQ(second.status, 0);
  EXPECT_NE(second.err.find("run anew"), std::string::npos) << second.err;
  const Json again = testing::parseJson(second.out);
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(again.at("points").at(i).at("ran"), i == 0 || i == 3) << i;
    EXPECT_EQ(again.at("points").at(i).at("time_us"), report.at("points").at(i).at("time_us")) << i;
  }
}

TEST_F(SweepCommand, PrintsATableAndCsv) {
  const Outcome table = sweep("s");
  ASSERT_EQ(table.status, 0) << table.err;
  for (const char* text : {"variant", "block", "size", "2^12", "bandwidth", "8 points: 8 done"}) {
    EXPECT_NE(table.out.find(text), std::string::npos) << text;
  }
  const Outcome csv = sweep("s", "--csv");
  ASSERT_EQ(csv.status, 0) << csv.err;
  EXPECT_EQ(csv.out.substr(0, csv.out.find("\r\n")),
            "family,variant,block,size,type,input,device,provenance,state,verified,median_us,min_us,max_us,"
            "repeats,bandwidth_gb_s,copy_gb_s,reason");
  EXPECT_EQ(std::ranges::count(csv.out, '\n'), 9);
  EXPECT_NE(
      csv.out.find("\r\nreduction,shuffle,64,1024,int,random,\"Simulated teaching GPU (one SM, invented)\","
                   "modelled,done,true,"),
      std::string::npos)
      << csv.out;
}

TEST_F(SweepCommand, ShardsMergeToTheWhole) {
  for (const int i : {2, 0, 1})
    ASSERT_EQ(sweep(fmt::format("part{}", i), fmt::format("--shard {}/3", i)).status, 0);
  ASSERT_EQ(sweep("whole", "--jobs 2").status, 0);
  ASSERT_EQ(run(fmt::format("merge {} {}", at("whole.wsrec"), at("whole"))).status, 0);
  const Outcome incomplete = run(fmt::format("merge {} {} {}", at("x.wsrec"), at("part0"), at("part2")));
  EXPECT_EQ(incomplete.status, 2);
  EXPECT_NE(incomplete.err.find("--partial"), std::string::npos) << incomplete.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.wsrec"));
  EXPECT_EQ(run(fmt::format("merge --partial {} {}", at("x.wsrec"), at("part0"))).status, 0);
  const Outcome merged =
      run(fmt::format("merge {} {} {} {}", at("parts.wsrec"), at("part1"), at("part0"), at("part2")));
  ASSERT_EQ(merged.status, 0) << merged.err;
  EXPECT_NE(merged.out.find("8 runs written"), std::string::npos) << merged.out;
  EXPECT_EQ(run(fmt::format("show --json {}", at("parts.wsrec"))).out,
            run(fmt::format("show --json {}", at("whole.wsrec"))).out);
}

TEST_F(SweepCommand, KeepsImpossiblePoints) {
  // 1,024 threads by 2 are more than a block can have.
  const std::string grid = fmt::format(
      "sweep mapping --block_x 8,1024 --block_y 2 --blocks 1 --device sim:teaching --json --output {}",
      at("m"));
  const Outcome first = run(grid);
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_NE(first.err.find("impossible"), std::string::npos) << first.err;
  size_t impossible = 0;
  const Json report = testing::parseJson(first.out);
  for (const Json& point : report.at("points")) {
    if (point.at("state") == "done") continue;
    EXPECT_EQ(point.at("state"), "impossible");
    EXPECT_EQ(point.at("parameters").at("block_x"), 1024);
    EXPECT_FALSE(point.at("reason").get<std::string>().empty());
    EXPECT_FALSE(point.contains("time_us"));
    ++impossible;
  }
  EXPECT_GT(impossible, 0U);
  const auto ran = [&](const std::string& more) {
    size_t count = 0;
    const Json again = testing::parseJson(run(grid + more).out);
    for (const Json& point : again.at("points")) count += point.at("ran") == true ? 1 : 0;
    return count;
  };
  EXPECT_EQ(ran(""), 0U);
  EXPECT_EQ(ran(" --retry"), impossible);
  const Outcome merged = run(fmt::format("merge {} {}", at("m.wsrec"), at("m")));
  EXPECT_EQ(merged.status, 0);
  EXPECT_NE(merged.err.find("left out: mapping"), std::string::npos) << merged.err;
}

TEST_F(SweepCommand, CountsHazardsAsRunDoes) {
  const std::string grid = "sweep broken --size 2^10 --device sim:teaching --json --output ";
  const Outcome broken = run(grid + at("b"));
  EXPECT_EQ(broken.status, 1) << "as of `run broken`";
  const Json report = testing::parseJson(broken.out);
  size_t hazards = 0;
  for (const Json& point : report.at("points")) {
    EXPECT_EQ(point.at("state"), "done") << "broken on purpose: kept";
    hazards += point.at("hazards").get<size_t>();
  }
  EXPECT_GT(hazards, 0U);
  const Outcome again = run(grid + at("b"));
  EXPECT_EQ(again.status, 1);
  const Outcome clean =
      run(fmt::format("sweep banks --size 2^10 --checks --device sim:teaching --json --output {}", at("c")));
  EXPECT_EQ(clean.status, 0) << clean.err;
  const Json none = testing::parseJson(clean.out);
  for (const Json& point : none.at("points")) EXPECT_EQ(point.at("hazards"), 0);
}

TEST_F(SweepCommand, RefusesWhatCannotBe) {
  EXPECT_EQ(sweep("s", "--shard 3/3").status, 2);
  EXPECT_EQ(sweep("s", "--json --csv").status, 2);
  EXPECT_EQ(run("sweep reduction").status, 2) << "--output is needed";
  EXPECT_EQ(run(fmt::format("sweep nothing --output {}", at("s"))).status, 2);
  EXPECT_EQ(run(fmt::format("sweep reduction --device sim:none --output {}", at("s"))).status, 3);
  EXPECT_EQ(run(fmt::format("sweep banks --block 7..x --output {}", at("s"))).status, 2);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "s"));
  ASSERT_EQ(sweep("s").status, 0);
  const Outcome other = run(fmt::format("sweep banks --device sim:teaching --output {}", at("s")));
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("holds another sweep"), std::string::npos) << other.err;
  EXPECT_EQ(run(fmt::format("merge {} {}", at("x.wsrec"), at("nowhere"))).status, 2);
  EXPECT_EQ(run(fmt::format("merge /dev/full {}", at("s"))).status, 1);
}

TEST_F(SweepCommand, MeetsAFileSizeLimitWithAnError) {
  const std::filesystem::path script = folder_ / "limited.sh";
  ASSERT_EQ(sweep("s").status, 0);
  std::ofstream(script) << "ulimit -f 1\nexec \"$@\"\n";
  const Outcome outcome = testing::runProgram(fmt::format("merge {} {}", at("x.wsrec"), at("s")), {}, folder_,
                                              fmt::format("sh '{}'", script.string()));
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_NE(outcome.err.find("File too large"), std::string::npos) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.wsrec"));
}

}  // namespace
}  // namespace warpscope
