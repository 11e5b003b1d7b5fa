// Operations on streams: the block scheduler and the streams' model with made-up kernels, then whole runs of
// the streams family on a simulated GPU.
#include "kernels/metrics/streams.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "kernels/device/device.h"
#include "kernels/execute/executor.h"
#include "kernels/sim/streams/block_scheduler.h"
#include "kernels/sim/streams/stream_machine.h"
#include "tests/support/fake_backend.h"
#include "tests/support/plan_runner.h"

namespace warpscope {
namespace {

// Two SMs at 1 GHz, so that a cycle is a nanosecond; 1 byte a ns, and nothing else takes time unless a test
// says so.
sim::DeviceProfile plainProfile() {
  sim::DeviceProfile profile;
  profile.id = "sim:plain";
  profile.limits.sm_count = 2;
  profile.sm_clock_mhz = 1000;
  profile.dram_bytes_per_cycle = 10;
  profile.copy_to_device_bytes_per_ns = profile.copy_to_host_bytes_per_ns = 1;
  profile.copy_pageable_bytes_per_ns = 0.5;
  profile.copy_latency_ns = profile.stream_latency_ns = profile.enqueue_ns = profile.host_function_ns = 0;
  return profile;
}

// Blocks that take a share of an SM's 8 warps.
std::vector<ResourceBudget> warpsOf(uint64_t warps) {
  return {{.resource = OccupancyLimiter::kWarps, .capacity = 8, .per_block = warps}};
}

sim::QueuedKernel kernelOf(uint32_t operation, std::vector<uint64_t> cycles, int32_t priority = 0,
                           uint64_t warps = 8) {
  return {.operation = operation,
          .priority = priority,
          .block_cycles = std::move(cycles),
          .needs = warpsOf(warps),
          .blocks_per_sm = static_cast<uint32_t>(8 / warps)};
}

// All blocks to their end.
std::vector<sim::PlacedStay> finish(sim::BlockScheduler& scheduler, uint64_t now = 0) {
  scheduler.place(now);
  while (scheduler.nextChange() != sim::BlockScheduler::kNoBlock) {
    const uint64_t end = scheduler.nextChange();
    scheduler.release(end);
    scheduler.place(end);
  }
  return scheduler.stays();
}

TEST(BlockScheduler, FillsAnEmptyGpuBreadthFirst) {
  sim::BlockScheduler scheduler(plainProfile());
  scheduler.add(kernelOf(0, {10, 20, 30, 40}, 0, 4));
  std::vector<uint32_t> sms;
  for (const sim::PlacedStay& stay : finish(scheduler)) {
    EXPECT_EQ(stay.begin, 0U);
    sms.push_back(stay.sm);
  }
  EXPECT_EQ(sms, (std::vector<uint32_t>{0, 1, 0, 1}));
}

TEST(BlockScheduler, GivesAKernelOnlyWhatTheOneBeforeItLeaves) {
  sim::BlockScheduler scheduler(plainProfile());
  scheduler.add(kernelOf(0, {10, 20, 30}));
  scheduler.add(kernelOf(1, {5}));
  const auto stays = finish(scheduler);
  ASSERT_EQ(stays.size(), 4U);
  EXPECT_EQ(stays[2].begin, 10U) << "the third block goes to the SM that was free first";
  EXPECT_EQ(stays[2].sm, 0U);
  EXPECT_EQ(stays[3].operation, 1U);
  EXPECT_EQ(stays[3].begin, 20U) << "only then is it the other kernel's turn";
  EXPECT_EQ(stays[3].sm, 1U);
}

TEST(BlockScheduler, GivesTheNextRoomToAHigherPriority) {
  sim::BlockScheduler scheduler(plainProfile());
  scheduler.add(kernelOf(0, {10, 20, 30, 40}));
  scheduler.place(0);
  scheduler.add(kernelOf(1, {7}, -1));
  const auto stays = finish(scheduler, 3);
  EXPECT_EQ(stays[0].end, 10U) << "a block that runs is not interrupted";
  EXPECT_EQ(stays[2].operation, 1U);
  EXPECT_EQ(stays[2].begin, 10U);
  EXPECT_EQ(stays[3].operation, 0U);
  EXPECT_EQ(stays[3].begin, 17U);
}

TEST(BlockScheduler, SharesAnSmAmongKernelsWhoseNeedsFitTogether) {
  sim::BlockScheduler scheduler(plainProfile());
  scheduler.add(kernelOf(0, {100, 100}, 0, 4));
  scheduler.add(kernelOf(1, {10, 10, 10}, 0, 4));
  const auto stays = finish(scheduler);
  EXPECT_EQ(stays[2].begin, 0U);
  EXPECT_EQ(stays[3].begin, 0U);
  EXPECT_NE(stays[2].sm, stays[3].sm);
  EXPECT_EQ(stays[4].begin, 10U) << "no SM has room for a fifth block of 4 warps";
}

// Work whose launches have one block on each SM, of so many cycles.
struct Script {
  StreamWork work;
  std::map<uint32_t, uint64_t> cycles;
  std::vector<uint32_t> effects;  // operations, in the order in which memory saw them

  explicit Script(std::vector<StreamInfo> streams) { work.streams = std::move(streams); }
  uint32_t copy(OperationKind kind, uint32_t stream, uint64_t bytes,
                HostMemory memory = HostMemory::kPinned) {
    work.operations.push_back({.kind = kind, .stream = stream, .memory = memory, .bytes = bytes});
    return static_cast<uint32_t>(work.operations.size() - 1);
  }
  uint32_t in(uint32_t stream, uint64_t bytes) { return copy(OperationKind::kCopyToDevice, stream, bytes); }
  uint32_t out(uint32_t stream, uint64_t bytes) { return copy(OperationKind::kCopyToHost, stream, bytes); }
  uint32_t launch(uint32_t stream, uint64_t block_cycles) {
    work.operations.push_back({.stream = stream});
    const auto index = static_cast<uint32_t>(work.operations.size() - 1);
    cycles[index] = block_cycles;
    return index;
  }
  uint32_t event(OperationKind kind, uint32_t stream, uint32_t number) {
    work.operations.push_back({.kind = kind, .stream = stream, .event = number});
    return static_cast<uint32_t>(work.operations.size() - 1);
  }

  Expected<StreamReport> tryRun(const sim::DeviceProfile& profile, const std::stop_token& stop = {}) {
    const sim::StreamActions actions{
        .launch = [&](uint32_t index) -> Expected<sim::LaunchedAlone> {
          effects.push_back(index);
          return sim::LaunchedAlone{.stays = {{0, 0, 5, 5 + cycles[index]}, {1, 1, 5, 5 + cycles[index]}},
                                    .begin_cycle = 1'000'000,
                                    .needs = warpsOf(8),
                                    .blocks_per_sm = 1};
        },
        .effect = [&](uint32_t index) -> Expected<void> {
          effects.push_back(index);
          return {};
        }};
    return sim::runOnStreams(work, profile, actions, stop);
  }
  StreamReport run(const sim::DeviceProfile& profile = plainProfile()) { return tryRun(profile).value(); }
};

std::vector<StreamInfo> plainStreams(size_t count, StreamKind kind = StreamKind::kBlocking) {
  std::vector<StreamInfo> streams(count);
  for (StreamInfo& stream : streams) stream.kind = kind;
  return streams;
}

TEST(StreamMachine, EndsOneOperationOfAStreamBeforeTheNext) {
  Script script(plainStreams(1));
  script.in(0, 100);
  script.launch(0, 50);
  script.out(0, 30);
  sim::DeviceProfile profile = plainProfile();
  profile.stream_latency_ns = 7;
  profile.copy_latency_ns = 3;
  const StreamReport report = script.run(profile);
  EXPECT_EQ(report.operations[0].begin_ns, 7);
  EXPECT_EQ(report.operations[0].end_ns, 110);
  EXPECT_EQ(report.operations[1].begin_ns, 117);
  EXPECT_EQ(report.operations[1].end_ns, 167);
  EXPECT_EQ(report.operations[2].begin_ns, 174);
  EXPECT_EQ(report.total_ns, 207);
  EXPECT_EQ(report.operations[2].waited_for, StreamWait::kStream);
  EXPECT_EQ(report.operations[2].waited_on, 1U);
  EXPECT_EQ(report.operations[2].after, std::vector<uint32_t>{1});
  EXPECT_EQ(script.effects, (std::vector<uint32_t>{0, 1, 2}));
}

TEST(StreamMachine, OverlapsCopiesInBothDirectionsAndLaunches) {
  Script script(plainStreams(3));
  for (uint32_t chunk = 0; chunk < 6; ++chunk) {
    script.in(chunk % 3, 100);
    script.launch(chunk % 3, 100);
    script.out(chunk % 3, 100);
  }
  // Six turns of the busiest unit, and the two others' first and last one.
  EXPECT_EQ(script.run().total_ns, 800);
  Script serial(plainStreams(1));
  for (uint32_t chunk = 0; chunk < 6; ++chunk) {
    serial.in(0, 100);
    serial.launch(0, 100);
    serial.out(0, 100);
  }
  EXPECT_EQ(serial.run().total_ns, 1800);
}

TEST(StreamMachine, HasOneCopyEngineForEachDirection) {
  Script script(plainStreams(3));
  const uint32_t first = script.in(0, 100);
  const uint32_t second = script.in(1, 100);
  const uint32_t back = script.out(2, 100);
  const StreamReport report = script.run();
  EXPECT_EQ(report.operations[back].end_ns, 100);
  EXPECT_EQ(report.operations[second].begin_ns, 100);
  EXPECT_EQ(report.operations[second].waited_for, StreamWait::kCopyEngine);
  EXPECT_EQ(report.operations[second].waited_on, first);
  EXPECT_TRUE(report.operations[second].after.empty()) << "nothing orders the two";
}

TEST(StreamMachine, LetsTheHostWaitForPageableMemory) {
  Script script(plainStreams(2));
  const uint32_t copy = script.copy(OperationKind::kCopyToDevice, 0, 100, HostMemory::kPageable);
  const uint32_t other = script.launch(1, 10);
  const StreamReport report = script.run();
  EXPECT_EQ(report.operations[copy].end_ns, 200) << "through the staging buffer";
  EXPECT_EQ(report.operations[copy].enqueued_ns, 200);
  EXPECT_EQ(report.operations[other].enqueue_ns, 200);
  EXPECT_EQ(report.operations[other].waited_for, StreamWait::kNothing) << "the host came late";
}

TEST(StreamMachine, SynchronisesTheLegacyDefaultStreamWithAllButNonBlockingOnes) {
  std::vector<StreamInfo> streams = plainStreams(3);
  streams[1].kind = StreamKind::kLegacyDefault;
  streams[2].kind = StreamKind::kNonBlocking;
  Script script(streams);
  const uint32_t copy = script.in(0, 100);
  const uint32_t launch = script.launch(1, 10);
  const uint32_t behind = script.out(0, 5);
  const uint32_t free = script.out(2, 20);
  const StreamReport report = script.run();
  EXPECT_EQ(report.operations[launch].begin_ns, 100);
  EXPECT_EQ(report.operations[launch].waited_for, StreamWait::kDefaultStream);
  EXPECT_EQ(report.operations[launch].waited_on, copy);
  EXPECT_EQ(report.operations[behind].begin_ns, 110);
  EXPECT_EQ(report.operations[behind].waited_for, StreamWait::kDefaultStream);
  EXPECT_EQ(report.operations[behind].waited_on, launch);
  EXPECT_EQ(report.operations[free].begin_ns, 0);

  streams[0].kind = StreamKind::kPerThreadDefault;
  Script per_thread(streams);
  per_thread.in(0, 100);
  per_thread.launch(1, 10);
  EXPECT_EQ(per_thread.run().operations[1].begin_ns, 100) << "it synchronises, too";
}

TEST(StreamMachine, OrdersStreamsByEvents) {
  Script script(plainStreams(2));
  const uint32_t copy = script.in(0, 100);
  script.event(OperationKind::kEvent, 0, 7);
  script.in(0, 50);  // behind the event
  script.event(OperationKind::kWait, 1, 7);
  const uint32_t launch = script.launch(1, 10);
  const StreamReport report = script.run();
  EXPECT_EQ(report.operations[launch].begin_ns, 100);
  EXPECT_EQ(report.operations[launch].waited_for, StreamWait::kEvent);
  EXPECT_EQ(report.operations[launch].waited_on, copy) << "which is what the event was recorded behind";

  Script never(plainStreams(1));
  never.event(OperationKind::kWait, 0, 1);
  never.launch(0, 10);
  EXPECT_EQ(never.run().total_ns, 10) << "an event that was never recorded";
}

// A kernel that does not wait for a copy begins before the bytes are there.
TEST(StreamMachine, ChangesMemoryInTheOrderOfTime) {
  Script script(plainStreams(2));
  const uint32_t copy = script.in(0, 100);
  const uint32_t launch = script.launch(1, 10);
  script.run();
  EXPECT_EQ(script.effects, (std::vector<uint32_t>{launch, copy}));
}

TEST(StreamMachine, NamesTheLaunchThatHoldsTheSms) {
  Script script(plainStreams(2));
  const uint32_t first = script.launch(0, 500);
  const uint32_t second = script.launch(1, 10);
  const StreamReport report = script.run();
  EXPECT_EQ(report.operations[second].begin_ns, 500);
  EXPECT_EQ(report.operations[second].waited_for, StreamWait::kSms);
  EXPECT_EQ(report.operations[second].waited_on, first);
}

TEST(StreamMachine, SaysWhereBlocksWouldHaveRun) {
  Script script(plainStreams(1));
  script.in(0, 100);
  const uint32_t launch = script.launch(0, 40);
  const StreamReport report = script.run();
  ASSERT_EQ(report.placed.size(), 2U);
  EXPECT_EQ(report.placed[1].operation, launch);
  EXPECT_EQ(report.placed[1].block, 1U);
  EXPECT_EQ(report.placed[1].sm, SmId{1});
  // By itself it began at 1,000,005 of the device's clock.
  EXPECT_EQ(report.placed[1].later_cycles, 100 - 1'000'005);
}

TEST(StreamMachine, IsStopped) {
  Script script(plainStreams(1));
  script.launch(0, 10);
  std::stop_source stop;
  stop.request_stop();
  const auto report = script.tryRun(plainProfile(), stop.get_token());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::kCancelled);
}

TEST(StreamTimes, TellBoundAndOverlap) {
  StreamLog log;
  log.streams = plainStreams(1);
  const auto add = [&](OperationKind kind, double begin, double end) {
    log.operations.push_back({.kind = kind, .begin_ns = begin, .end_ns = end});
  };
  add(OperationKind::kCopyToDevice, 0, 100);
  add(OperationKind::kLaunch, 50, 80);
  add(OperationKind::kLaunch, 60, 120);
  add(OperationKind::kCopyToHost, 200, 260);
  const StreamTimes times = streamTimes(log);
  ASSERT_EQ(times.busy.size(), kBusyUnits.size());
  for (const auto& [unit, busy_ns] : {std::pair(0U, 100), {1U, 70}, {2U, 60}})
    EXPECT_EQ(times.busy[unit].busy_ns, busy_ns) << unit;
  EXPECT_EQ(times.total_ns, 260);
  EXPECT_EQ(times.working_ns, 180);
  EXPECT_EQ(times.boundNs(), 100);
  EXPECT_EQ(times.busiest().unit, StreamUnit::kCopyToDevice);
  EXPECT_EQ(times.nameOf(times.busiest()), "HtoD copies");
  EXPECT_EQ(times.most_at_once, 2);
  EXPECT_DOUBLE_EQ(times.overlap(), 50.0 / 130);
  EXPECT_EQ(times.unitsUsed(), 3U);
  std::erase_if(log.operations,
                [](const StreamOperation& each) { return each.kind != OperationKind::kLaunch; });
  EXPECT_EQ(streamTimes(log).unitsUsed(), 1U) << "nothing that could overlap";
}

// Runs on a simulated H100.

ModellingBackend& model() {
  static const auto kModel = openModel("sim:h100").value();
  return *kModel;
}

Run runFamily(const std::string& family, const std::string& variant, ParameterValues parameters) {
  RunRequest request{.family = family, .variant = variant, .parameters = std::move(parameters)};
  auto run = Executor(model()).run(request, {}, {});
  EXPECT_TRUE(run) << run.error().message;
  return run.value_or(Run{});
}

Run runStreams(const std::string& variant, ParameterValues parameters = {{"size", 1 << 17}}) {
  return runFamily("streams", variant, std::move(parameters));
}

double totalOf(const Run& run) {
  return streamTimes(*run.streams).total_ns;
}

TEST(StreamRuns, AreVerifiedAndOverlapAsTheyShould) {
  std::map<std::string, warpscope::Run> runs;
  for (const char* variant : {"one_stream", "depth_first", "breadth_first", "pageable", "default_stream"}) {
    runs[variant] = runStreams(variant, {{"size", 1 << 19}});
    EXPECT_TRUE(runs[variant].verification.passed) << variant << ": " << runs[variant].verification.detail;
    ASSERT_TRUE(runs[variant].streams);
    EXPECT_EQ(runs[variant].streams->operations.size(), 12U);
    EXPECT_GE(totalOf(runs[variant]), streamTimes(*runs[variant].streams).boundNs());
  }
  EXPECT_NEAR(streamTimes(*runs["one_stream"].streams).overlap(), 0, 1e-9);
  EXPECT_NEAR(streamTimes(*runs["pageable"].streams).overlap(), 0, 1e-9);
  EXPECT_GT(streamTimes(*runs["depth_first"].streams).overlap(), 0.5);
  EXPECT_LT(totalOf(runs["depth_first"]), 0.8 * totalOf(runs["one_stream"]));
  EXPECT_LT(totalOf(runs["depth_first"]), totalOf(runs["default_stream"]));
  EXPECT_LE(totalOf(runs["depth_first"]), totalOf(runs["breadth_first"]));
  EXPECT_GT(totalOf(runs["pageable"]), 2 * totalOf(runs["one_stream"]));
}

TEST(StreamRuns, HaveTheWarpsOfAllLaunchesOnTheAxisOfTheOperations) {
  const auto run = runStreams("depth_first", {{"size", 5000}, {"chunks", 3}, {"block", 96}});
  const StreamLog& log = *run.streams;
  EXPECT_EQ(run.grid, Dim3{54}) << "three launches of 18 blocks";
  std::map<uint32_t, uint32_t> warps;
  for (const TraceWarp& warp : run.trace.warps) {
    const auto operation = log.operationOf(warp.block);
    ASSERT_TRUE(operation);
    ++warps[*operation];
    const auto at_ns = [&](int64_t cycles) {
      return static_cast<double>(cycles) / run.trace.clocks.cycles_per_ns;
    };
    EXPECT_GE(at_ns(warp.begin_cycles), log.operations[*operation].begin_ns - 1);
    EXPECT_LE(at_ns(warp.end_cycles), log.operations[*operation].end_ns + 1);
  }
  ASSERT_EQ(warps.size(), 3U);
  for (const auto& [operation, count] : warps) {
    EXPECT_EQ(log.operations[operation].kind, OperationKind::kLaunch);
    EXPECT_EQ(count, 18U * 3);
  }
  EXPECT_EQ(log.operationOf(BlockId{54}), std::nullopt);
  for (const TraceWarp& warp : run.trace.warps) {
    for (const TraceEvent& event : run.trace.eventsOf(warp)) {
      EXPECT_GE(event.clock_cycles, warp.begin_cycles);
      EXPECT_LE(event.clock_cycles, warp.end_cycles);
    }
  }
}

TEST(StreamRuns, ApproachTheBoundAtASweetSpotOfChunks) {
  std::vector<double> totals;
  for (const int64_t chunks : {1, 4, 32})
    totals.push_back(
        totalOf(runStreams("depth_first", {{"size", 1 << 20}, {"chunks", chunks}, {"work", 1}})));
  EXPECT_LT(totals[1], totals[0]) << "one chunk overlaps with nothing";
  EXPECT_LT(totals[1], totals[2]) << "with 32, the host's calls take longest";
}

// At the defaults: four waves of blocks, and three requests while the first one runs.
TEST(PriorityRuns, LetRequestsWaitForAsMuchAsTheirPrioritySays) {
  std::map<std::string, double> over;  // by variant: the share of the background when the first request began
  for (const VariantInfo& variant : findExperiment("priorities").value()->info().variants) {
    SCOPED_TRACE(variant.name);
    const warpscope::Run run = runFamily("priorities", variant.name, {});
    EXPECT_TRUE(run.verification.passed) << run.verification.detail;
    ASSERT_EQ(run.streams->operations.size(), 4U);
    const StreamOperation& background = run.streams->operations[0];
    const StreamOperation& request = run.streams->operations[1];
    ASSERT_LT(request.enqueued_ns, background.end_ns) << "it comes while the background runs";
    if (variant.name == "room_left") {
      EXPECT_EQ(request.waited_for, StreamWait::kNothing) << "it finds room at once";
    }
    over[variant.name] = (request.begin_ns - background.begin_ns) / (background.end_ns - background.begin_ns);
    for (const PredictionResult& each : predictionResults(run)) EXPECT_TRUE(each.fulfilled()) << each.label;
  }
  EXPECT_GT(over["high_priority"], over["room_left"]);
  EXPECT_LT(over["high_priority"], 0.5) << "the next block that ends";
  EXPECT_GT(over["same_priority"], 0.7) << "all blocks of the background come first";
  EXPECT_LT(over["same_priority"], 1);
  EXPECT_GE(over["one_stream"], 1);
}

// Blocks of one wave do not end together: those that began first are served first. So the request waits for
// less than a wave, however long that is.
TEST(PriorityRuns, LetAPreferredRequestWaitForAWaveAtMost) {
  for (const int work : {512, 1024, 2048, 4096}) {
    SCOPED_TRACE(work);
    const auto results = predictionResults(runFamily("priorities", "high_priority", {{"work", work}}));
    const auto waits =
        std::ranges::find(results, "Waves that the first request waits for", &PredictionResult::label);
    ASSERT_NE(waits, results.end());
    EXPECT_TRUE(waits->fulfilled()) << waits->measured.value_or(0);
  }
}

// Nothing else runs, so the blocks' times are those of the launch by itself; blocks are only handed out a
// little sooner than by the model of a launch, which does so at the end of its epochs.
TEST(StreamRuns, TakeAsLongForALaunchAsItTakesByItself) {
  const RunRequest request{.family = "streams",
                           .variant = "one_stream",
                           .parameters = {{"size", 1 << 20}, {"chunks", 1}, {"work", 64}, {"block", 256}}};
  const RunRequest complete = completeRequest(findExperiment("streams").value()->info(), request).value();
  const LaunchPlan plan =
      findExperiment("streams").value()->plan(complete, model().description().limits).value();
  const test::PreparedLaunch launch(model(), plan, ProbeKind::kBare, Bytes(1));
  const ModelledReport alone =
      model().launchModelled(launch.spec(), {.caches = ModelledLaunch::Caches::kCold}).value();
  StreamWork work{.streams = plan.streams};
  work.operations.push_back({.launch = launch.spec()});
  const StreamReport report = model().runStreams(work).value();
  const double streamed_ns = report.operations[0].end_ns - report.operations[0].begin_ns;
  const double alone_ns = static_cast<double>(alone.cycles) / (model().description().sm_clock_khz / 1e6);
  EXPECT_NEAR(streamed_ns, alone_ns, 0.1 * alone_ns);
}

// A launch whose blocks do not influence each other is modelled on a few SMs, and of a long one not even all
// rounds of blocks.
TEST(StreamRuns, TakeOnFewSmsAsLongAsOnAll) {
  for (const auto& [size, block] : {std::pair{1 << 18, 256}, {1 << 21, 256}, {(1 << 19) + 777, 32}}) {
    SCOPED_TRACE(::testing::Message() << size << " elements, blocks of " << block);
    const RunRequest request{.family = "streams",
                             .variant = "one_stream",
                             .parameters = {{"size", size}, {"chunks", 1}, {"work", 16}, {"block", block}}};
    const RunRequest complete = completeRequest(findExperiment("streams").value()->info(), request).value();
    const LaunchPlan plan =
        findExperiment("streams").value()->plan(complete, model().description().limits).value();
    test::PreparedLaunch launch(model(), plan, ProbeKind::kBare, Bytes(1));
    StreamWork work{.streams = plan.streams};
    work.operations.push_back({.launch = launch.spec()});
    const auto duration_ns = [](const StreamReport& report) {
      return report.operations[0].end_ns - report.operations[0].begin_ns;
    };
    const double all_ns = duration_ns(model().runStreams(work).value());
    const std::vector<Bytes> outputs = launch.outputs();
    launch.restore();
    const ModelledStreamReport few =
        model()
            .runStreamsModelled(work, {.recorded_sms = 2, .recorded_rounds = 1, .plain = {launch.spec()}})
            .value();
    EXPECT_FALSE(few.uneven);
    EXPECT_EQ(few.placed.size(), plan.grid.count()) << "all blocks have their place";
    EXPECT_EQ(launch.outputs(), outputs);
    EXPECT_NEAR(duration_ns(few), all_ns, 0.05 * all_ns);
    EXPECT_NE(duration_ns(few), all_ns) << "both were modelled in the same way";
  }
}

// An experiment whose plan lacks one of the copies: the check must see it.
class WithoutACopy final : public Experiment {
 public:
  const FamilyInfo& info() const override { return of().info(); }
  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    auto plan = of().plan(request, limits);
    const auto copy = std::ranges::find(plan->operations, kind_, &PlannedOperation::kind);
    plan->operations.erase(copy);
    return plan;
  }
  std::vector<Prediction> predictions(const RunRequest&, const DeviceLimits&) const override { return {}; }
  Expected<std::vector<Region>> regions(const std::string& variant) const override {
    return of().regions(variant);
  }
  std::string sourceFile(const std::string& variant) const override { return of().sourceFile(variant); }
  std::shared_ptr<const std::string> source(const std::string& variant) const override {
    return of().source(variant);
  }
  OperationKind kind_ = OperationKind::kCopyToDevice;

 private:
  static const Experiment& of() { return *findExperiment("streams").value(); }
};

TEST(StreamRuns, AreWrongWithoutOneOfTheCopies) {
  for (const OperationKind kind : {OperationKind::kCopyToDevice, OperationKind::kCopyToHost}) {
    static WithoutACopy incomplete;
    incomplete.kind_ = kind;
    KernelLibrary library = builtInKernels();
    library.experiment = [](const RunRequest&) -> Expected<const Experiment*> { return &incomplete; };
    const RunRequest request{
        .family = "streams", .variant = "depth_first", .parameters = {{"size", 4000}, {"chunks", 2}}};
    const auto run = Executor(model(), library).run(request, {}, {});
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_TRUE(run->verification.failed());
    EXPECT_EQ(run->verification.mismatches, 2000U) << "the first chunk's";
  }
}

TEST(StreamRuns, AreRefusedWithTheReasonByDevicesThatRunOneLaunchAtATime) {
  testing::FakeBackend fake;
  const auto run = fake.runStreams({});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ErrorKind::kBadRequest);
  EXPECT_NE(run.error().message.find("choose a simulated GPU"), std::string::npos) << run.error().message;
}

}  // namespace
}  // namespace warpscope
