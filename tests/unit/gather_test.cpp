// Merging: all shards together are the whole sweep, in its order, byte for byte.
#include "kernels/sweep/gather.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "kernels/recording/recording.h"
#include "kernels/sweep/manifest.h"
#include "tests/support/sweep_folder.h"

namespace warpscope {
namespace {

constexpr const char* kTeaching = "sim:teaching";

class Gathering : public ::testing::Test {
 protected:
  void SetUp() override { folder_ = testing::makeScratchFolder(); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Real kernels on the simulated teaching GPU, the longest points first; one of them is impossible.
  static SweepGrid teachingGrid() {
    const auto device = openDevice(kTeaching, {});
    EXPECT_TRUE(device.has_value());
    std::vector<RunRequest> requests;
    for (const char* variant : {"shuffle", "neighbored"}) {
      for (const int64_t block : {256, 64}) {
        for (const int64_t size : {4096, 1000}) {
          const RunRequest asked{
              .family = "reduction", .variant = variant, .parameters = {{"block", block}, {"size", size}}};
          requests.push_back(
              completeRequest(findExperiment("reduction").value()->info(), asked, DeviceKind::kSimulated)
                  .value());
        }
      }
    }
    SweepGrid grid;
    addPoints(grid, addDevice(grid, (*device)->description(), kTeaching), requests);
    return grid;
  }

  SweepOptions options(const std::string& name, Shard shard = {}) const {
    SweepOptions options{.folder = folder_ / name, .shard = shard};
    options.open_device = [](const std::string& id) { return openDevice(id, {}); };
    return options;
  }

  static std::vector<std::byte> bytesBesideDate(std::vector<warpscope::Run> runs) {
    for (warpscope::Run& run : runs) run.created = "2026-11-21T09:30:00Z";
    return encodeRuns(runs, Compression::kZstd).value();
  }

  GatheredRuns gather(const std::vector<std::string>& names) const {
    std::vector<std::filesystem::path> inputs;
    inputs.reserve(names.size());
    for (const std::string& name : names) inputs.push_back(folder_ / name);
    auto gathered = gatherRuns(inputs);
    EXPECT_TRUE(gathered.has_value()) << gathered.error().message;
    return gathered.value_or(GatheredRuns{});
  }

  std::filesystem::path folder_;
};

TEST_F(Gathering, ShardsTogetherAreTheWholeSweep) {
  const SweepGrid grid = teachingGrid();
  ASSERT_TRUE(runSweep(grid, options("whole"), {}).has_value());
  for (uint32_t i = 0; i < 3; ++i) {
    SweepOptions part = options(fmt::format("part{}", i), {i, 3});
    part.jobs = i + 1;
    ASSERT_TRUE(runSweep(grid, part, {}).has_value());
    ASSERT_TRUE(runSweep(grid, options("shared", {i, 3}), {}).has_value());
  }
  const GatheredRuns whole = gather({"whole"});
  ASSERT_EQ(whole.runs.size(), 8U);
  for (size_t i = 0; i < 8; ++i)
    EXPECT_EQ(whole.runs[i].request.parameters, grid.points[i].request.parameters);
  const auto expected = bytesBesideDate(whole.runs);
  EXPECT_EQ(bytesBesideDate(gather({"part2", "part0", "part1"}).runs), expected);
  EXPECT_EQ(bytesBesideDate(gather({"shared"}).runs), expected);
  const GatheredRuns twice = gather({"part1", "whole", "part0", "part2"});
  EXPECT_EQ(twice.duplicates, 8U);
  EXPECT_EQ(bytesBesideDate(twice.runs), expected);
  const GatheredRuns part = gather({"part1"});
  EXPECT_EQ(part.missing.size(), 8 - part.runs.size());
  EXPECT_GE(part.runs.size(), 2U);

  // Only the point files, in any order, as a shell's glob may list them.
  std::vector<std::filesystem::path> files;
  for (const char* name : {"part2", "part1", "part0"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / name)) {
      if (entry.path().extension() == ".wsrec") files.push_back(entry.path());
    }
  }
  const auto loose = gatherRuns(files);
  ASSERT_TRUE(loose.has_value()) << loose.error().message;
  EXPECT_EQ(bytesBesideDate(loose->runs), expected);
}

TEST_F(Gathering, ASweepThatWasKilledAndWentOnIsTheSame) {
  const SweepGrid grid = teachingGrid();
  ASSERT_TRUE(runSweep(grid, options("whole"), {}).has_value());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    SweepOptions killed = options("killed");
    killed.jobs = 2;
    killed.events.finished = [](const PointResult&, size_t done, size_t) {
      if (done == 4) std::raise(SIGKILL);
    };
    std::ignore = runSweep(grid, killed, {});
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto rest = runSweep(grid, options("killed"), {});
  ASSERT_TRUE(rest.has_value());
  EXPECT_LE(std::ranges::count(rest->points, true, &PointResult::ran), 4);
  EXPECT_GE(std::ranges::count(rest->points, true, &PointResult::ran), 2);
  EXPECT_EQ(bytesBesideDate(gather({"killed"}).runs), bytesBesideDate(gather({"whole"}).runs));
}

TEST_F(Gathering, RefusesDifferentResultsOfOnePointAndNamesBothFiles) {
  const warpscope::Run run = testing::makeSyntheticRun();
  warpscope::Run other = run;
  other.created = "2026-11-22T00:00:00Z";
  ASSERT_TRUE(writeRecording(folder_ / "a.wsrec", {&run, 1}).has_value());
  ASSERT_TRUE(writeRecording(folder_ / "b.wsrec", {&other, 1}).has_value());
  const GatheredRuns same = gather({"a.wsrec", "b.wsrec"});
  EXPECT_EQ(same.runs.size(), 1U);
  EXPECT_EQ(same.duplicates, 1U);
  EXPECT_EQ(same.runs[0].created, run.created) << "the first";

  other.timing.median_us += 1;
  ASSERT_TRUE(writeRecording(folder_ / "b.wsrec", {&other, 1}).has_value());
  const auto conflict = gatherRuns({folder_ / "a.wsrec", folder_ / "b.wsrec"});
  ASSERT_FALSE(conflict.has_value());
  EXPECT_EQ(conflict.error().kind, ErrorKind::kBadRequest);
  EXPECT_NE(conflict.error().message.find("a.wsrec"), std::string::npos);
  EXPECT_NE(conflict.error().message.find("b.wsrec"), std::string::npos);

  other.request.parameters["block"] = 96;
  ASSERT_TRUE(writeRecording(folder_ / "b.wsrec", {&other, 1}).has_value());
  const GatheredRuns both = gather({"b.wsrec", "a.wsrec"});
  ASSERT_EQ(both.runs.size(), 2U);
  EXPECT_EQ(both.runs[0].request.parameters.at("block"), 96) << "in the order given";
}

TEST_F(Gathering, TellsFailedPointsAndRefusesDamagedOnes) {
  testing::AskedRuns asked;
  asked.before = [](const RunRequest& request, const std::string&) -> Expected<void> {
    if (request.parameters.at("block") == 96) return fail(ErrorKind::kBadRequest, "96 cannot be");
    return {};
  };
  SweepGrid grid;
  const testing::SyntheticDevice device("sim:test", DeviceKind::kSimulated, asked);
  addPoints(grid, addDevice(grid, device.description(), "sim:test"), testing::syntheticRequests());
  SweepOptions some = options("some");
  some.open_device = [&](const std::string& id) -> Expected<std::unique_ptr<Device>> {
    return std::make_unique<testing::SyntheticDevice>(id, DeviceKind::kSimulated, asked);
  };
  ASSERT_TRUE(runSweep(grid, some, {}).has_value());
  const GatheredRuns gathered = gather({"some"});
  EXPECT_EQ(gathered.runs.size(), 9U);
  EXPECT_TRUE(gathered.missing.empty());
  ASSERT_EQ(gathered.failed.size(), 3U);
  EXPECT_NE(gathered.failed[0].find("96 cannot be"), std::string::npos);

  const auto file = runFile(some.folder, grid.points[0].name);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  const auto damaged = gatherRuns({some.folder});
  ASSERT_FALSE(damaged.has_value());
  EXPECT_EQ(damaged.error().kind, ErrorKind::kDamagedFile);
  EXPECT_NE(damaged.error().message.find(grid.points[0].name), std::string::npos);
  const auto nothing = gatherRuns({folder_});
  ASSERT_FALSE(nothing.has_value());
  EXPECT_NE(nothing.error().message.find(kManifestName), std::string::npos);
}

}  // namespace
}  // namespace warpscope
