#include "kernels/execute/executor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kernels/execute/trace_collector.h"
#include "kernels/metrics/counters.h"
#include "tests/support/fake_backend.h"

namespace warpscope {
namespace {

using testing::FakeBackend;
using testing::fakeKernels;
using testing::fakeRequest;

RunRequest with(RunRequest request, const std::string& parameter, int64_t value) {
  request.parameters[parameter] = value;
  return request;
}

class ExecutorTest : public ::testing::Test {
 protected:
  Expected<warpscope::Run> run(const RunRequest& request) { return executor_.run(request, {}, {}); }
  void expectRefused(const RunRequest& request, const std::string& part) {
    const auto refused = run(request);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::kBadRequest);
    EXPECT_NE(refused.error().message.find(part), std::string::npos) << refused.error().message;
    EXPECT_EQ(backend_.counts.allocations, 0);
  }

  FakeBackend backend_{64 << 20};
  Executor executor_{backend_, fakeKernels()};
};

TEST_F(ExecutorTest, MakesAWholeRun) {
  RunRequest request = fakeRequest("copy", 1024);
  request.repeats = 5;
  const auto result = run(request);
  ASSERT_TRUE(result) << result.error().message;
  const warpscope::Run& made = *result;
  EXPECT_TRUE(made.verification.passed);
  EXPECT_EQ(made.verification.checked, 1024U);
  EXPECT_EQ(made.request.parameters.at("block"), 128);
  EXPECT_EQ(made.parameter_labels, (std::map<std::string, std::string>{{"size", "2^10"}}));
  EXPECT_EQ(made.grid, (Dim3{8, 1, 1}));
  EXPECT_EQ(made.block, (Dim3{128, 1, 1}));
  EXPECT_EQ(made.device.id, "fake:0");
  EXPECT_EQ(made.created.size(), std::string("2026-01-01T00:00:00Z").size());
  // The fake's times are 10, 11, 12, 13, 14 us, and 2 us for copies.
  EXPECT_DOUBLE_EQ(made.timing.median_us, 12);
  EXPECT_DOUBLE_EQ(made.timing.min_us, 10);
  EXPECT_DOUBLE_EQ(made.timing.max_us, 14);
  EXPECT_EQ(made.timing.repeats, 5U);
  EXPECT_EQ(made.bandwidth.bytes, 8192U);
  EXPECT_DOUBLE_EQ(made.bandwidth.gb_per_s, 8192 / 12e3);
  ASSERT_TRUE(made.bandwidth.copy_gb_per_s);
  EXPECT_DOUBLE_EQ(*made.bandwidth.copy_gb_per_s, 8192 / 2e3);
  EXPECT_DOUBLE_EQ(made.probe.ratio, 1);
  EXPECT_EQ(made.resources.registers_per_thread, 32U);
  EXPECT_GT(made.occupancy.blocks_per_sm, 0U);
  ASSERT_EQ(made.regions.size(), 1U);
  EXPECT_EQ(made.source_file, "fake.cu");
  ASSERT_NE(made.source, nullptr);
  ASSERT_TRUE(made.trace.mean_resident_warps);
  // 1.5 warps, for a form of which one block of four warps fits, where 16 bare blocks do.
  EXPECT_EQ(made.occupancy.warps_per_sm, 64U);
  EXPECT_DOUBLE_EQ(*made.trace.mean_resident_warps, 1.5 * 64 / 4);
  ASSERT_EQ(made.trace.warps.size(), 1U);
  EXPECT_EQ(made.trace.warps[0].live, kFullMask);
  EXPECT_EQ(made.trace.warps[0].end_cycles - made.trace.warps[0].begin_cycles, 300);
  EXPECT_EQ(made.probe.kept, made.trace.events.size());
  // 8 blocks of 4 warps: the whole grid is recorded.
  EXPECT_EQ(made.request.sampling.mode, Sampling::Mode::kAuto);
  EXPECT_EQ(made.request.sampling.first_blocks, 8U);
}

TEST_F(ExecutorTest, KeepsWhatOperationsOnStreamsDidWithTheirWarps) {
  backend_.runs_streams = true;
  RunRequest request = fakeRequest("streamed", 1024);
  request.repeats = 5;
  request.counters = {"anything"};
  request.samples = true;
  const auto result = run(request);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->verification.passed) << result->verification.detail;
  EXPECT_EQ(result->verification.checked, 1024U);
  EXPECT_EQ(backend_.counts.streams, 1 + 5 + 1 + 2) << "verified, timed, logged, and traced once cold";
  EXPECT_EQ(backend_.counts.timed, 0) << "no launch of it is timed by itself";
  EXPECT_DOUBLE_EQ(result->timing.median_us, 1.234);
  EXPECT_EQ(result->timing.repeats, 5U);
  EXPECT_DOUBLE_EQ(result->probe.ratio, 1);
  EXPECT_NE(result->counters_problem, "");
  EXPECT_NE(result->samples_problem, "");

  ASSERT_TRUE(result->streams);
  const StreamLog& log = *result->streams;
  EXPECT_EQ(log.timing, (StreamTiming{StreamClock::kEvents, 1.5, 2.5, "a reason"}));
  ASSERT_EQ(log.operations.size(), 3U);
  EXPECT_EQ(log.operations[0].memory, HostMemory::kPinned);
  EXPECT_EQ(log.operations[0].bytes, 4096U);
  EXPECT_EQ(log.operations[1].kernel, "streamed");
  EXPECT_EQ(log.operations[1].blocks, 8U);
  EXPECT_EQ(log.operations[1].begin_ns, 1100) << "its first mark, since an event is passed before";
  EXPECT_EQ(log.operations[1].end_ns, 1500);
  EXPECT_EQ(log.operations[2].begin_ns, 2000);
  EXPECT_EQ(log.operations[2].waited_for, StreamWait::kStream);
  EXPECT_EQ(log.operations[2].waited_on, 1U);

  ASSERT_EQ(result->trace.warps.size(), 1U);
  const TraceWarp& warp = result->trace.warps[0];
  EXPECT_NEAR(static_cast<double>(warp.begin_cycles) / result->trace.clocks.cycles_per_ns, 1100, 200);
  EXPECT_EQ(warp.end_cycles - warp.begin_cycles, 300);
  EXPECT_EQ(log.operationOf(warp.block), 1U);
  EXPECT_EQ(result->trace.eventsOf(warp).front().clock_cycles, warp.begin_cycles + 100);
}

TEST_F(ExecutorTest, OperationsOnADeviceWithoutStreamsAreRefused) {
  const auto refused = run(fakeRequest("streamed"));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("cannot run operations on several streams"), std::string::npos)
      << refused.error().message;
}

TEST_F(ExecutorTest, ASecondRunNeitherUploadsNorAllocates) {
  ASSERT_TRUE(run(fakeRequest("copy")));
  const auto before = backend_.counts;
  const auto again = run(with(fakeRequest("copy"), "block", 64));
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->verification.passed);
  EXPECT_EQ(backend_.counts.uploads, before.uploads);
  EXPECT_EQ(backend_.counts.allocations, before.allocations);
  EXPECT_EQ(backend_.counts.memory_queries, before.memory_queries);
  EXPECT_EQ(backend_.counts.timed_copies, before.timed_copies);
}

TEST_F(ExecutorTest, InOutsAreRestoredBeforeTheVerifiedLaunch) {
  for (int i = 0; i < 3; ++i) {
    const auto result = run(fakeRequest("increment"));
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_TRUE(result->verification.passed) << i;
  }
  EXPECT_EQ(backend_.counts.uploads, 1);
}

TEST_F(ExecutorTest, AWrongResultIsARunThatIsNotVerified) {
  const auto result = run(fakeRequest("wrong"));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->verification.passed);
  EXPECT_EQ(result->verification.mismatches,
            1U);  // outputs are initially filled, so that a missing element is noticed
  // A kernel that writes wrong values may have overwritten the inputs: they are sent again.
  const int uploads = backend_.counts.uploads;
  ASSERT_TRUE(run(fakeRequest("copy")));
  EXPECT_EQ(backend_.counts.uploads, uploads + 1);
}

TEST_F(ExecutorTest, ImpossibleLaunchesAreRefusedBeforeAnythingIsAllocated) {
  expectRefused(with(fakeRequest("copy"), "block", 1025), "1025 threads; Fake GPU allows 1 to 1024");
  expectRefused(with(fakeRequest("copy"), "shared", 300000),
                "300000 B of shared memory per block; Fake GPU allows 232448 B");
  backend_.editableDescription().limits.registers_per_block = 16384;
  expectRefused(with(fakeRequest("copy"), "block", 1024), "32 registers");
  RunRequest none = fakeRequest("copy");
  none.repeats = 0;
  expectRefused(none, "repeat");
  none = fakeRequest("copy");
  none.sampling.max_warps = 0;
  expectRefused(none, "1 warp");
  none.family = "unknown";
  expectRefused(none, "unknown");
}

TEST_F(ExecutorTest, TooLargeForTheDeviceIsRefusedWithNeededAndFree) {
  // 2 x 64 MiB on a device of 64 MiB.
  expectRefused(fakeRequest("copy", 16 << 20),
                "needs 129 MiB of device memory, but only 64 of 64 MiB are free");
}

TEST_F(ExecutorTest, AnImpossibleLaunchComesWithTheNearestPossibleOne) {
  const auto nearest = [&](const RunRequest& request) {
    const auto refused = run(request);
    EXPECT_FALSE(refused);
    return refused ? ParameterValues{} : ParameterValues(refused.error().nearest);
  };
  EXPECT_EQ(nearest(with(fakeRequest("copy"), "block", 1500)), (ParameterValues{{"block", 1024}}));
  EXPECT_EQ(nearest(with(fakeRequest("copy"), "shared", 300000)), (ParameterValues{{"shared", 232448}}));
  // 2 x 64 MiB on a device of 64 MiB.
  EXPECT_EQ(nearest(fakeRequest("copy", 16 << 20)), (ParameterValues{{"size", 8 << 20}}));
  backend_.editableDescription().limits.registers_per_block = 16384;  // 32 per thread
  EXPECT_EQ(nearest(with(fakeRequest("copy"), "block", 1024)), (ParameterValues{{"block", 512}}));
  EXPECT_TRUE(nearest(with(with(fakeRequest("copy"), "block", 1024), "shared", 300000)).empty())
      << "two changes would be needed";
  EXPECT_TRUE(nearest(fakeRequest("unknown")).empty());
  EXPECT_EQ(backend_.counts.allocations, 0);
  EXPECT_EQ(backend_.counts.launches, 0);
}

TEST_F(ExecutorTest, MakesRoomByGivingUpWhatOnlySavesTime) {
  // Each run holds 2 x 12 MiB, and 2 x 12 MiB for the copy ceiling; inputs for earlier sizes must be dropped.
  for (const int64_t size : {3 << 20, (3 << 20) - 1024, (3 << 20) - 2048, (3 << 20) - 4096, 3 << 20}) {
    const auto result = run(fakeRequest("copy", size));
    ASSERT_TRUE(result) << size << ": " << result.error().message;
    EXPECT_TRUE(result->verification.passed);
  }
}

TEST_F(ExecutorTest, LittleMemoryForTracesIsToldNotFatal) {
  FakeBackend small(16 << 20);  // the whole grid's 4,096 warps would take 266 MiB
  Executor executor(small, fakeKernels());
  RunRequest request = fakeRequest("copy", 1 << 17);
  request.sampling.mode = Sampling::Mode::kAll;
  const auto result = executor.run(request, {}, {});
  ASSERT_TRUE(result) << result.error().message;
  const auto& problems = result->trace.problems;
  EXPECT_TRUE(std::ranges::any_of(problems, [](const TraceProblem& problem) {
    return problem.cause.find("little device memory") != std::string::npos;
  }));
}

TEST_F(ExecutorTest, AStopEndsBetweenSteps) {
  std::stop_source stop;
  std::vector<std::string> steps;
  const auto stopped = executor_.run(
      fakeRequest("copy"),
      [&](const Progress& progress) {
        steps.push_back(progress.step);
        if (steps.size() == 2) stop.request_stop();
      },
      stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::kCancelled);
  EXPECT_EQ(steps.size(), 2U);
  EXPECT_EQ(backend_.counts.launches, 0);
}

TEST_F(ExecutorTest, ProgressOnlyGrows) {
  double last = -1;
  ASSERT_TRUE(executor_.run(fakeRequest("copy"),
                            [&](const Progress& progress) {
                              EXPECT_GT(progress.fraction, last);
                              last = progress.fraction;
                            },
                            {}));
  EXPECT_LT(last, 1);
}

TEST_F(ExecutorTest, AStickyErrorIsReported) {
  const auto failed = run(fakeRequest("poison"));
  ASSERT_FALSE(failed);
  EXPECT_TRUE(backend_.poisoned());
  EXPECT_NE(failed.error().message.find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos);
}

TEST_F(ExecutorTest, CountersAreReadWhenAskedForAndTheRunIsAnnouncedBefore) {
  RunRequest request = fakeRequest("increment", 1024);
  request.counters = {"a.sum", "b.sum"};
  backend_.on_count = [](const std::string& metric) { return metric == "a.sum" ? 7.0 : 8.0; };
  std::shared_ptr<const warpscope::Run> early;
  const auto made = executor_.run(
      request, [&](const Progress& progress) { early = progress.early ? progress.early : early; }, {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->counters, (std::map<std::string, double>{{"a.sum", 7}, {"b.sum", 8}}));
  ASSERT_NE(early, nullptr);
  EXPECT_TRUE(early->counters.empty());
  EXPECT_EQ(early->timing.median_us, made->timing.median_us);
}

// They take a GPU further passes.
TEST_F(ExecutorTest, CountersOfTexturesAreOnlyReadOfKernelsThatHaveSome) {
  RunRequest request = fakeRequest("copy", 1024);
  std::set<std::string> asked;
  backend_.on_count = [&](const std::string& metric) {
    asked.insert(metric);
    return 1.0;
  };
  const std::string texture = "l1tex__t_sectors_pipe_tex_mem_texture.sum";
  request.counters = usualCounters();
  ASSERT_TRUE(run(request));
  EXPECT_TRUE(asked.contains("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"));
  EXPECT_FALSE(asked.contains(texture));
  request.counters = {texture};
  ASSERT_TRUE(run(request));
  EXPECT_TRUE(asked.contains(texture)) << "by name";
}

TEST_F(ExecutorTest, CountersOfLocalMemoryAreZeroWithoutReadingWhereAKernelHasNone) {
  RunRequest request = fakeRequest("copy", 1024);
  backend_.on_count = [](const std::string&) { return 7.0; };
  const std::string local = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum";
  const auto counted = [&] {
    const auto made = run(request);
    return made && made->counters.contains(local) ? made->counters.at(local) : -1;
  };
  request.counters = usualCounters();
  EXPECT_EQ(counted(), 0);
  backend_.local_bytes_per_thread = 8;
  EXPECT_EQ(counted(), 7);
  backend_.local_bytes_per_thread = 0;
  request.counters = {local};
  EXPECT_EQ(counted(), 7) << "by name";
}

TEST_F(ExecutorTest, BetweenPassesOnlyWhatAKernelReadsAndChangesIsRestored) {
  for (const char* variant : {"copy", "increment"}) {
    RunRequest request = fakeRequest(variant, 1024);
    request.counters = {"a.sum", "b.sum"};
    std::vector<testing::FakeCounts> seen;
    backend_.on_count = [&](const std::string&) {
      seen.push_back(backend_.counts);
      return 1.0;
    };
    ASSERT_TRUE(run(request));
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[1].fills, seen[0].fills)
        << variant << ": an output that is only written stays in the caches";
    EXPECT_EQ(seen[1].copies - seen[0].copies, request.variant == "increment" ? 1 : 0) << variant;
  }
}

TEST_F(ExecutorTest, ARunWithoutTheCountersItAskedForSaysWhy) {
  RunRequest request = fakeRequest("copy", 1024);
  request.counters = {"a.sum"};
  const auto made = run(request);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(made->counters.empty());
  EXPECT_EQ(made->counters_problem, "fake device: no counters");
}

TEST_F(ExecutorTest, AStopEndsTheReadingOfCountersBetweenLaunches) {
  RunRequest request = fakeRequest("copy", 1024);
  request.counters = {"a.sum", "b.sum", "c.sum"};
  std::stop_source stop;
  int read = 0;
  backend_.on_count = [&](const std::string&) {
    stop.request_stop();
    return static_cast<double>(++read);
  };
  const auto stopped = executor_.run(request, {}, stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::kCancelled);
  EXPECT_EQ(read, 1);
}

TEST_F(ExecutorTest, SamplesAreTakenWhenAskedForAndPutAtTheirInstructions) {
  RunRequest request = fakeRequest("copy", 1024);
  EXPECT_FALSE(run(request)->wait_samples) << "nobody asked";
  request.samples = true;
  // Line 11 of the module's PTX is "ld.global.u32 %r2, [%rd1];".
  backend_.on_sample_waits = [] {
    return WaitsByPtxLine{.interval_cycles = 256,
                          .launches = 3,
                          .taken = 100,
                          .dropped = 10,
                          .places = {{11, WarpState::kLongScoreboard, 60}, {0, WarpState::kWait, 5}}};
  };
  // The launch begins at 3200, in the middle of a sample, and takes 300 ns.
  backend_.on_sample_activity = [] {
    return TimedActivity{.interval_ns = 100,
                         .samples = {{10, 2850, {0, 1, 1, 1}},  // since the sampler was last on
                                     {2850, 2950, {0, 0, 0, 0}},
                                     {2950, 3050, {0, 0, 0, 0}},
                                     {3050, 3150, {1, 0, 0, 0}},
                                     {3150, 3250, {45, 10, 5, 2}},
                                     {3250, 3350, {90, 20, 6, 3}},
                                     {9000, 9100, {1, 1, 1, 1}}}};
  };
  std::shared_ptr<const warpscope::Run> early;
  const auto made = executor_.run(
      request, [&](const Progress& progress) { early = progress.early ? progress.early : early; }, {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->samples_problem, "");
  ASSERT_TRUE(made->wait_samples);
  EXPECT_EQ(made->wait_samples->taken, 100U);
  EXPECT_EQ(made->wait_samples->elsewhere, 30U) << "neither dropped nor at an instruction";
  ASSERT_EQ(made->wait_samples->places.size(), 1U);
  const WaitSample& at = made->wait_samples->places[0];
  EXPECT_EQ(made->listing->at(at.listed).text, "ld.global.u32 %r2, [%rd1];");
  EXPECT_EQ(made->listing->at(at.listed).line, 1U);
  EXPECT_EQ(made->listing->at(at.listed).file, made->source_file);
  EXPECT_EQ(at.state, WarpState::kLongScoreboard);
  EXPECT_EQ(at.samples, 60U);
  ASSERT_TRUE(made->activity_samples);
  const ActivitySamples& activity = *made->activity_samples;
  ASSERT_EQ(activity.samples.size(), 4 * size_t{activity.launches}) << "those near each launch";
  EXPECT_EQ(activity.samples.front().begin_ns, -250);
  EXPECT_EQ(activity.samples.back().begin_ns, 50);
  EXPECT_EQ(activity.uncertainty_ns, 100);
  const std::vector<ActivityStep> curve = activityCurve(activity);
  ASSERT_EQ(curve.size(), 5U);
  EXPECT_EQ(curve[2].begin_ns, -50);
  EXPECT_EQ(curve[2].samples, activity.launches);
  EXPECT_DOUBLE_EQ(curve[2].percent[0], 45);
  EXPECT_DOUBLE_EQ(curve[3].percent[1], 20);
  EXPECT_EQ(curve[4].begin_ns, 150);
  EXPECT_EQ(curve[4].samples, 0U) << "nothing was sampled then";
  ASSERT_NE(early, nullptr);
  EXPECT_FALSE(early->wait_samples);
  EXPECT_EQ(early->timing.median_us, made->timing.median_us);
}

TEST_F(ExecutorTest, ARunWithoutTheSamplesItAskedForSaysWhy) {
  RunRequest request = fakeRequest("copy", 1024);
  request.samples = true;
  auto made = run(request);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_FALSE(made->wait_samples || made->activity_samples);
  EXPECT_EQ(made->samples_problem, "fake device: no sampler of waits");
  // One of the two may be there.
  backend_.on_sample_waits = [] { return WaitsByPtxLine{.launches = 1}; };
  made = run(request);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(made->wait_samples);
  EXPECT_EQ(made->samples_problem, "fake device: no sampler of activity");
}

TEST_F(ExecutorTest, AStopEndsTheSamplingBetweenLaunches) {
  RunRequest request = fakeRequest("copy", 1024);
  request.samples = true;
  std::stop_source stop;
  backend_.on_sample_waits = [] { return WaitsByPtxLine{}; };
  int sampled = 0;
  backend_.on_sample_activity = [&] {
    stop.request_stop();
    ++sampled;
    return TimedActivity{};
  };
  const auto stopped = executor_.run(request, {}, stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::kCancelled);
  EXPECT_EQ(sampled, 1);
}

TEST_F(ExecutorTest, GivesAllMemoryBack) {
  {
    Executor executor(backend_, fakeKernels());
    ASSERT_TRUE(executor.run(fakeRequest("increment"), {}, {}));
    EXPECT_GT(backend_.usedBytes(), 0U);
  }
  EXPECT_EQ(backend_.usedBytes(), 0U);
}

TEST(Sampling, AutoTakesSmallGridsWholeAndSamplesLargeOnes) {
  const Sampling whole = resolveSampling({}, {512, 1, 1}, {32, 1, 1});
  EXPECT_EQ(whole.first_blocks, 512U);
  EXPECT_EQ(whole.sms, 0U);
  const Sampling sample = resolveSampling({}, {512, 1, 1}, {33, 1, 1});  // two warps per block
  EXPECT_EQ(sample.first_blocks, 1U);
  EXPECT_EQ(sample.sms, 2U);
  Sampling all;
  all.mode = Sampling::Mode::kAll;
  EXPECT_EQ(resolveSampling(all, {1000, 1000, 1}, {1024, 1, 1}).first_blocks, 1'000'000U);
  Sampling explicitly{Sampling::Mode::kExplicit, 3, 5};
  EXPECT_EQ(resolveSampling(explicitly, {1, 1, 1}, {32, 1, 1}), explicitly);
}

TEST(ClockShift, FourTimesTheBareTimeFits) {
  EXPECT_EQ(clockShift(0, 1'000'000), 0U);
  EXPECT_EQ(clockShift(4000, 1'000'000), 0U);  // 16e6 cycles < 2^24
  EXPECT_EQ(clockShift(4200, 1'000'000), 1U);  // 16.8e6
  EXPECT_EQ(clockShift(1400, 0), 1U);          // an unknown clock counts as 3 GHz
  EXPECT_EQ(clockShift(1e9, 2'000'000), 8U);   // at most as many bits as the 32-bit clock has
}

}  // namespace
}  // namespace warpscope
