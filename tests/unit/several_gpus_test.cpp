// Two simulated GPUs: units of their own, the link between them, loads from the other one's memory, and whole
// runs of the family several_gpus; what one GPU alone shows instead.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "kernels/backend/stream_times.h"
#include "kernels/device/device.h"
#include "kernels/execute/executor.h"
#include "kernels/experiments/experiment.h"
#include "kernels/metrics/streams.h"
#include "kernels/sim/streams/stream_machine.h"
#include "tests/support/plan_runner.h"

namespace warpscope {
namespace {

using enum OperationKind;

// The machine, with operations that move nothing.
class TwoGpuMachine : public ::testing::Test {
 protected:
  TwoGpuMachine() {
    profile_.limits.sm_count = 4;
    profile_.limits.gpus = 2;
    profile_.sm_clock_mhz = 1000;
    profile_.peer_copy_bytes_per_ns = 100;
    profile_.peer_copy_latency_ns = 500;
    profile_.dram_bytes_per_cycle = 100;
    work_.streams = {{.name = "stream 1"}, {.name = "stream 2", .gpu = 1}, {.name = "stream 3", .gpu = 1}};
  }

  StreamReport run() {
    const sim::StreamActions actions{
        .launch = [](uint32_t) -> Expected<sim::LaunchedAlone> { return sim::LaunchedAlone{}; },
        .effect = [](uint32_t) -> Expected<void> { return {}; }};
    auto report = sim::runOnStreams(work_, profile_, actions, {});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(StreamReport{});
  }

  sim::DeviceProfile profile_;
  StreamWork work_;
};

TEST_F(TwoGpuMachine, HaveCopyEnginesOfTheirOwn) {
  constexpr uint64_t kLarge = 10'000'000;
  work_.operations = {{.kind = kCopyToDevice, .stream = 0, .bytes = kLarge},
                      {.kind = kCopyToDevice, .stream = 1, .bytes = kLarge},
                      {.kind = kCopyToDevice, .stream = 2, .bytes = kLarge}};
  const StreamReport report = run();
  ASSERT_EQ(report.operations.size(), 3U);
  EXPECT_LT(report.operations[1].begin_ns, report.operations[0].end_ns);
  EXPECT_EQ(report.operations[1].waited_for, StreamWait::kNothing);
  EXPECT_EQ(report.operations[2].waited_for, StreamWait::kCopyEngine);
  EXPECT_EQ(report.operations[2].waited_on, 1U);
  EXPECT_EQ(report.operations[2].begin_ns, report.operations[1].end_ns);
}

TEST_F(TwoGpuMachine, ShareALinkWithAnEngineEachWay) {
  constexpr uint64_t kLarge = 1'000'000;
  work_.operations = {{.kind = kPeerCopy, .stream = 1, .to_gpu = 1, .from_gpu = 0, .bytes = kLarge},
                      {.kind = kPeerCopy, .stream = 2, .to_gpu = 1, .from_gpu = 0, .bytes = kLarge},
                      {.kind = kPeerCopy, .stream = 0, .to_gpu = 0, .from_gpu = 1, .bytes = kLarge}};
  const StreamReport report = run();
  ASSERT_EQ(report.operations.size(), 3U);
  EXPECT_DOUBLE_EQ(report.operations[0].end_ns - report.operations[0].begin_ns, 500 + 10'000);
  EXPECT_EQ(report.operations[1].begin_ns, report.operations[0].end_ns);
  EXPECT_EQ(report.operations[1].waited_for, StreamWait::kCopyEngine);
  EXPECT_LT(report.operations[2].begin_ns, report.operations[1].begin_ns);
  EXPECT_EQ(report.operations[2].gpu, 0U);
}

TEST(CheckGpus, SaysWhatDoesNotFit) {
  const auto refused = [](const StreamWork& work, uint32_t gpus, const char* words) {
    const auto possible = checkGpus(work, gpus);
    ASSERT_FALSE(possible) << words;
    EXPECT_EQ(possible.error().kind, ErrorKind::kBadRequest);
    EXPECT_NE(possible.error().message.find(words), std::string::npos) << possible.error().message;
  };
  StreamWork work{.streams = {{.name = "stream 1"}, {.name = "stream 2", .gpu = 1}}};
  work.operations = {{.kind = kPeerCopy, .stream = 1, .to_gpu = 1, .bytes = 4}};
  EXPECT_TRUE(checkGpus(work, 2));
  refused(work, 1, "operation 0 (copy between GPUs): there is no GPU 1");
  work.operations[0].from_gpu = 1;
  refused(work, 2, "both ends are on GPU 1");
  work.operations = {{.stream = 1}};
  refused(work, 2, "operation 0 (launch): for GPU 0, but its stream is on GPU 1");
  work.streams[1].kind = StreamKind::kLegacyDefault;
  work.operations[0].launch.gpu = 1;
  refused(work, 2, "graphs and default streams are on GPU 0");
}

TEST(SmPlace, NumbersTheSmsThrough) {
  DeviceLimits limits;
  limits.sm_count = 132;
  EXPECT_EQ(smPlace(limits, SmId{140}), (SmPlace{0, 140})) << "there is one GPU";
  limits.gpus = 2;
  EXPECT_EQ(smPlace(limits, SmId{131}), (SmPlace{0, 131}));
  EXPECT_EQ(smPlace(limits, SmId{140}), (SmPlace{1, 8}));
  EXPECT_EQ(smOf(limits, {1, 8}), SmId{140});
  EXPECT_EQ(smName(limits, SmId{3}), "SM 3");
  EXPECT_EQ(smName(limits, SmId{140}), "GPU 1 SM 8");
}

// The family on a simulated H100.

class SeveralGpus : public ::testing::Test {
 protected:
  static warpscope::Run run(const std::string& variant, ParameterValues parameters = {{"size", 1 << 19}},
                            const std::string& device = "sim:h100") {
    static std::map<std::string, std::unique_ptr<ModellingBackend>> models;
    auto& model = models[device];
    if (model == nullptr) model = openModel(device).value();
    RunRequest request{.family = "several_gpus", .variant = variant, .parameters = std::move(parameters)};
    request.checks = true;
    auto made = Executor(*model).run(request, {}, {});
    EXPECT_TRUE(made) << made.error().message;
    return made.value_or(warpscope::Run{});
  }
  static const StreamOperation& operation(const warpscope::Run& run, OperationKind kind, uint32_t gpu) {
    const auto& all = run.streams->operations;
    const auto found = std::ranges::find_if(
        all, [&](const StreamOperation& each) { return each.kind == kind && each.gpu == gpu; });
    EXPECT_NE(found, all.end());
    return *found;
  }
  static double lasts(const StreamOperation& operation) { return operation.end_ns - operation.begin_ns; }
};

TEST_F(SeveralGpus, AllVariantsAreRightAndRaceFree) {
  for (const VariantInfo& variant : findExperiment("several_gpus").value()->info().variants) {
    for (const int64_t size : {1, 2, 1001}) {
      SCOPED_TRACE(fmt::format("{} {}", variant.name, size));
      const auto of = run(variant.name, {{"size", size}, {"work", 4}});
      EXPECT_TRUE(of.verification.passed) << of.verification.detail;
      ASSERT_TRUE(of.hazards);
      EXPECT_TRUE(of.hazards->empty()) << of.hazards->front().message;
      EXPECT_EQ(of.streams->gpus(), variant.name == "one_gpu" || size == 1 ? 1U : 2U);
    }
  }
}

TEST_F(SeveralGpus, TwoNeedLittleMoreThanHalfOfTheTime) {
  const auto one = run("one_gpu", {{"size", 1 << 20}}), two = run("two_gpus", {{"size", 1 << 20}});
  const double ratio = two.streams->endNs() / one.streams->endNs();
  EXPECT_GT(ratio, 0.5);
  EXPECT_LT(ratio, 0.75);
}

TEST_F(SeveralGpus, ShowTheWarpsOfBothOnOneAxis) {
  const auto two = run("two_gpus");
  std::map<uint32_t, size_t> warps;  // by GPU
  for (const TraceWarp& warp : two.trace.warps) {
    const auto operation = two.streams->operationOf(warp.block);
    ASSERT_TRUE(operation);
    const StreamOperation& of = two.streams->operations[*operation];
    EXPECT_EQ(smPlace(two.device.limits, warp.sm).gpu, of.gpu);
    ++warps[of.gpu];
    const double begin_ns = static_cast<double>(warp.begin_cycles) / two.trace.clocks.cycles_per_ns;
    EXPECT_GE(begin_ns, of.begin_ns - 2);
    EXPECT_LE(begin_ns, of.end_ns + 2);
  }
  EXPECT_EQ(warps.size(), 2U);
}

TEST_F(SeveralGpus, CopyAtTheLinksRate) {
  const auto copies = run("peer_copies", {{"size", 1 << 20}});
  const StreamOperation& copy = operation(copies, kPeerCopy, 1);
  EXPECT_EQ(copy.bytes, uint64_t{1} << 21);
  EXPECT_NEAR(static_cast<double>(copy.bytes) / lasts(copy), 371, 371 * 0.5) << "less its latency";
  const StreamOperation& arrived = copies.streams->operations.front();
  EXPECT_GE(copy.begin_ns, arrived.end_ns) << "what is passed on has arrived";
}

// The launch on GPU 1 loads over the link, that on GPU 0 from its own memory.
TEST_F(SeveralGpus, LoadsOverTheLinkTakeLonger) {
  const auto loads = run("peer_loads", {{"size", 1 << 19}, {"work", 1}});
  const auto copies = run("peer_copies", {{"size", 1 << 19}, {"work", 1}});
  const double near = lasts(operation(copies, kLaunch, 1)), far = lasts(operation(loads, kLaunch, 1));
  EXPECT_GT(far, 1.5 * near);
  const double bytes = 4.0 * (1 << 18);
  EXPECT_LT(bytes / far, 371 * 1.02) << "no faster than the link";
}

TEST_F(SeveralGpus, WithoutPeerAccessNothingIsLoadedOverTheLink) {
  const auto loads = run("peer_loads", {{"size", 1 << 14}}, "sim:rtx4090");
  EXPECT_TRUE(loads.verification.passed);
  operation(loads, kPeerCopy, 1);
  const auto told = std::ranges::any_of(loads.trace.problems, [](const TraceProblem& problem) {
    return problem.cause.find("a kernel cannot load from it") != std::string::npos;
  });
  EXPECT_TRUE(told);
}

TEST_F(SeveralGpus, OneGpuDoesAllAndSaysSo) {
  const Experiment* family = findExperiment("several_gpus").value();
  DeviceLimits limits;
  limits.max_threads_per_block = 1024;
  for (const char* variant : {"two_gpus", "peer_copies", "peer_loads"}) {
    const auto request = completeRequest(family->info(), {.family = "several_gpus", .variant = variant});
    const auto plan = family->plan(*request, limits);
    ASSERT_TRUE(plan) << variant;
    EXPECT_EQ(plan->streams.size(), 1U);
    EXPECT_NE(plan->instead.find("there is no second GPU"), std::string::npos);
    EXPECT_NE(plan->instead.find("sim:h100"), std::string::npos);
  }
}

TEST_F(SeveralGpus, UnitsAreToldByGpu) {
  const StreamTimes times = streamTimes(*run("peer_copies").streams);
  EXPECT_TRUE(times.several_gpus);
  EXPECT_EQ(times.busy.size(), 8U);
  const auto link = std::ranges::find_if(
      times.busy, [](const BusyUnit& unit) { return unit.unit == StreamUnit::kPeerCopy && unit.gpu == 1; });
  ASSERT_NE(link, times.busy.end());
  EXPECT_GT(link->busy_ns, 0);
  EXPECT_EQ(times.nameOf(*link), "GPU 1: peer copies");
}

}  // namespace
}  // namespace warpscope
