// Programmatic dependent launches: what orders them, how the block scheduler and the streams' model hold them
// at griddepcontrol.wait, where their warps are in the trace, and whole runs of the family on simulated GPUs.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "kernels/backend/stream_times.h"
#include "kernels/device/device.h"
#include "kernels/execute/executor.h"
#include "kernels/execute/stream_trace.h"
#include "kernels/experiments/prediction.h"
#include "kernels/sim/streams/block_scheduler.h"
#include "kernels/sim/streams/stream_machine.h"
#include "tests/support/plan_runner.h"

namespace warpscope {
namespace {

using sim::BlockScheduler;

// Two SMs at 1 GHz, so that a cycle is a nanosecond; an operation begins at once unless a test says
// otherwise.
sim::DeviceProfile quickProfile() {
  sim::DeviceProfile profile;
  profile.limits.sm_count = 2;
  profile.sm_clock_mhz = 1000;
  profile.stream_latency_ns = profile.enqueue_ns = 0;
  profile.dependent_launch_ns = 20;
  profile.dependent_wait_ns = 30;
  return profile;
}

// Two blocks of them fit on an SM.
std::vector<ResourceBudget> halfAnSm() {
  return {{.resource = OccupancyLimiter::kWarps, .capacity = 8, .per_block = 4}};
}

sim::QueuedKernel kernelOf(uint32_t operation, std::vector<uint64_t> cycles,
                           std::vector<sim::GridControl> controls) {
  return {.operation = operation,
          .block_cycles = std::move(cycles),
          .needs = halfAnSm(),
          .blocks_per_sm = 2,
          .controls = std::move(controls)};
}

// Lets its blocks run until none changes any more.
void finish(BlockScheduler& scheduler) {
  for (uint64_t next = scheduler.nextChange(); next != BlockScheduler::kNoBlock;
       next = scheduler.nextChange())
    scheduler.release(next);
}

TEST(DependentBlocks, StandAtTheirWaitUntilThePrimaryIsComplete) {
  BlockScheduler scheduler(quickProfile());
  scheduler.add(kernelOf(0, {100}, {}));
  auto second =
      kernelOf(1, {50, 50}, {{.first_wait = 10, .last_wait = 14}, {.first_wait = 10, .last_wait = 14}});
  second.primary = 0;
  scheduler.add(std::move(second));
  scheduler.place(0);
  EXPECT_EQ(scheduler.triggeredAt(0), 100U) << "a block that does not trigger does so by its end";
  EXPECT_EQ(scheduler.triggeredAt(1), BlockScheduler::kNoBlock) << "its blocks' ends are not known yet";
  EXPECT_EQ(scheduler.nextChange(), 14U);
  EXPECT_TRUE(scheduler.release(14).empty());
  EXPECT_EQ(scheduler.nextChange(), 100U);
  ASSERT_EQ(scheduler.release(100).size(), 1U);
  EXPECT_EQ(scheduler.nextChange(), BlockScheduler::kNoBlock) << "they keep their room";
  scheduler.complete(0, 130);
  EXPECT_EQ(scheduler.triggeredAt(1), 130U + (50 - 14));
  finish(scheduler);
  const auto& stays = scheduler.stays();
  ASSERT_EQ(stays.size(), 3U);
  EXPECT_EQ(stays[1].held_until, 130U);
  EXPECT_EQ(stays[1].points, (std::vector<sim::BlockLife::Point>{{14, 14}, {14, 130}, {50, 166}}))
      << "the last of its warps goes on at once";
  EXPECT_EQ(stays[1].end, 130U + (50 - 14));
  EXPECT_EQ(scheduler.triggeredAt(1), stays[1].end);
}

TEST(DependentBlocks, DoNotStandWhereThePrimaryIsCompleteBefore) {
  BlockScheduler scheduler(quickProfile());
  scheduler.complete(0, 5);
  auto second = kernelOf(1, {50}, {{.triggered = 40, .first_wait = 10, .last_wait = 14}});
  second.primary = 0;
  scheduler.add(std::move(second));
  scheduler.place(0);
  EXPECT_EQ(scheduler.triggeredAt(1), 40U);
  finish(scheduler);
  EXPECT_EQ(scheduler.stays()[0].end, 50U);
  EXPECT_EQ(scheduler.stays()[0].held_until, 0U);
  EXPECT_TRUE(scheduler.stays()[0].points.empty());
  EXPECT_EQ(scheduler.triggeredAt(1), 40U);
}

TEST(DependentBlocks, TriggerLaterIfTheirTriggerIsBehindTheirWait) {
  for (const bool before : {true, false}) {
    BlockScheduler scheduler(quickProfile());
    auto second = kernelOf(1, {50}, {{.triggered = before ? 5U : 40U, .first_wait = 10, .last_wait = 10}});
    second.primary = 0;
    scheduler.add(std::move(second));
    scheduler.place(0);
    EXPECT_EQ(scheduler.triggeredAt(1), before ? 5U : BlockScheduler::kNoBlock);
    finish(scheduler);
    scheduler.complete(0, 210);
    EXPECT_EQ(scheduler.triggeredAt(1), before ? 5U : 240U);
    finish(scheduler);
    EXPECT_EQ(scheduler.triggeredAt(1), before ? 5U : 240U);
    EXPECT_EQ(scheduler.stays()[0].end, 250U);
  }
}

// Two kernels that each need an SM's issue slots to 80 %, a block of each on the same one.
TEST(SharedSms, SlowTheirBlocksDownWhereKernelsNeedMoreThanThereIs) {
  auto profile = quickProfile();
  profile.limits.sm_count = 1;
  BlockScheduler scheduler(profile);
  for (const uint32_t operation : {0U, 1U}) {
    auto kernel = kernelOf(operation, {operation == 0 ? 100U : 50U}, {});
    kernel.demand = 0.8;
    scheduler.add(std::move(kernel));
  }
  scheduler.place(0);
  EXPECT_EQ(scheduler.triggeredAt(0), 160U) << "if nothing changes";
  finish(scheduler);
  EXPECT_EQ(scheduler.stays()[1].end, 80U);
  EXPECT_EQ(scheduler.stays()[0].end, 80U + 50) << "half of it is done by then, and the rest by itself";
  EXPECT_EQ(scheduler.stays()[0].points, (std::vector<sim::BlockLife::Point>{{0, 0}, {50, 80}, {100, 130}}));
}

TEST(SharedSms, AreEnoughForBlocksOfOneKernelAndForThoseThatStand) {
  auto profile = quickProfile();
  profile.limits.sm_count = 1;
  BlockScheduler scheduler(profile);
  auto first = kernelOf(0, {100, 100}, {});
  first.demand = 0.9;
  scheduler.add(std::move(first));
  scheduler.place(0);
  EXPECT_EQ(scheduler.nextChange(), 100U) << "they shared the SM when the kernel ran by itself, too";
  finish(scheduler);
  auto second = kernelOf(1, {100}, {{.first_wait = 20, .last_wait = 20}});
  second.primary = 7;
  second.demand = 0.9;
  scheduler.add(std::move(second));
  auto third = kernelOf(2, {100}, {});
  third.demand = 0.9;
  scheduler.add(std::move(third));
  scheduler.place(100);
  finish(scheduler);
  EXPECT_EQ(scheduler.stays()[3].end, 136U + 80) << "1.8 times as long until the other one stands at 136";
  scheduler.complete(7, 300);
  finish(scheduler);
  EXPECT_EQ(scheduler.stays()[2].end, 300U + 80);
}

TEST(DependentBlocks, AreNotTriggeredWhileBlocksHaveNotBegun) {
  BlockScheduler scheduler(quickProfile());
  const sim::GridControl early{.triggered = 3};
  scheduler.add(kernelOf(0, {100, 100, 100, 100, 100}, {early, early, early, early, early}));
  scheduler.place(0);
  EXPECT_EQ(scheduler.triggeredAt(0), BlockScheduler::kNoBlock) << "four fit";
  scheduler.release(100);
  scheduler.place(100);
  EXPECT_EQ(scheduler.triggeredAt(0), 103U);
}

// Launches of one block, on one stream.
struct Chain {
  StreamWork work{.streams = {{.name = "stream 1"}}, .operations = {}, .pinned = {}};
  std::vector<sim::BlockStay> blocks;

  void launch(sim::BlockStay block, bool programmatic) {
    block.begin += 5;  // begins are not what counts
    work.operations.push_back({.launch = {.programmatic = programmatic}});
    blocks.push_back(std::move(block));
  }
  StreamReport run(const sim::DeviceProfile& profile = quickProfile()) const {
    const sim::StreamActions actions{
        .launch = [&](uint32_t index) -> Expected<sim::LaunchedAlone> {
          return sim::LaunchedAlone{
              .stays = {blocks[index]}, .begin_cycle = 1000, .needs = halfAnSm(), .blocks_per_sm = 2};
        },
        .effect = [](uint32_t) -> Expected<void> { return {}; }};
    return sim::runOnStreams(work, profile, actions, {}).value();
  }
};

TEST(DependentLaunches, BeginAtTheTriggerAndEndBehindThePrimary) {
  Chain chain;
  chain.launch({.end = 205, .triggered = 45}, false);
  chain.launch({.end = 105, .triggered = 95, .waits = {35, 37}}, true);
  const StreamReport report = chain.run();
  EXPECT_EQ(report.operations[0].end_ns, 200);
  EXPECT_EQ(report.operations[1].begin_ns, 40 + 20) << "the trigger, and dependent_launch_ns";
  EXPECT_EQ(report.operations[1].end_ns, 200 + 30 + (100 - 32)) << "dependent_wait_ns, and what follows";
  EXPECT_EQ(report.operations[1].primary, 0U);
  EXPECT_TRUE(report.operations[1].after.empty()) << "nothing has to end first";
  EXPECT_EQ(report.operations[1].waited_for, StreamWait::kTrigger);
  EXPECT_EQ(report.operations[1].waited_on, 0U);
  ASSERT_EQ(report.placed.size(), 2U);
  EXPECT_TRUE(report.placed[0].waits.empty());
  EXPECT_EQ(report.placed[1].waits, (std::vector<uint64_t>{1035, 1037}));
  EXPECT_EQ(report.placed[1].held_until, 230);
  using Point = StreamReport::PlacedBlock::Point;
  EXPECT_EQ(report.placed[1].points, (std::vector<Point>{{1037, 92}, {1037, 230}, {1105, 298}}));
}

TEST(DependentLaunches, BeginWhileTheOneBeforeStillWaits) {
  Chain chain;
  chain.launch({.end = 205, .triggered = 15}, false);
  for (int i = 0; i < 2; ++i) chain.launch({.end = 105, .triggered = 15, .waits = {35}}, true);
  const StreamReport report = chain.run();
  EXPECT_EQ(report.operations[1].begin_ns, 10 + 20);
  EXPECT_EQ(report.operations[2].begin_ns, 30 + 10 + 20);
  EXPECT_EQ(report.operations[2].end_ns, report.operations[1].end_ns + 30 + 70);
}

TEST(DependentLaunches, WithoutATriggerBeginWhenThePrimaryEnds) {
  Chain chain;
  chain.launch({.end = 205}, false);
  chain.launch({.end = 105, .waits = {35}}, true);
  const StreamReport report = chain.run();
  EXPECT_EQ(report.operations[1].begin_ns, 220);
  EXPECT_EQ(report.operations[1].end_ns, 320) << "its wait is later than dependent_wait_ns";
}

TEST(DependentLaunches, InPlainOrderWaitForTheEndWhateverIsTriggered) {
  Chain chain;
  chain.launch({.end = 205, .triggered = 45}, false);
  chain.launch({.end = 105, .waits = {35}}, false);
  const StreamReport report = chain.run();
  EXPECT_EQ(report.operations[1].begin_ns, 200);
  EXPECT_EQ(report.operations[1].end_ns, 300);
  EXPECT_EQ(report.operations[1].after, std::vector<uint32_t>{0});
  EXPECT_EQ(report.operations[1].primary, std::nullopt);
}

// As on a GPU nothing behind it may begin before all that is before it has ended.
TEST(DependentLaunches, ThatDoNotWaitAreCompleteOnlyWithThePrimary) {
  Chain chain;
  chain.launch({.end = 205, .triggered = 45}, false);
  chain.launch({.end = 15}, true);
  chain.launch({.end = 15}, false);
  const StreamReport report = chain.run();
  EXPECT_EQ(report.operations[1].begin_ns, 60);
  EXPECT_EQ(report.operations[1].end_ns, 200);
  EXPECT_EQ(report.operations[2].begin_ns, 200);
}

TEST(DependentLaunches, BehindAnythingButALaunchWaitForItsEnd) {
  using enum OperationKind;
  const std::vector<StreamInfo> streams{{.name = "stream 1"}};
  StreamOrder order(streams);
  EXPECT_TRUE(order.add(kFill, 0, 0).empty());
  const auto behind_fill = order.add(kLaunch, 0, 0, true);
  EXPECT_EQ(primaryAmong(behind_fill), std::nullopt);
  EXPECT_EQ(endsAwaited(behind_fill), std::vector<uint32_t>{0});
  const auto behind_launch = order.add(kLaunch, 0, 0, true);
  EXPECT_EQ(primaryAmong(behind_launch), 1U);
  EXPECT_TRUE(endsAwaited(behind_launch).empty());
}

TEST(DependentLaunches, AreExplainedFromMeasuredTimes) {
  StreamWork work{.streams = {{.name = "stream 1"}}, .operations = {}, .pinned = {}};
  work.operations = {{.kind = OperationKind::kLaunch}, {.launch = {.programmatic = true}}};
  EXPECT_EQ(primaryOf(work, 0), std::nullopt);
  EXPECT_EQ(primaryOf(work, 1), 0U);
  std::vector<OperationTimes> times{{.enqueued_ns = 100, .begin_ns = 2000, .end_ns = 90'000, .after = {}},
                                    {.enqueued_ns = 200, .begin_ns = 40'000, .end_ns = 120'000, .after = {}}};
  explainMeasured(work, times);
  EXPECT_EQ(times[1].primary, 0U);
  EXPECT_EQ(times[1].waited_for, StreamWait::kTrigger);
  EXPECT_TRUE(times[1].after.empty());
}

// What a warp does before its wait stays where it is, what it does behind it moves; its clock read 1000 at
// the block's begin.
TEST(DependentTraces, HoldWarpsAtTheirWaits) {
  Trace trace;
  for (const uint32_t warp : {0U, 1U}) {
    trace.warps.push_back({.block = BlockId{0}, .warp_in_block = warp, .sm = SmId{0}});
    TraceWarp& added = trace.warps.back();
    added.begin_cycles = 1000;
    added.end_cycles = 1100;
    added.first_event = static_cast<uint32_t>(trace.events.size());
    added.event_count = 3;
    for (const int64_t clock : {1000, warp == 0 ? 1030 : 1040, 1060}) {
      trace.events.emplace_back();
      trace.events.back().clock_cycles = clock;
    }
  }
  StreamReport report;
  report.total_ns = 600;
  report.placed = {{.operation = 1,
                    .block = 0,
                    .sm = SmId{1},
                    .later_cycles = -800,
                    .points = {{1042, 242}, {1042, 500}, {1100, 558}},
                    .waits = {1032, 1042},
                    .held_until = 500}};
  const Trace joined = joinPlaced({{.operation = 1, .first_block = 7, .trace = trace}}, report, 1.0);
  ASSERT_EQ(joined.warps.size(), 2U);
  EXPECT_EQ(joined.warps[0].block, BlockId{7});
  std::vector<int64_t> clocks;
  for (const TraceEvent& event : joined.events) clocks.push_back(event.clock_cycles);
  EXPECT_EQ(clocks, (std::vector<int64_t>{200, 230, 518, 200, 240, 518}));
  EXPECT_EQ(joined.warps[0].end_cycles, 558);
}

// Half as fast for its second half, from the clock 1050 on.
TEST(DependentTraces, StretchWhatOtherKernelsSlowDown) {
  Trace trace;
  trace.warps.push_back({.block = BlockId{0}, .warp_in_block = 0, .sm = SmId{0}});
  TraceWarp& warp = trace.warps.back();
  warp.begin_cycles = 1000;
  warp.end_cycles = 1100;
  warp.event_count = 3;
  for (const int64_t clock : {1010, 1050, 1070}) {
    trace.events.emplace_back();
    trace.events.back().clock_cycles = clock;
  }
  StreamReport report;
  report.total_ns = 600;
  report.placed = {{.operation = 0,
                    .block = 0,
                    .sm = SmId{1},
                    .later_cycles = -800,
                    .points = {{1050, 250}, {1100, 350}}}};
  const Trace joined = joinPlaced({{.operation = 0, .first_block = 0, .trace = trace}}, report, 1.0);
  std::vector<int64_t> clocks;
  for (const TraceEvent& event : joined.events) clocks.push_back(event.clock_cycles);
  EXPECT_EQ(clocks, (std::vector<int64_t>{210, 250, 290}));
  EXPECT_EQ(joined.warps[0].end_cycles, 350);
}

// Whole runs.

ModellingBackend& model(const std::string& id) {
  static std::map<std::string, std::unique_ptr<ModellingBackend>> models;
  auto& found = models[id];
  if (found == nullptr) found = openModel(id).value();
  return *found;
}

warpscope::Run runOn(const std::string& device, const std::string& variant, ParameterValues parameters = {},
                     const std::string& family = "dependent_launch") {
  RunRequest request{.family = family, .variant = variant, .parameters = std::move(parameters)};
  auto run = Executor(model(device)).run(request, {}, {});
  EXPECT_TRUE(run) << run.error().message;
  return run.value_or(warpscope::Run{});
}

double endOf(const warpscope::Run& run) {
  return run.streams->endNs();
}

TEST(DependentLaunchRuns, EndTheSoonerTheEarlierTheyTrigger) {
  std::map<std::string, double> ends;
  for (const VariantInfo& variant : findExperiment("dependent_launch").value()->info().variants) {
    SCOPED_TRACE(variant.name);
    const warpscope::Run run = runOn("sim:h100", variant.name);
    EXPECT_TRUE(run.verification.passed) << run.verification.detail;
    EXPECT_TRUE(run.trace.problems.empty());
    ASSERT_EQ(run.streams->operations.size(), 2U);
    EXPECT_EQ(run.streams->operations[1].primary.has_value(), variant.name != "plain_order");
    // Where all blocks are alike, what follows a late trigger is too short for the next launch to begin.
    if (variant.name != "trigger_late") {
      EXPECT_EQ(run.streams->overlapsPrimary(run.streams->operations[1]), variant.name == "trigger_early");
    }
    for (const PredictionResult& each : predictionResults(run)) EXPECT_TRUE(each.fulfilled()) << each.label;
    ends[variant.name] = endOf(run);
  }
  EXPECT_LT(ends["trigger_early"], 0.9 * ends["plain_order"]) << "the preamble is hidden";
  EXPECT_LT(ends["trigger_early"], ends["trigger_late"]);
  EXPECT_LT(ends["trigger_late"], ends["no_trigger"]);
  EXPECT_LT(ends["no_trigger"], ends["plain_order"]) << "a shorter way from one launch to the next";
}

TEST(DependentLaunchRuns, HaveWarpsThatWaitUntilThePrimaryHasEnded) {
  constexpr uint32_t kWait = 1, kLoad = 2;  // regions
  const warpscope::Run run = runOn("sim:h100", "trigger_early", {{"launches", 3}});
  EXPECT_TRUE(run.verification.passed) << run.verification.detail;
  const double rate = run.trace.clocks.cycles_per_ns;
  std::map<uint32_t, uint32_t> warps;
  for (const TraceWarp& warp : run.trace.warps) {
    const uint32_t operation = run.streams->operationOf(warp.block).value();
    const StreamOperation& of = run.streams->operations[operation];
    EXPECT_GE(static_cast<double>(warp.begin_cycles) / rate, of.begin_ns - 1);
    EXPECT_LE(static_cast<double>(warp.end_cycles) / rate, of.end_ns + 1);
    ++warps[operation];
    if (operation == 0) continue;
    const double before_end = run.streams->operations[operation - 1].end_ns;
    const auto events = run.trace.eventsOf(warp);
    for (size_t i = 0; i < events.size(); ++i) {
      const double at = static_cast<double>(events[i].clock_cycles) / rate;
      if (events[i].region.value == kWait) {
        EXPECT_LT(at, before_end) << "the preamble is over before";
      }
      if (events[i].region.value == kLoad) {
        EXPECT_GE(at, before_end);
      }
      if (i > 0) {
        EXPECT_GE(events[i].clock_cycles, events[i - 1].clock_cycles);
      }
    }
  }
  EXPECT_EQ(warps.size(), 3U);
}

TEST(DependentLaunchRuns, HideNoPreambleWhereTheGpuIsFull) {
  const auto hidden = [](int64_t size) {
    const warpscope::Run run = runOn("sim:teaching", "trigger_early", {{"size", size}, {"block", 256}});
    EXPECT_TRUE(run.verification.passed) << run.verification.detail;
    const auto& launches = run.streams->operations;
    return (launches[0].end_ns - launches[1].begin_ns) / (launches[0].end_ns - launches[0].begin_ns);
  };
  EXPECT_GT(hidden(256), 0.5) << "half of the only SM is free";
  EXPECT_LT(hidden(512), 0.2) << "room is left only as the first launch's blocks end";
}

// Eight warps a sub-partition leave no issue slots to the next launch's preamble. On an H100 the early
// trigger takes 0.96 of plain order there (580.159.04, 2026-11-26).
TEST(DependentLaunchRuns, GainLittleWhereOneLaunchNeedsAllIssueSlots) {
  const auto end = [](const std::string& variant) {
    return endOf(runOn("sim:h100", variant, {{"size", int64_t{1} << 17}}));
  };
  const double ratio = end("trigger_early") / end("plain_order");
  EXPECT_LT(ratio, 1);
  EXPECT_GT(ratio, 0.92);
}

TEST(DependentLaunchRuns, AreInPlainOrderOnGpusThatCannotTrigger) {
  const warpscope::Run plain = runOn("sim:a100", "plain_order"), early = runOn("sim:a100", "trigger_early");
  EXPECT_TRUE(early.verification.passed) << early.verification.detail;
  EXPECT_EQ(early.streams->operations[1].primary, std::nullopt);
  EXPECT_EQ(early.streams->operations[1].after, std::vector<uint32_t>{0});
  EXPECT_NEAR(endOf(early), endOf(plain), 0.05 * endOf(plain));
  ASSERT_EQ(early.trace.problems.size(), 1U);
  EXPECT_EQ(early.trace.problems[0].cause,
            "programmatic dependent launches need compute capability 9.0, this device has 8.0: the launches "
            "are in plain order instead");
  EXPECT_TRUE(plain.trace.problems.empty()) << "it asks for nothing that is missing";
}

TEST(DependentLaunchRuns, ThatRelyOnTheTriggerAloneAreReported) {
  const warpscope::Run wrong = runOn("sim:h100", "trigger_without_visibility", {{"size", 1000}}, "broken");
  ASSERT_TRUE(wrong.hazards);
  ASSERT_EQ(wrong.hazards->size(), 1U);
  const Hazard& hazard = wrong.hazards->front();
  EXPECT_EQ(hazard.kind, HazardKind::kTriggerWithoutVisibility);
  EXPECT_EQ(hazard.kernel, "trigger_without_visibility");
  EXPECT_EQ(hazard.allocation, "'between' (4,000 bytes)");
  EXPECT_EQ(hazard.access.action, "read");
  ASSERT_TRUE(hazard.second);
  EXPECT_EQ(hazard.second->action, "write");
  EXPECT_GT(hazard.count, 900U);
  EXPECT_NE(hazard.message.find("griddepcontrol.wait"), std::string::npos) << hazard.message;
  const warpscope::Run right = runOn("sim:h100", "trigger_with_wait", {{"size", 1000}}, "broken");
  EXPECT_TRUE(right.hazards->empty());
  EXPECT_TRUE(right.verification.passed) << right.verification.detail;
  EXPECT_TRUE(right.streams->operations[1].primary);
}

}  // namespace
}  // namespace warpscope
