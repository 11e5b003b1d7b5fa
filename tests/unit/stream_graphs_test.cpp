// Graphs of operations: which are possible, what follows what, the simulated machine's times, and whole runs
// of the graphs family on a simulated GPU.
#include "kernels/backend/stream_graphs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "kernels/backend/stream_times.h"
#include "kernels/device/device.h"
#include "kernels/execute/executor.h"
#include "kernels/metrics/metric.h"
#include "kernels/sim/streams/stream_machine.h"
#include "tests/support/plan_runner.h"

namespace warpscope {
namespace {

using enum OperationKind;

// Work that is written down operation by operation.
struct Script {
  StreamWork work;

  Script(size_t streams, std::vector<GraphMaking> graphs) {
    for (size_t i = 0; i < streams; ++i) work.streams.push_back({.name = fmt::format("stream {}", i + 1)});
    for (const GraphMaking making : graphs) work.graphs.push_back({.name = "graph", .making = making});
  }
  uint32_t alone(OperationKind kind, uint32_t stream) { return add({.kind = kind, .stream = stream}); }
  uint32_t node(std::vector<uint32_t> after = {}, uint32_t graph = 0) {
    return add({.graph = graph, .nodes = std::move(after)});
  }
  // A node that `decides` whether the one behind it is executed, as far as checks look; the first is always.
  void conditionalChain(uint32_t nodes) {
    for (uint32_t i = 0; i < nodes; ++i) {
      node(i == 0 ? std::vector<uint32_t>{} : std::vector{i - 1});
      work.operations.back().launch.parameters = {conditionParameter(0)};
      if (i > 0) work.operations.back().only_if = i - 1;
    }
  }
  uint32_t captured(OperationKind kind, uint32_t stream, uint32_t event = 0, uint32_t graph = 0) {
    return add({.kind = kind, .stream = stream, .event = event, .graph = graph});
  }
  // A launch on stream 1, one each on streams 1 and 2, and one that waits for both.
  void forkAndJoin() {
    captured(kLaunch, 0);
    captured(kEvent, 0, 1);
    captured(kWait, 1, 1);
    captured(kLaunch, 0);
    captured(kLaunch, 1);
    captured(kEvent, 1, 2);
    captured(kWait, 0, 2);
    captured(kLaunch, 0);
  }

 private:
  uint32_t add(EnqueuedOperation operation) {
    work.operations.push_back(std::move(operation));
    return static_cast<uint32_t>(work.operations.size() - 1);
  }
};

void expectRefused(const Script& script, const std::string& words) {
  const auto possible = checkGraphs(script.work);
  ASSERT_FALSE(possible) << words;
  EXPECT_EQ(possible.error().kind, ErrorKind::kBadRequest);
  EXPECT_NE(possible.error().message.find(words), std::string::npos) << possible.error().message;
}

TEST(CheckGraphs, PassesWhatCudaCanMake) {
  Script captured(2, {GraphMaking::kCaptured});
  captured.alone(kCopyToDevice, 1);
  captured.forkAndJoin();
  captured.alone(kCopyToHost, 0);
  EXPECT_TRUE(checkGraphs(captured.work));
  Script built(1, {GraphMaking::kExplicit, GraphMaking::kExplicit});
  built.node();
  built.node({0});
  built.node({}, 1);
  EXPECT_TRUE(checkGraphs(built.work));
  EXPECT_TRUE(checkGraphs(Script(1, {}).work));
}

TEST(CheckGraphs, SaysWhatCannotBeCaptured) {
  Script copies(1, {GraphMaking::kCaptured});
  copies.captured(kLaunch, 0);
  copies.captured(kCopyToDevice, 0);
  expectRefused(copies, "operation 1 (copy to the device) of graph: a graph consists of launches, events");
  Script legacy(1, {GraphMaking::kCaptured});
  legacy.work.streams[0].kind = StreamKind::kLegacyDefault;
  legacy.captured(kLaunch, 0);
  expectRefused(legacy, "the legacy default stream cannot be captured");
  Script other(2, {GraphMaking::kCaptured});
  other.captured(kLaunch, 0);
  other.captured(kLaunch, 1);
  expectRefused(other, "operation 1 (launch) of graph: its stream is not captured");
  Script outside(2, {GraphMaking::kCaptured});
  outside.alone(kEvent, 1);
  outside.captured(kLaunch, 0);
  outside.captured(kWait, 0);
  expectRefused(outside,
                "operation 2 (wait) of graph: it waits for an event that is not recorded in the graph");
  Script never(2, {GraphMaking::kCaptured});
  never.captured(kLaunch, 0);
  never.captured(kEvent, 0, 1);
  never.captured(kWait, 1, 1);
  never.captured(kLaunch, 1);
  expectRefused(never, "stream 1 does not wait for stream 2 at the end of the capture");
  Script early(2, {GraphMaking::kCaptured});
  early.forkAndJoin();
  early.captured(kLaunch, 1);
  expectRefused(early, "stream 1 does not wait for stream 2");
}

TEST(CheckGraphs, SaysWhatCannotBeBuilt) {
  Script event(1, {GraphMaking::kExplicit});
  event.node();
  event.captured(kEvent, 0);
  expectRefused(event, "operation 1 (event) of graph: an explicit graph consists of launches only");
  Script later(1, {GraphMaking::kExplicit});
  later.node({1});
  later.node();
  expectRefused(later, "operation 0 (launch) of graph: it follows what is no earlier node");
  Script foreign(1, {GraphMaking::kExplicit});
  foreign.alone(kLaunch, 0);
  foreign.node({0});
  expectRefused(foreign, "it follows what is no earlier node");
  Script twice(1, {GraphMaking::kExplicit});
  twice.node();
  twice.alone(kLaunch, 0);
  twice.node();
  expectRefused(twice, "operation 2 is of a graph that there is not, or that was launched");
  expectRefused(Script(1, {GraphMaking::kExplicit}), "graph launches nothing");
}

TEST(CheckGraphs, SaysThatDependentLaunchesCannotBePartOfThem) {
  for (const GraphMaking making : {GraphMaking::kCaptured, GraphMaking::kExplicit}) {
    Script dependent(1, {making});
    dependent.captured(kLaunch, 0);
    dependent.captured(kLaunch, 0);
    EXPECT_TRUE(checkGraphs(dependent.work));
    dependent.work.operations[1].launch.programmatic = true;
    expectRefused(dependent, "operation 1 (launch) of graph: a dependent launch cannot be part of a graph");
  }
}

std::vector<uint32_t> operationsOf(const std::vector<StreamDependency>& after) {
  std::vector<uint32_t> all;
  for (const StreamDependency& each : after) all.push_back(each.operation);
  return all;
}

TEST(DependenciesOf, AGraphAreThoseOfItsStreamAndOfItsNodes) {
  Script script(2, {GraphMaking::kExplicit});
  script.alone(kCopyToDevice, 0);  // 0
  script.alone(kCopyToDevice, 1);  // 1: another stream's
  script.node();                   // 2
  script.node();                   // 3
  script.node({2});                // 4
  script.alone(kCopyToHost, 0);    // 5
  const auto after = dependenciesOf(script.work);
  EXPECT_EQ(operationsOf(after[2]), std::vector<uint32_t>{0});
  EXPECT_EQ(after[2][0].kind, StreamWait::kStream);
  EXPECT_EQ(operationsOf(after[3]), std::vector<uint32_t>{0});
  EXPECT_EQ(operationsOf(after[4]), std::vector<uint32_t>{2});
  EXPECT_EQ(after[4][0].kind, StreamWait::kGraph);
  EXPECT_EQ(operationsOf(after[5]), (std::vector<uint32_t>{3, 4})) << "of the graph, what ends last";
}

TEST(DependenciesOf, ACaptureAreThoseOfItsStreamsAndEvents) {
  Script script(2, {GraphMaking::kCaptured});
  script.alone(kCopyToDevice, 0);  // 0
  script.forkAndJoin();            // 1 to 8
  script.alone(kLaunch, 1);        // 9: the stream itself has no part in the graph
  script.alone(kLaunch, 0);        // 10
  const auto after = dependenciesOf(script.work);
  EXPECT_EQ(operationsOf(after[1]), std::vector<uint32_t>{0});
  EXPECT_EQ(operationsOf(after[3]), std::vector<uint32_t>{2}) << "the wait, of the event";
  EXPECT_EQ(operationsOf(after[5]), std::vector<uint32_t>{3});
  EXPECT_EQ(operationsOf(after[7]), (std::vector<uint32_t>{4, 6}));
  EXPECT_EQ(operationsOf(after[8]), std::vector<uint32_t>{7});
  EXPECT_TRUE(after[9].empty());
  EXPECT_EQ(operationsOf(after[10]), std::vector<uint32_t>{8});
}

// One SM at 1 GHz, so that a cycle is a nanosecond; every launch is a block of 100 cycles.
// Launches up to `last` decide that the next one is executed.
StreamReport simulated(const StreamWork& work, const sim::DeviceProfile& profile, uint32_t last = 0) {
  const sim::StreamActions actions{
      .launch = [=](uint32_t launch) -> Expected<sim::LaunchedAlone> {
        return sim::LaunchedAlone{
            .stays = {{0, 0, 0, 100}},
            .needs = {{.resource = OccupancyLimiter::kWarps, .capacity = 8, .per_block = 1}},
            .blocks_per_sm = 8,
            .continues = launch < last};
      },
      .effect = [](uint32_t) -> Expected<void> { return {}; }};
  return sim::runOnStreams(work, profile, actions, {}).value();
}
sim::DeviceProfile graphProfile() {
  sim::DeviceProfile profile;
  profile.limits.sm_count = 1;
  profile.sm_clock_mhz = 1000;
  profile.dram_bytes_per_cycle = 10;
  profile.enqueue_ns = 40;
  profile.stream_latency_ns = 7;
  profile.graph_launch_ns = 50;
  profile.graph_launch_node_ns = 2;
  profile.graph_make_node_ns = 30;
  profile.graph_latency_ns = 3;
  profile.graph_condition_ns = 20;
  profile.graph_skip_ns = 9;
  return profile;
}

TEST(SimulatedGraph, IsLaunchedByOneCallAndGoesOnByItself) {
  Script script(1, {GraphMaking::kExplicit});
  script.alone(kLaunch, 0);
  script.node();
  script.node({1});
  script.node({2});
  script.alone(kLaunch, 0);
  const StreamReport report = simulated(script.work, graphProfile());
  EXPECT_EQ(report.graph_make_ns, std::vector<double>{90});
  const auto& times = report.operations;
  for (const size_t node : {1, 2, 3}) {
    EXPECT_EQ(times[node].enqueue_ns, 40) << node;
    EXPECT_EQ(times[node].enqueued_ns, 40 + 50 + 3 * 2) << node;
  }
  EXPECT_EQ(times[4].enqueue_ns, 96);
  EXPECT_EQ(times[0].end_ns, 147);
  EXPECT_EQ(times[1].begin_ns, 154) << "behind the launch before it, as any operation";
  EXPECT_EQ(times[2].begin_ns, 257);
  EXPECT_EQ(times[3].begin_ns, 360);
  EXPECT_EQ(times[4].begin_ns, 467) << "behind the last node, as any operation";
  EXPECT_EQ(times[1].waited_for, StreamWait::kStream);
  EXPECT_EQ(times[3].waited_for, StreamWait::kGraph);
  EXPECT_EQ(times[3].waited_on, 2U);
  EXPECT_EQ(times[3].after, std::vector<uint32_t>{2});
  EXPECT_EQ(times[4].waited_for, StreamWait::kStream);
  EXPECT_EQ(times[4].waited_on, 3U);
}

TEST(SimulatedGraph, RunsItsBranchesAtTheSameTimeHoweverItWasMade) {
  Script captured(2, {GraphMaking::kCaptured}), built(1, {GraphMaking::kExplicit});
  captured.forkAndJoin();
  built.node();
  built.node({0});
  built.node({0});
  built.node({1, 2});
  const StreamReport of_streams = simulated(captured.work, graphProfile()),
                     of_nodes = simulated(built.work, graphProfile());
  EXPECT_EQ(of_nodes.operations[1].begin_ns, of_nodes.operations[2].begin_ns);
  EXPECT_EQ(of_nodes.operations[3].begin_ns, of_nodes.operations[2].end_ns + 3);
  EXPECT_EQ(of_streams.total_ns, of_nodes.total_ns);
  EXPECT_EQ(of_streams.operations[7].begin_ns, of_nodes.operations[3].begin_ns);
  EXPECT_EQ(of_streams.operations[7].waited_for, StreamWait::kGraph);
}

TEST(SimulatedGraph, SkipsWhatNoLaunchHasDecidedToExecute) {
  Script script(1, {GraphMaking::kExplicit});
  script.conditionalChain(5);
  script.alone(kLaunch, 0);
  const auto times = simulated(script.work, graphProfile(), 2).operations;
  EXPECT_EQ(times[1].begin_ns, times[0].end_ns + 3 + 20);
  EXPECT_EQ(times[2].begin_ns, times[1].end_ns + 3 + 20);
  EXPECT_EQ(times[2].end_ns, times[2].begin_ns + 100);
  for (const size_t skipped : {3, 4}) {
    EXPECT_TRUE(times[skipped].skipped);
    EXPECT_EQ(times[skipped].begin_ns, times[skipped - 1].end_ns) << skipped;
    EXPECT_EQ(times[skipped].end_ns, times[skipped].begin_ns + 9) << skipped;
    EXPECT_EQ(times[skipped].waited_for, StreamWait::kGraph);
  }
  EXPECT_FALSE(times[2].skipped || times[5].skipped);
  EXPECT_EQ(times[5].begin_ns, times[4].end_ns + 7) << "what follows the graph is not skipped";
}

TEST(Graphs, HaveConditionsOnlyWhereALaunchBeforeDecides) {
  Script captured(1, {GraphMaking::kCaptured});
  captured.captured(kLaunch, 0);
  captured.captured(kLaunch, 0);
  captured.work.operations[1].only_if = 0;
  expectRefused(captured, "only an explicit graph has conditional nodes");
  Script chain(1, {GraphMaking::kExplicit});
  chain.conditionalChain(4);
  EXPECT_TRUE(checkGraphs(chain.work));
  EXPECT_EQ(decidedBy(chain.work, 1), 2U);
  EXPECT_FALSE(decidedBy(chain.work, 3));
  EXPECT_TRUE(hasConditions(chain.work));
  Script twice = chain;
  twice.work.operations[3].nodes = {1, 2};
  twice.work.operations[3].only_if = 1;
  expectRefused(twice, "operation 1 decides for another one already");
  Script elsewhere = chain;
  elsewhere.work.operations[3].only_if = 0;
  expectRefused(elsewhere, "what decides whether it is executed is no node before it");
  Script narrow = chain;
  narrow.work.operations[2].launch.parameters = {};
  expectRefused(narrow, "its last parameter has no room for the handle of a condition");
}

TEST(SimulatedGraph, ThatIsImpossibleIsRefused) {
  Script script(1, {GraphMaking::kExplicit});
  script.node();
  script.captured(kWait, 0);
  const sim::StreamActions actions;
  const auto report = sim::runOnStreams(script.work, graphProfile(), actions, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::kBadRequest);
}

// The family on a simulated GPU.

warpscope::Run runGraphs(const std::string& variant, ParameterValues parameters) {
  static const auto kModel = openModel("sim:h100").value();
  const RunRequest request{.family = "graphs", .variant = variant, .parameters = std::move(parameters)};
  auto run = Executor(*kModel).run(request, {}, {});
  EXPECT_TRUE(run) << run.error().message;
  return run.value_or(warpscope::Run{});
}

double totalOf(const warpscope::Run& run) {
  return run.streams->endNs();
}

TEST(GraphRuns, EndSoonerThanLaunchesOneByOne) {
  for (const int64_t shape : {0, 1}) {
    SCOPED_TRACE(shape);
    const ParameterValues small{{"shape", shape}, {"nodes", 16}};
    const auto one = runGraphs("one_by_one", small), captured = runGraphs("captured", small),
               built = runGraphs("explicit", small);
    for (const auto* run : {&one, &captured, &built}) {
      EXPECT_TRUE(run->verification.passed) << run->verification.detail;
      for (const PredictionResult& each : predictionResults(*run))
        EXPECT_TRUE(each.fulfilled()) << each.label;
    }
    EXPECT_LT(totalOf(captured), 0.8 * totalOf(one));
    EXPECT_NEAR(totalOf(captured), totalOf(built), 0.05 * totalOf(one));
    EXPECT_EQ(one.streams->launchCalls(), 16U);
    EXPECT_EQ(captured.streams->launchCalls(), 1U);
    EXPECT_EQ(captured.streams->nodesOf(0), 16U);
    EXPECT_EQ(built.streams->graphs[0].making, GraphMaking::kExplicit);
    EXPECT_GT(built.streams->graphs[0].make_ns, 0);
    EXPECT_TRUE(one.streams->graphs.empty());
  }
}

TEST(GraphRuns, CostLessForEachLaunchTheMoreNodesAGraphHas) {
  const auto per_launch = [](const std::string& variant, int64_t nodes) {
    return MetricValues(runGraphs(variant, {{"nodes", nodes}})).value("time_per_launch").value();
  };
  EXPECT_LT(per_launch("captured", 64), per_launch("captured", 4));
  EXPECT_GT(per_launch("one_by_one", 64), 1.5 * per_launch("captured", 64));
}

TEST(GraphRuns, HaveTheWarpsOfEachNodeWithinIt) {
  const auto run = runGraphs("captured", {{"nodes", 6}, {"shape", 1}, {"size", 1000}});
  ASSERT_TRUE(run.streams);
  const double rate = run.trace.clocks.cycles_per_ns;
  std::map<uint32_t, size_t> warps;  // by operation
  for (const TraceWarp& warp : run.trace.warps) {
    const auto operation = run.streams->operationOf(warp.block);
    ASSERT_TRUE(operation);
    ++warps[*operation];
    const StreamOperation& of = run.streams->operations[*operation];
    EXPECT_GE(static_cast<double>(warp.begin_cycles) / rate, of.begin_ns - 1);
    EXPECT_LE(static_cast<double>(warp.end_cycles) / rate, of.end_ns + 1);
    EXPECT_EQ(of.graph, 0U);
  }
  EXPECT_EQ(warps.size(), 6U);
}

TEST(GraphRuns, ExecuteTheStepsThatKernelsAskFor) {
  for (const int64_t needed : {1, 5, 9, 64}) {
    SCOPED_TRACE(needed);
    const auto run = runGraphs("conditional", {{"nodes", 9}, {"needed", needed}, {"size", 1000}});
    ASSERT_TRUE(run.streams);
    EXPECT_TRUE(run.verification.passed) << run.verification.detail;
    for (const PredictionResult& each : predictionResults(run)) EXPECT_TRUE(each.fulfilled()) << each.label;
    const auto executed = static_cast<uint32_t>(std::min<int64_t>(needed, 9));
    EXPECT_EQ(run.streams->skippedOf(0), 9 - executed);
    std::set<uint32_t> with_warps;
    for (const TraceWarp& warp : run.trace.warps) with_warps.insert(*run.streams->operationOf(warp.block));
    EXPECT_EQ(with_warps.size(), executed);
    for (uint32_t i = 0; i < 9; ++i) {
      EXPECT_EQ(run.streams->operations[i].skipped, i >= executed) << i;
      EXPECT_EQ(with_warps.contains(i), i < executed) << i;
    }
  }
}

TEST(GraphRuns, EndSoonerTheMoreStepsAreSkipped) {
  const auto time = [](int64_t needed) {
    return totalOf(runGraphs("conditional", {{"nodes", 16}, {"needed", needed}}));
  };
  EXPECT_LT(time(4), time(8));
  EXPECT_LT(time(8), time(16));
}

TEST(GraphRuns, LaunchAllStepsWhereTheDeviceHasNoConditions) {
  const Experiment& family = **findExperiment("graphs");
  const auto request = completeRequest(family.info(), {.family = "graphs", .variant = "conditional"}).value();
  DeviceLimits limits = openModel("sim:h100").value()->description().limits;
  for (const bool driver : {false, true}) {
    limits.conditional_nodes = driver;
    limits.device_runtime = false;
    const auto plan = family.plan(request, limits).value();
    EXPECT_EQ(plan.operations.size(), 16U);
    for (const PlannedOperation& each : plan.operations) EXPECT_FALSE(each.only_if);
    EXPECT_EQ(plan.instead.starts_with(driver ? "libcudadevrt.a" : "conditional nodes need a driver"), true)
        << plan.instead;
    EXPECT_EQ(plan.module, "graphs") << "which loads there";
    const auto skipped = family.predictions(request, limits).back();
    EXPECT_EQ(skipped.predicted, 0);
  }
}

// What a graph saves is the same for each node, whatever a node does.
TEST(GraphRuns, GainLessTheLongerNodesAre) {
  const auto ratio = [](int64_t size) {
    const ParameterValues settings{{"size", size}, {"nodes", 3}};
    const auto time = [&](const std::string& variant) {
      return MetricValues(runGraphs(variant, settings)).value("time_per_launch").value();
    };
    return time("captured") / time("one_by_one");
  };
  const double small = ratio(1 << 13), large = ratio(1 << 20);
  EXPECT_GT(large, small + 0.05);
  EXPECT_LT(large, 1);
}

}  // namespace
}  // namespace warpscope
