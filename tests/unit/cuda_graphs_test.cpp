// Graphs of launches on the CUDA backend, with a driver and a CUPTI that have no GPU
// (tests/support/fake_cuda/fake_driver.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "kernels/backend/cuda/cuda_backend.h"
#include "kernels/backend/cuda/linked_module.h"
#include "kernels/backend/cuda/streams/graph_nodes.h"
#include "kernels/backend/cuda/streams/graph_set.h"
#include "kernels/backend/stream_graphs.h"
#include "kernels/calibrate/steps.h"
#include "kernels/execute/parameter_bytes.h"
#include "tests/support/fake_cuda/fake_driver.h"

namespace warpscope {
namespace {

namespace fake = testing::fake_driver;

class CudaGraphs : public ::testing::Test {
 protected:
  static constexpr uint32_t kWords = 64;
  static constexpr uint64_t kBytes = kWords * sizeof(uint32_t);

  void SetUp() override {
    fake::unload();
    auto backend = openCudaBackend(0);
    ASSERT_TRUE(backend) << backend.error().message;
    backend_ = std::move(*backend);
    const KernelHandle kernel = backend_->kernel({"module", "text", {}}, "add_one").value();
    plug_ = backend_->kernel({"module", "text", {}}, "plug").value();
    device_ = backend_->allocate(kBytes).value();
    words_.resize(kWords);
    std::iota(words_.begin(), words_.end(), 100U);
    launch_ = {.kernel = kernel,
               .grid = {1},
               .block = {32},
               .parameters = {parameterBytes(device_), parameterBytes(kWords)}};
    fake::reset();
  }
  void TearDown() override {
    backend_.reset();
    fake::unload();
  }

  EnqueuedOperation copy(OperationKind kind) {
    return {.kind = kind,
            .device = device_,
            .host = reinterpret_cast<std::byte*>(words_.data()),
            .bytes = kBytes};
  }
  // A copy in, a graph of so many launches in a chain, a copy out.
  StreamWork chain(GraphMaking making, uint32_t nodes = 3) {
    StreamWork work{.streams = {{.name = "stream 1"}},
                    .operations = {copy(OperationKind::kCopyToDevice)},
                    .graphs = {{.name = "graph", .making = making}},
                    .pinned = {std::as_writable_bytes(std::span(words_))}};
    for (uint32_t i = 1; i <= nodes; ++i) {
      work.operations.push_back({.launch = launch_, .graph = 0});
      if (making == GraphMaking::kExplicit && i > 1) work.operations.back().nodes = {i - 1};
    }
    work.operations.push_back(copy(OperationKind::kCopyToHost));
    return work;
  }
  // A launch, two behind it, and one behind both. Captured, with a stream and events for the order.
  StreamWork fork(GraphMaking making) {
    StreamWork work{.streams = {{.name = "stream 1"}, {.name = "stream 2"}},
                    .graphs = {{.name = "graph", .making = making}}};
    const auto add = [&](OperationKind kind, uint32_t stream, uint32_t event, std::vector<uint32_t> nodes) {
      EnqueuedOperation operation{.kind = kind, .stream = stream, .event = event, .graph = 0};
      if (kind == OperationKind::kLaunch) operation.launch = launch_;
      operation.nodes = std::move(nodes);
      work.operations.push_back(std::move(operation));
    };
    if (making == GraphMaking::kExplicit) {
      for (const auto& nodes : std::vector<std::vector<uint32_t>>{{}, {0}, {0}, {1, 2}})
        add(OperationKind::kLaunch, 0, 0, nodes);
      return work;
    }
    add(OperationKind::kLaunch, 0, 0, {});
    add(OperationKind::kEvent, 0, 1, {});
    add(OperationKind::kWait, 1, 1, {});
    add(OperationKind::kLaunch, 0, 0, {});
    add(OperationKind::kLaunch, 1, 0, {});
    add(OperationKind::kEvent, 1, 2, {});
    add(OperationKind::kWait, 0, 2, {});
    add(OperationKind::kLaunch, 0, 0, {});
    return work;
  }

  // A chain of launches behind a plug, each but the first in a conditional node; the first `executed` of them
  // decide that there is a next one.
  StreamWork conditionalChain(uint32_t nodes, uint32_t executed) {
    const KernelHandle decide = backend_->kernel({"module", "text", {}}, "decide").value();
    StreamWork work{.streams = {{.name = "stream 1"}},
                    .operations = {{.launch = {.kernel = plug_, .grid = {1}, .block = {32}}}},
                    .graphs = {{.name = "graph", .making = GraphMaking::kExplicit}}};
    for (uint32_t i = 1; i <= nodes; ++i) {
      work.operations.push_back({.launch = {.kernel = decide, .grid = {1}, .block = {32}}, .graph = 0});
      EnqueuedOperation& node = work.operations.back();
      node.launch.parameters = {parameterBytes(i < executed ? 1U : 0U), conditionParameter(0)};
      if (i == 1) continue;
      node.nodes = {i - 1};
      node.only_if = i - 1;
    }
    work.operations.push_back({.launch = launch_});
    return work;
  }

  std::unique_ptr<Backend> backend_;
  KernelHandle plug_;
  DeviceAddress device_ = 0;
  std::vector<uint32_t> words_;
  LaunchSpec launch_;
};

// The calls on the plan's streams, without those that copy to wake them.
std::vector<std::string> called() {
  constexpr uint64_t kWakingBytes = 4;
  std::vector<std::string> all;
  for (const fake::Call& call : fake::calls()) {
    if (call.stream > 0 && call.bytes != kWakingBytes && call.entry != "cuStreamSynchronize" &&
        !call.entry.starts_with("cuStreamCreate") && !call.entry.starts_with("cuStreamDestroy"))
      all.push_back(call.entry);
  }
  return all;
}

TEST_F(CudaGraphs, AreMadeBeforeTheFirstOperationAndLaunchedByOneCall) {
  const auto captured = backend_->runStreams(chain(GraphMaking::kCaptured));
  ASSERT_TRUE(captured) << captured.error().message;
  EXPECT_EQ(called(),
            (std::vector<std::string>{"cuStreamBeginCapture_v2", "cuLaunchKernel", "cuLaunchKernel",
                                      "cuLaunchKernel", "cuStreamEndCapture", "cuGraphUpload",
                                      "cuMemcpyHtoDAsync_v2", "cuGraphLaunch", "cuMemcpyDtoHAsync_v2"}));
  for (uint32_t i = 0; i < kWords; ++i) ASSERT_EQ(words_[i], 100 + i + 3) << i;
  fake::reset();
  const auto built = backend_->runStreams(chain(GraphMaking::kExplicit));
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(called(), (std::vector<std::string>{"cuGraphUpload", "cuMemcpyHtoDAsync_v2", "cuGraphLaunch",
                                                "cuMemcpyDtoHAsync_v2"}));
  for (uint32_t i = 0; i < kWords; ++i) ASSERT_EQ(words_[i], 100 + i + 6) << i;
  for (const auto* report : {&*captured, &*built}) {
    ASSERT_EQ(report->graph_make_ns.size(), 1U);
    EXPECT_GT(report->graph_make_ns[0], 0);
    const auto& times = report->operations;
    EXPECT_EQ(times[1].enqueue_ns, times[3].enqueue_ns) << "one call";
    EXPECT_EQ(times[1].enqueued_ns, times[3].enqueued_ns);
    EXPECT_LE(times[0].enqueued_ns, times[1].enqueue_ns);
    EXPECT_LE(times[3].enqueued_ns, times[4].enqueue_ns);
  }
}

TEST_F(CudaGraphs, HaveTheTimesOfTheirNodesThatCuptiRecords) {
  for (const fake::Cupti mode : {fake::Cupti::kWorks, fake::Cupti::kHasNoNodes, fake::Cupti::kMixesNodes}) {
    for (const GraphMaking making : {GraphMaking::kCaptured, GraphMaking::kExplicit}) {
      SCOPED_TRACE(fmt::format("{} {}", static_cast<int>(mode), graphMakingName(making)));
      fake::reset();
      fake::setCupti(mode);
      // What is behind the plug does not wait for the host.
      StreamWork work = chain(making);
      work.operations[0] = {.launch = {.kernel = plug_, .grid = {1}, .block = {32}}};
      const auto report = backend_->runStreams(work);
      ASSERT_TRUE(report) << report.error().message;
      EXPECT_EQ(report->timing.clock, StreamClock::kActivity);
      EXPECT_TRUE(report->timing.problem.empty()) << report->timing.problem;
      const auto& times = report->operations;
      for (const size_t node : {1, 2, 3})
        EXPECT_NEAR(times[node].end_ns - times[node].begin_ns, fake::kKernel_ns, 2) << node;
      EXPECT_NEAR(times[2].begin_ns, times[1].end_ns + fake::kNodeStart_ns, 2);
      EXPECT_NEAR(times[3].begin_ns, times[2].end_ns + fake::kNodeStart_ns, 2);
      EXPECT_EQ(times[2].after, std::vector<uint32_t>{1});
      EXPECT_EQ(times[2].waited_for, StreamWait::kGraph);
      EXPECT_EQ(times[4].after, std::vector<uint32_t>{3});
    }
  }
}

TEST_F(CudaGraphs, RunTheirBranchesAtTheSameTime) {
  for (const GraphMaking making : {GraphMaking::kCaptured, GraphMaking::kExplicit}) {
    SCOPED_TRACE(graphMakingName(making));
    const StreamWork work = fork(making);
    const auto report = backend_->runStreams(work);
    ASSERT_TRUE(report) << report.error().message;
    std::vector<OperationTimes> launches;
    for (size_t i = 0; i < work.operations.size(); ++i) {
      if (work.operations[i].kind == OperationKind::kLaunch) launches.push_back(report->operations[i]);
    }
    ASSERT_EQ(launches.size(), 4U);
    EXPECT_EQ(launches[1].begin_ns, launches[2].begin_ns);
    EXPECT_NEAR(launches[1].begin_ns, launches[0].end_ns + fake::kNodeStart_ns, 2);
    EXPECT_NEAR(launches[3].begin_ns, launches[2].end_ns + fake::kNodeStart_ns, 2);
  }
}

TEST_F(CudaGraphs, AreTimedAsAWholeWhereNothingTellsTheirNodes) {
  StreamWork work = chain(GraphMaking::kCaptured);
  work.clocks = StreamWork::Clocks::kEvents;
  const auto events = backend_->runStreams(work);
  fake::setCupti(fake::Cupti::kHasNoNodeTimes);
  const auto mixed = backend_->runStreams(chain(GraphMaking::kExplicit));
  ASSERT_TRUE(events && mixed);
  EXPECT_EQ(events->timing.clock, StreamClock::kEvents);
  EXPECT_EQ(mixed->timing.clock, StreamClock::kActivity);
  EXPECT_EQ(mixed->timing.problem, "CUPTI's records do not tell which launch of a graph is which");
  for (const auto* report : {&*events, &*mixed}) {
    for (const size_t node : {2, 3}) {
      EXPECT_EQ(report->operations[node].begin_ns, report->operations[1].begin_ns);
      EXPECT_EQ(report->operations[node].end_ns, report->operations[1].end_ns);
    }
  }
  EXPECT_GT(events->operations[1].end_ns - events->operations[1].begin_ns, 3 * fake::kKernel_ns);
}

// Which of their launches were executed only their marks tell.
TEST_F(CudaGraphs, WithConditionsAreTimedByEventsAsAWhole) {
  constexpr double kDecide_ns = fake::kNodeStart_ns + fake::kCondition_ns + fake::kKernel_ns;
  for (const uint32_t executed : {1U, 3U, 5U}) {
    SCOPED_TRACE(executed);
    const auto report = backend_->runStreams(conditionalChain(5, executed));
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->timing.clock, StreamClock::kEvents);
    EXPECT_NE(report->timing.problem.find("a graph with conditions, so that marks tell"), std::string::npos);
    const auto& times = report->operations;
    for (uint32_t node = 2; node <= 5; ++node) {
      EXPECT_EQ(times[node].begin_ns, times[1].begin_ns);
      EXPECT_EQ(times[node].end_ns, times[1].end_ns);
    }
    EXPECT_GE(times[1].end_ns - times[1].begin_ns,
              fake::kKernel_ns + (executed - 1) * kDecide_ns + (5 - executed) * fake::kSkip_ns);
    EXPECT_GE(times[6].begin_ns, times[1].end_ns) << "the launch behind the graph";
  }
}

TEST_F(CudaGraphs, FailWithTheCallsNameWhereConditionsFail) {
  ASSERT_TRUE(backend_->runStreams(conditionalChain(4, 2)));
  const fake::Alive before = fake::alive();
  for (const auto& [entry, words] :
       {std::pair("cuGraphConditionalHandleCreate", "creating a condition of graph"),
        {"cuGraphAddNode_v2", "adding a conditional node to graph"}}) {
    fake::failAt(entry, 2, cuda::kErrorOutOfMemory);
    const auto report = backend_->runStreams(conditionalChain(4, 2));
    ASSERT_FALSE(report) << entry;
    EXPECT_NE(report.error().message.find(words), std::string::npos) << report.error().message;
    EXPECT_EQ(fake::alive(), before) << entry;
  }
}

// A toolkit's folder with a device runtime library, which the fake driver does not read.
class ToolkitFolder {
 public:
  ToolkitFolder() {
    std::filesystem::create_directories(path_ / "lib64");
    std::ofstream(path_ / "lib64/libcudadevrt.a") << "!<arch>\n";
    setenv("CUDA_HOME", path_.c_str(), 1);
  }
  ~ToolkitFolder() {
    unsetenv("CUDA_HOME");
    std::filesystem::remove_all(path_);
  }
  ToolkitFolder(const ToolkitFolder&) = delete;
  ToolkitFolder& operator=(const ToolkitFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_ = std::filesystem::path(::testing::TempDir()) / "warpscope toolkit";
};

TEST_F(CudaGraphs, LinkModulesThatSetConditions) {
  const ToolkitFolder toolkit;
  EXPECT_EQ(cuda::deviceRuntimeLibrary(), (toolkit.path() / "lib64/libcudadevrt.a").string());
  const ModuleImage image{"sets", ".extern .func cudaGraphSetConditional", {}};
  for (const char* entry : {"cuLinkCreate_v2", "cuLinkAddData_v2", "cuLinkAddFile_v2", "cuLinkComplete"}) {
    fake::failAt(entry, 1, cuda::kErrorOutOfMemory);
    const auto kernel = backend_->kernel(image, "decide");
    ASSERT_FALSE(kernel) << entry;
    EXPECT_NE(kernel.error().message.find("linking module sets with the CUDA device runtime"),
              std::string::npos)
        << kernel.error().message;
    EXPECT_EQ(fake::alive().linkers, 0) << entry;
  }
  EXPECT_TRUE(backend_->kernel(image, "decide"));
  EXPECT_EQ(fake::alive().linkers, 0);
}

TEST_F(CudaGraphs, FailWithTheCallsNameAndReleaseEverything) {
  ASSERT_TRUE(backend_->runStreams(chain(GraphMaking::kCaptured)));
  const fake::Alive before = fake::alive();
  struct Case {
    GraphMaking making;
    const char* entry;
    int nth;
    const char* words;
  };
  for (const Case& each :
       {Case{GraphMaking::kCaptured, "cuStreamBeginCapture_v2", 1, "beginning to capture graph"},
        Case{GraphMaking::kCaptured, "cuLaunchKernel", 2, "launching module: add_one"},
        Case{GraphMaking::kCaptured, "cuStreamEndCapture", 1, "ending the capture of graph"},
        Case{GraphMaking::kCaptured, "cuGraphInstantiateWithFlags", 1, "instantiating graph"},
        Case{GraphMaking::kExplicit, "cuGraphCreate", 1, "creating graph"},
        Case{GraphMaking::kExplicit, "cuGraphAddKernelNode_v2", 2,
             "adding a launch of module: add_one to a graph"},
        Case{GraphMaking::kExplicit, "cuGraphInstantiateWithFlags", 1, "instantiating graph"},
        Case{GraphMaking::kExplicit, "cuGraphUpload", 1, "uploading graph"},
        Case{GraphMaking::kExplicit, "cuGraphLaunch", 1, "launching graph"}}) {
    const bool launches = std::string_view(each.entry) == "cuLaunchKernel";
    (launches ? fake::failAtOfPlan : fake::failAt)(each.entry, each.nth, cuda::kErrorOutOfMemory);
    const auto report = backend_->runStreams(chain(each.making));
    ASSERT_FALSE(report) << each.entry;
    EXPECT_EQ(report.error().kind, ErrorKind::kWorkFailed);
    EXPECT_NE(report.error().message.find(each.words), std::string::npos) << report.error().message;
    EXPECT_NE(report.error().message.find("CUDA_ERROR_OUT_OF_MEMORY"), std::string::npos);
    EXPECT_EQ(fake::alive(), before) << each.entry;
  }
  EXPECT_TRUE(backend_->runStreams(chain(GraphMaking::kCaptured))) << "and it works again";
  EXPECT_EQ(fake::alive(), before);
}

TEST_F(CudaGraphs, ThatAreImpossibleAreRefusedBeforeAnyCall) {
  ASSERT_TRUE(backend_->runStreams(chain(GraphMaking::kExplicit)));
  fake::reset();
  StreamWork work = chain(GraphMaking::kExplicit);
  work.operations[2].nodes = {3};
  const auto report = backend_->runStreams(work);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::kBadRequest);
  EXPECT_TRUE(fake::calls().empty());
  StreamWork cluster = chain(GraphMaking::kExplicit);
  cluster.operations[2].launch.cluster = Dim3{1};
  const auto clustered = backend_->runStreams(cluster);
  ASSERT_FALSE(clustered);
  EXPECT_NE(clustered.error().message.find("cannot be nodes of an explicit graph"), std::string::npos)
      << clustered.error().message;
}

TEST(DriverGraphs, AreMissedByName) {
  cuda::DriverApi api;
  EXPECT_TRUE(cuda::checkDriverHasGraphs(api));
  api.missing_for_graphs = "cuGraphUpload";
  const auto able = cuda::checkDriverHasGraphs(api);
  ASSERT_FALSE(able);
  EXPECT_EQ(able.error().kind, ErrorKind::kBadRequest);
  EXPECT_NE(able.error().message.find("has no cuGraphUpload; install a driver of CUDA 11.4"),
            std::string::npos)
      << able.error().message;
}

TEST(DriverGraphs, MissConditionsByName) {
  cuda::DriverApi api;
  EXPECT_TRUE(cuda::checkDriverHasConditions(api));
  api.missing_for_conditions = "cuGraphConditionalHandleCreate";
  const auto able = cuda::checkDriverHasConditions(api);
  ASSERT_FALSE(able);
  EXPECT_NE(able.error().message.find("has no cuGraphConditionalHandleCreate; install a driver of CUDA 12.4"),
            std::string::npos)
      << able.error().message;
}

// Which record is of which launch.

std::vector<cuda::Activity> recordsOf(const std::vector<std::pair<int64_t, uint64_t>>& begins_and_nodes) {
  std::vector<cuda::Activity> records;
  for (const auto& [begin, node] : begins_and_nodes)
    records.push_back({.begin_ns = begin, .end_ns = begin + 10, .node = node});
  return records;
}
using Order = std::vector<size_t>;

TEST(MatchNodes, GoesByTheNodesNumbersWhereTheyFit) {
  // Two branches, of which the second began first.
  const auto records = recordsOf({{40, 9}, {20, 7}, {15, 8}, {0, 6}});
  EXPECT_EQ(cuda::matchNodes(records, {{}, {0}, {0}, {1, 2}}), (Order{3, 1, 2, 0}));
}

TEST(MatchNodes, GoesByTheOrderOfBeginsWhereNumbersDoNotFit) {
  EXPECT_EQ(cuda::matchNodes(recordsOf({{20, 5}, {0, 7}, {40, 6}}), {{}, {0}, {1}}), (Order{1, 0, 2}));
  EXPECT_EQ(cuda::matchNodes(recordsOf({{20, 0}, {0, 0}}), {{}, {0}}), (Order{1, 0})) << "no numbers";
  EXPECT_EQ(cuda::matchNodes(recordsOf({{20, 4}, {0, 4}}), {{}, {0}}), (Order{1, 0})) << "the same number";
}

TEST(MatchNodes, SaysNothingWhereNeitherFits) {
  EXPECT_FALSE(cuda::matchNodes(recordsOf({{0, 1}, {5, 2}}), {{}, {0}}));
}

TEST(LaunchesOfGraph, FollowEachOtherAlsoByWayOfEvents) {
  StreamWork work{.streams = {{.name = "stream 1"}, {.name = "stream 2"}}, .graphs = {{.name = "graph"}}};
  using enum OperationKind;
  work.operations.push_back({.kind = kCopyToDevice});
  for (const auto& [kind, stream, event] :
       std::vector<std::tuple<OperationKind, uint32_t, uint32_t>>{{kLaunch, 0, 0},
                                                                  {kEvent, 0, 1},
                                                                  {kWait, 1, 1},
                                                                  {kLaunch, 1, 0},
                                                                  {kEvent, 1, 2},
                                                                  {kWait, 0, 2},
                                                                  {kLaunch, 0, 0}})
    work.operations.push_back({.kind = kind, .stream = stream, .event = event, .graph = 0});
  const auto launches = cuda::launchesOfGraph(work, 1);
  EXPECT_EQ(launches.operations, (std::vector<uint32_t>{1, 4, 7}));
  EXPECT_EQ(launches.after[0], std::vector<uint32_t>{});
  EXPECT_EQ(launches.after[1], std::vector<uint32_t>{0});
  EXPECT_EQ(launches.after[2], (std::vector<uint32_t>{0, 1}));
}

// calibrate finds what the driver takes.

TEST(CalibrateGraphs, FindsTheGapBetweenNodes) {
  fake::unload();
  const OpenedBackend backend(openCudaBackend(0).value());
  auto bench = calibration::Bench::create(backend, 1, {});
  ASSERT_TRUE(bench) << bench.error().message;
  calibration::Results results;
  const auto done = calibration::measureGraphs(*bench, results);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(results.notes().empty());
  EXPECT_NEAR(results.figure("graph_latency_ns"), fake::kNodeStart_ns, 10);
  EXPECT_GE(results.figure("graph_launch_ns"), 0);
  EXPECT_LT(results.figure("graph_launch_ns"), 1e6);
  EXPECT_EQ(results.all().size(), 4U);
}

TEST(CalibrateGraphs, SaysWhatEventsDoNotTell) {
  fake::unload();
  fake::setCupti(fake::Cupti::kRefuses);
  const OpenedBackend backend(openCudaBackend(0).value());
  auto bench = calibration::Bench::create(backend, 1, {});
  ASSERT_TRUE(bench) << bench.error().message;
  calibration::Results results;
  ASSERT_TRUE(calibration::measureGraphs(*bench, results));
  ASSERT_EQ(results.notes().size(), 1U);
  EXPECT_NE(results.notes()[0].find("only CUPTI tells when the nodes of a graph ran"), std::string::npos);
  EXPECT_EQ(results.all().size(), 3U);
}

TEST_F(CudaGraphs, AreCalibratedWithTheirConditions) {
  const ToolkitFolder toolkit;
  backend_.reset();
  fake::unload();
  const OpenedBackend backend(openCudaBackend(0).value());
  auto bench = calibration::Bench::create(backend, 1, {});
  ASSERT_TRUE(bench) << bench.error().message;
  calibration::Results results;
  const auto done = calibration::measureConditions(*bench, results);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_NEAR(results.figure("graph_condition_ns"), fake::kCondition_ns, 10);
  EXPECT_NEAR(results.figure("graph_skip_ns"), fake::kSkip_ns, 10);
}

}  // namespace
}  // namespace warpscope
