// Sweeps that are stopped, killed, damaged, out of disk space and restarted: nothing is lost and nothing is
// run twice.
#include "kernels/sweep/sweep.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <fstream>
#include <map>
#include <mutex>

#include "kernels/recording/recording.h"
#include "kernels/sweep/manifest.h"
#include "kernels/sweep/point_file.h"
#include "tests/support/peak_memory.h"
#include "tests/support/sweep_folder.h"

namespace warpscope {
namespace {

using State = StoredPoint::State;
using testing::AskedRuns;
using testing::SyntheticDevice;

class SweepInAFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::makeScratchFolder();
    useDevices({"sim:test"}, DeviceKind::kSimulated);
    options_.folder = folder_ / "sweep";
    options_.program_version = "1.2.3";
    options_.events.note = [this](const std::string& line) { notes_.push_back(line); };
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void useDevices(const std::vector<std::string>& ids, DeviceKind kind) {
    grid_ = {};
    for (const std::string& id : ids) {
      const SyntheticDevice device(id, kind, asked_);
      addPoints(grid_, addDevice(grid_, device.description(), id), testing::syntheticRequests());
    }
    options_.open_device = [this, kind](const std::string& id) -> Expected<std::unique_ptr<Device>> {
      return std::make_unique<SyntheticDevice>(id, kind, asked_);
    };
    asked_.opened = 0;
  }

  SweepResult sweep(const std::stop_token& stop = {}) {
    asked_.runs = 0;
    notes_.clear();
    auto result = runSweep(grid_, options_, stop);
    EXPECT_TRUE(result.has_value()) << result.error().message;
    return result.value_or(SweepResult{});
  }
  static size_t countIn(const SweepResult& result, State state) {
    return static_cast<size_t>(std::ranges::count(result.points, state, &PointResult::state));
  }
  std::filesystem::path file(size_t point) const {
    return runFile(options_.folder, grid_.points[point].name);
  }

  std::filesystem::path folder_;
  AskedRuns asked_;
  SweepGrid grid_;
  SweepOptions options_;
  std::vector<std::string> notes_;
};

TEST_F(SweepInAFolder, RunsEachPointOnceAndNoneWhenStartedAgain) {
  const SweepResult first = sweep();
  EXPECT_EQ(asked_.runs, 12);
  EXPECT_EQ(asked_.opened, 12) << "a simulated device is opened anew for each point";
  ASSERT_EQ(first.points.size(), 12U);
  for (size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(first.points[i].point, i);
    EXPECT_EQ(first.points[i].state, State::kDone);
    EXPECT_TRUE(first.points[i].ran);
    const auto runs = readRecording(file(i));
    ASSERT_TRUE(runs.has_value()) << runs.error().message;
    ASSERT_EQ(runs->size(), 1U);
    EXPECT_EQ(runs->front().request, grid_.points[i].request);
  }
  const SweepResult second = sweep();
  EXPECT_EQ(asked_.runs, 0);
  EXPECT_EQ(countIn(second, State::kDone), 12U);
  EXPECT_FALSE(second.points[3].ran);
  EXPECT_EQ(second.points[3].timing.median_us, first.points[3].timing.median_us);
  EXPECT_EQ(second.points[3].bandwidth.copy_gb_per_s, first.points[3].bandwidth.copy_gb_per_s);
}

TEST_F(SweepInAFolder, GoesOnAfterItWasKilled) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    asked_.before = [this](const RunRequest&, const std::string&) -> Expected<void> {
      if (asked_.runs == 6) std::raise(SIGKILL);
      return {};
    };
    std::ignore = runSweep(grid_, options_, {});
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "the child was to die";
  const SweepResult result = sweep();
  EXPECT_EQ(asked_.runs, 7) << "five were done, and the dead process' locks are gone";
  EXPECT_EQ(countIn(result, State::kDone), 12U);
}

TEST_F(SweepInAFolder, RunsDamagedAndHalfWrittenPointsAnewAndSaysSo) {
  sweep();
  const std::string whole = testing::contentOf(file(2));
  std::ofstream(file(2), std::ios::binary) << whole.substr(0, whole.size() / 2);
  std::string flipped = testing::contentOf(file(5));
  flipped[flipped.size() - 9] = static_cast<char>(flipped[flipped.size() - 9] ^ 1);
  std::ofstream(file(5), std::ios::binary) << flipped;
  std::filesystem::copy_file(file(0), file(7), std::filesystem::copy_options::overwrite_existing);
  std::ofstream(file(9), std::ios::binary | std::ios::trunc).close();
  std::filesystem::remove(file(11));
  const std::filesystem::path half = file(11).string() + ".4711.0.tmp";
  std::ofstream(half) << whole.substr(0, 100);

  const SweepResult result = sweep();
  EXPECT_EQ(asked_.runs, 5);
  EXPECT_EQ(countIn(result, State::kDone), 12U);
  EXPECT_FALSE(std::filesystem::exists(half));
  EXPECT_EQ(testing::contentOf(file(2)), whole);
  ASSERT_EQ(notes_.size(), 5U);
  for (const size_t point : {2U, 5U, 7U, 9U, 11U}) {
    EXPECT_TRUE(std::ranges::any_of(notes_, [&](const std::string& note) {
      return note.find(grid_.points[point].name) != std::string::npos;
    })) << point;
  }
  sweep();
  EXPECT_EQ(asked_.runs, 0);
}

TEST_F(SweepInAFolder, KeepsWhyAPointHasNoRunAndRetriesOnlyWhenAsked) {
  asked_.before = [](const RunRequest& request, const std::string&) -> Expected<void> {
    if (request.parameters.at("block") == 96) return fail(ErrorKind::kBadRequest, "96 cannot be");
    if (request.parameters.at("block") == 128) return fail(ErrorKind::kWorkFailed, "the kernel failed");
    return {};
  };
  const SweepResult first = sweep();
  EXPECT_EQ(countIn(first, State::kDone), 6U);
  EXPECT_EQ(countIn(first, State::kImpossible), 3U);
  EXPECT_EQ(countIn(first, State::kFailed), 3U);
  asked_.before = nullptr;
  const SweepResult second = sweep();
  EXPECT_EQ(asked_.runs, 0);
  EXPECT_EQ(second.points[3].state, State::kImpossible);
  EXPECT_EQ(second.points[3].reason, "96 cannot be");
  EXPECT_EQ(second.points[6].reason, "the kernel failed");

  std::ofstream(failureFile(options_.folder, grid_.points[3].name)) << "{\"state\": ";
  sweep();
  EXPECT_EQ(asked_.runs, 1) << "a damaged failure is not a failure";

  options_.retry = true;
  const SweepResult third = sweep();
  EXPECT_EQ(asked_.runs, 5);
  EXPECT_EQ(countIn(third, State::kDone), 12U);
  EXPECT_FALSE(std::filesystem::exists(failureFile(options_.folder, grid_.points[6].name)));
}

TEST_F(SweepInAFolder, IsStoppedAndKeepsWhatIsDone) {
  std::stop_source stop;
  asked_.before = [&](const RunRequest&, const std::string&) -> Expected<void> {
    if (asked_.runs < 5) return {};
    stop.request_stop();
    return fail(ErrorKind::kCancelled, "cancelled");
  };
  const SweepResult result = sweep(stop.get_token());
  EXPECT_TRUE(result.cancelled);
  EXPECT_EQ(countIn(result, State::kDone), 4U);
  EXPECT_EQ(countIn(result, State::kMissing), 8U);
  asked_.before = nullptr;
  EXPECT_EQ(countIn(sweep(), State::kDone), 12U);
  EXPECT_EQ(asked_.runs, 8);
}

TEST_F(SweepInAFolder, LeavesPointsToWhoeverIsRunningThem) {
  std::filesystem::create_directory(options_.folder);
  {
    PointLocks other(options_.folder);
    ASSERT_TRUE(other.tryLock(4));
    const SweepResult result = sweep();
    EXPECT_EQ(asked_.runs, 11);
    EXPECT_TRUE(result.points[4].elsewhere);
    EXPECT_EQ(result.points[4].state, State::kMissing);
  }
  sweep();
  EXPECT_EQ(asked_.runs, 1);
}

TEST_F(SweepInAFolder, SharesPointsAmongWorkers) {
  options_.jobs = 4;
  std::mutex mutex;
  std::map<ParameterValues, int> times;
  asked_.before = [&](const RunRequest& request, const std::string&) -> Expected<void> {
    const std::lock_guard lock(mutex);
    ++times[request.parameters];
    return {};
  };
  const SweepResult result = sweep();
  EXPECT_EQ(times.size(), 12U);
  for (const auto& [parameters, count] : times) EXPECT_EQ(count, 1);
  for (size_t i = 0; i < 12; ++i) EXPECT_EQ(result.points[i].point, i) << "in the order of the grid";
}

TEST_F(SweepInAFolder, SharesPointsAmongGpusOfOneName) {
  useDevices({"cuda:0", "cuda:1"}, DeviceKind::kCuda);
  options_.jobs = 4;
  std::mutex mutex;
  std::condition_variable both;
  std::map<std::string, int> times;
  asked_.before = [&](const RunRequest&, const std::string& device) -> Expected<void> {
    std::unique_lock lock(mutex);
    ++times[device];
    both.notify_all();
    both.wait_for(lock, std::chrono::seconds(20), [&] { return times.size() == 2; });
    return {};
  };
  const SweepResult result = sweep();
  EXPECT_EQ(result.points.size(), 12U);
  EXPECT_EQ(asked_.runs, 12);
  EXPECT_EQ(asked_.opened, 2) << "a GPU has one worker, which keeps it";
  EXPECT_EQ(times.size(), 2U);
}

TEST_F(SweepInAFolder, EndsWhenTheDiskIsFullAndCountsNoHalfFile) {
  const auto whole = [&] {
    sweep();
    const auto bytes = std::filesystem::file_size(file(0));
    std::filesystem::remove_all(options_.folder);
    return bytes;
  }();
  // Room for the manifest, which is larger than a point, but not for a point slightly larger than the
  // manifest.
  ASSERT_TRUE(openManifest(options_.folder, grid_, "1.2.3").has_value());
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{whole / 2, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto result = runSweep(grid_, options_, {});
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::kWorkFailed);
  EXPECT_NE(result.error().message.find("File too large"), std::string::npos) << result.error().message;
  EXPECT_NE(result.error().message.find(grid_.points[0].name), std::string::npos);
  for (const auto& entry : std::filesystem::directory_iterator(options_.folder)) {
    EXPECT_NE(entry.path().extension(), ".wsrec");
    EXPECT_NE(entry.path().extension(), ".tmp");
  }
  EXPECT_EQ(countIn(sweep(), State::kDone), 12U);
}

TEST_F(SweepInAFolder, EndsWhenTheDeviceIsGone) {
  asked_.before = [this](const RunRequest&, const std::string&) -> Expected<void> {
    if (asked_.runs > 3) return fail(ErrorKind::kNoDevice, "the GPU fell off the bus");
    return {};
  };
  const auto result = runSweep(grid_, options_, {});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::kNoDevice);
  EXPECT_NE(result.error().message.find("fell off"), std::string::npos);
  asked_.before = nullptr;
  EXPECT_EQ(countIn(sweep(), State::kDone), 12U);
  EXPECT_EQ(asked_.runs, 9) << "no point is marked failed for it";
}

TEST_F(SweepInAFolder, IsOfOneGridOnly) {
  sweep();
  SweepGrid other;
  std::vector<RunRequest> requests = testing::syntheticRequests();
  requests[4].parameters["block"] = 512;
  addPoints(other, addDevice(other, grid_.devices[0].description, "sim:test"), requests);
  const auto result = runSweep(other, options_, {});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::kBadRequest);
  EXPECT_NE(result.error().message.find("block=512"), std::string::npos) << result.error().message;

  const std::filesystem::path manifest = options_.folder / kManifestName;
  const std::string content = testing::contentOf(manifest);
  std::ofstream(manifest) << content.substr(0, content.size() / 2);
  const auto damaged = runSweep(grid_, options_, {});
  ASSERT_FALSE(damaged.has_value());
  EXPECT_EQ(damaged.error().kind, ErrorKind::kDamagedFile);
  EXPECT_NE(damaged.error().message.find(kManifestName), std::string::npos);
}

// Folders of sweeps are shared: whoever can write to one must not make a sweep write elsewhere.
TEST_F(SweepInAFolder, FollowsNoLinkOutOfItsFolder) {
  std::filesystem::create_directories(options_.folder);
  std::ofstream(folder_ / "precious") << "precious";
  const auto lead_away = [&](const std::string& name) {
    std::filesystem::create_symlink(folder_ / "precious", options_.folder / name);
  };
  std::filesystem::create_symlink(folder_ / "made", options_.folder / kManifestName);  // leads nowhere yet
  lead_away("sweep.lock");
  lead_away(grid_.points[0].name + ".wsrec");
  lead_away(grid_.points[1].name + ".failed.json");
  lead_away(grid_.points[2].name + ".failed.json");
  asked_.before = [&](const RunRequest& request, const std::string&) -> Expected<void> {
    if (request == grid_.points[1].request) return fail(ErrorKind::kWorkFailed, "it failed");
    return {};
  };
  options_.retry = true;
  const SweepResult result = sweep();
  EXPECT_EQ(countIn(result, State::kDone), 11U);
  EXPECT_EQ(countIn(result, State::kFailed), 1U);
  EXPECT_EQ(testing::contentOf(folder_ / "precious"), "precious");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "made"));
  EXPECT_TRUE(readManifest(options_.folder).has_value());
}

TEST_F(SweepInAFolder, RefusesAManifestThatWouldTakeAllMemory) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "no thread is started here, and ThreadSanitizer makes it take minutes";
#endif
  std::filesystem::create_directories(options_.folder);
  for (const std::string piece : {"[", "[],", "[0],", "{\"\":0},"}) {
    std::ofstream file(options_.folder / kManifestName);
    if (piece != "[") file << '[';
    for (size_t i = 0; i < (size_t{24} << 20) / piece.size(); ++i) file << piece;
    file.close();
    const size_t peak = testing::peakBytesOf([&] { return !readManifest(options_.folder).has_value(); });
    EXPECT_LT(peak, size_t{1} << 30) << piece;
  }
}

TEST_F(SweepInAFolder, AFolderInPlaceOfAFileIsAnError) {
  std::filesystem::create_directories(options_.folder / kManifestName);
  const auto result = runSweep(grid_, options_, {});
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().message.find("a folder"), std::string::npos) << result.error().message;
  std::filesystem::remove(options_.folder / kManifestName);
  std::filesystem::create_directories(failureFile(options_.folder, grid_.points[3].name));
  const StoredPoint point = readPoint(options_.folder, grid_.points[3].name, grid_.points[3].request);
  EXPECT_EQ(point.state, State::kDamaged);
  EXPECT_NE(point.reason.find("a folder"), std::string::npos) << point.reason;
}

TEST_F(SweepInAFolder, SaysWhenAnotherVersionBeganIt) {
  sweep();
  EXPECT_TRUE(notes_.empty());
  options_.program_version = "1.3.0";
  sweep();
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_NE(notes_[0].find("1.2.3"), std::string::npos);
  const auto manifest = readManifest(options_.folder);
  ASSERT_TRUE(manifest.has_value());
  EXPECT_EQ(manifest->program_version, "1.2.3");
  ASSERT_EQ(manifest->points.size(), 12U);
  EXPECT_EQ(manifest->points[7].request, grid_.points[7].request);
}

}  // namespace
}  // namespace warpscope
