// Operations on streams of a real GPU: results, order, overlap, and that CUPTI's records, timing events and
// the warps' own marks agree on when they ran.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/backend/cuda/streams/stream_axis.h"
#include "kernels/execute/parameter_bytes.h"
#include "kernels/metrics/streams.h"
#include "tests/device/device_fixture.h"
#include "tests/support/plan_runner.h"

namespace warpscope::test {
namespace {

class GpuStreams : public DeviceTest {
 protected:
  static auto runStreams(const std::string& variant, ParameterValues parameters) {
    return runOnDevice({.family = "streams", .variant = variant, .parameters = std::move(parameters)});
  }
  static std::vector<std::string> variants() {
    std::vector<std::string> names;
    for (const VariantInfo& variant : findExperiment("streams").value()->info().variants)
      names.push_back(variant.name);
    return names;
  }
};

void expectInOrder(const StreamLog& log) {
  for (size_t i = 0; i < log.operations.size(); ++i) {
    SCOPED_TRACE(i);
    const StreamOperation& operation = log.operations[i];
    EXPECT_GE(operation.enqueued_ns, operation.enqueue_ns);
    EXPECT_GE(operation.end_ns, operation.begin_ns);
    EXPECT_GE(operation.begin_ns,
              operation.enqueue_ns - log.timing.uncertainty_ns - log.timing.host_uncertainty_ns);
    for (const uint32_t before : operation.after)
      EXPECT_GE(operation.begin_ns, log.operations[before].end_ns - log.timing.uncertainty_ns);
  }
}

TEST_F(GpuStreams, OfTheFamilyAreRightAndInOrder) {
  for (const std::string& variant : variants()) {
    SCOPED_TRACE(variant);
    const auto run = runStreams(variant, {{"size", 1 << 22}});
    ASSERT_FALSE(HasFailure());
    EXPECT_TRUE(run.verification.passed) << run.verification.detail;
    ASSERT_TRUE(run.streams);
    EXPECT_NE(run.streams->timing.clock, StreamClock::kModel);
    EXPECT_GT(run.streams->timing.uncertainty_ns, 0);
    EXPECT_LT(run.streams->timing.uncertainty_ns, kAgree_ns);
    EXPECT_LT(run.streams->timing.host_uncertainty_ns, 2 * kAgree_ns);
    expectInOrder(*run.streams);
  }
}

TEST_F(GpuStreams, OverlapCopiesAndLaunchesOnSeveralStreamsOnly) {
  const ParameterValues large{{"size", 1 << 24}};
  const auto one = runStreams("one_stream", large);
  const auto pageable = runStreams("pageable", large);
  const auto depth = runStreams("depth_first", large), breadth = runStreams("breadth_first", large);
  ASSERT_FALSE(HasFailure());
  EXPECT_LT(streamTimes(*one.streams).overlap(), 0.02);
  EXPECT_LT(streamTimes(*pageable.streams).overlap(), 0.02);
  EXPECT_GT(streamTimes(*depth.streams).overlap(), 0.3);
  EXPECT_GT(streamTimes(*breadth.streams).overlap(), 0.3);
  EXPECT_LT(streamTimes(*depth.streams).total_ns, streamTimes(*one.streams).total_ns);
  EXPECT_GT(streamTimes(*pageable.streams).total_ns, streamTimes(*one.streams).total_ns);
  const auto copy =
      std::ranges::find(pageable.streams->operations, OperationKind::kCopyToDevice, &StreamOperation::kind);
  EXPECT_GT(copy->enqueued_ns, copy->begin_ns) << "the host waits for it";
}

TEST_F(GpuStreams, HaveTheWarpsOfAllLaunchesWithinThem) {
  const auto run = runStreams("depth_first", {{"size", 1 << 22}});
  ASSERT_FALSE(HasFailure());
  const StreamLog& log = *run.streams;
  const double rate = run.trace.clocks.cycles_per_ns;
  ASSERT_GT(rate, 0);
  std::map<uint32_t, std::pair<double, double>> warps;  // by operation: the first begin and the last end
  for (const TraceWarp& warp : run.trace.warps) {
    const auto operation = log.operationOf(warp.block);
    ASSERT_TRUE(operation);
    const double begin = static_cast<double>(warp.begin_cycles) / rate,
                 end = static_cast<double>(warp.end_cycles) / rate;
    const auto [found, is_new] = warps.try_emplace(*operation, begin, end);
    found->second = {std::min(found->second.first, begin), std::max(found->second.second, end)};
  }
  size_t launches = 0;
  for (uint32_t i = 0; i < log.operations.size(); ++i) {
    if (log.operations[i].kind != OperationKind::kLaunch) continue;
    ++launches;
    ASSERT_TRUE(warps.contains(i)) << "operation " << i << " has no warps";
    // The GPU begins a launch before its first warp does, and ends it after the last.
    EXPECT_GE(warps[i].first, log.operations[i].begin_ns - kAgree_ns) << i;
    EXPECT_LE(warps[i].second, log.operations[i].end_ns + kAgree_ns) << i;
  }
  EXPECT_EQ(warps.size(), launches);
}

// The operations of the family's plan, on buffers and streams of the test's own.
class GpuStreamWork : public GpuStreams {
 protected:
  static constexpr uint32_t kWords = 1 << 22, kChunks = 4;

  void SetUp() override {
    GpuStreams::SetUp();
    if (IsSkipped()) return;
    const RunRequest request{
        .family = "streams", .variant = "depth_first", .parameters = {{"size", kWords}, {"chunks", 1}}};
    const Experiment& family = *findExperiment("streams").value();
    const RunRequest complete = completeRequest(family.info(), request, backend().description()).value();
    launch_.emplace(backend(), family.plan(complete, backend().description().limits).value(),
                    ProbeKind::kBare, Bytes(1));
    in_.resize(kWords);
    std::iota(in_.begin(), in_.end(), 1U);
    out_.assign(kWords, 0);
    work_.pinned = {std::as_writable_bytes(std::span(in_)), std::as_writable_bytes(std::span(out_))};
    for (uint32_t i = 0; i < kChunks; ++i) work_.streams.push_back({.name = fmt::format("stream {}", i + 1)});
  }

  void addChunk(uint32_t chunk) {
    const uint32_t count = kWords / kChunks, first = chunk * count;
    const uint64_t offset = uint64_t{first} * sizeof(uint32_t), bytes = uint64_t{count} * sizeof(uint32_t);
    const auto at = [&](std::vector<uint32_t>& words) {
      return reinterpret_cast<std::byte*>(words.data()) + offset;
    };
    // The plan's buffers: out, in; the kernel's parameters: probe, out, in, first, count, work.
    work_.operations.push_back({.kind = OperationKind::kCopyToDevice,
                                .stream = chunk,
                                .device = launch_->addresses()[1] + offset,
                                .host = at(in_),
                                .bytes = bytes});
    LaunchSpec spec = launch_->spec();
    spec.following.clear();
    spec.parameters.at(3) = parameterBytes(first);
    spec.parameters.at(4) = parameterBytes(count);
    work_.operations.push_back({.stream = chunk, .launch = spec});
    work_.operations.push_back({.kind = OperationKind::kCopyToHost,
                                .stream = chunk,
                                .device = launch_->addresses()[0] + offset,
                                .host = at(out_),
                                .bytes = bytes});
  }

  std::optional<PreparedLaunch> launch_;
  std::vector<uint32_t> in_, out_;
  StreamWork work_;
};

TEST_F(GpuStreamWork, IsTimedAlikeByCuptiAndByEvents) {
  for (uint32_t i = 0; i < kChunks; ++i) addChunk(i);
  work_.clocks = StreamWork::Clocks::kBoth;
  ASSERT_TRUE(backend().runStreams(work_)) << "loads kernels and pins memory";
  const auto report = backend().runStreams(work_);
  ASSERT_TRUE(report) << report.error().message;
  if (report->timing.clock != StreamClock::kActivity) GTEST_SKIP() << report->timing.problem;
  ASSERT_EQ(report->by_events.size(), report->operations.size());
  for (size_t i = 0; i < report->operations.size(); ++i) {
    SCOPED_TRACE(fmt::format("operation {}, a {}", i, operationKindName(work_.operations[i].kind)));
    const OperationTimes &cupti = report->operations[i], &events = report->by_events[i];
    EXPECT_GE(events.end_ns, cupti.end_ns - kAgree_ns);
    EXPECT_LE(events.end_ns, cupti.end_ns + cuda::kEventDelay_ns + kAgree_ns);
    // An event before an operation is passed when the operation may begin, which may be long before it does.
    EXPECT_LE(events.begin_ns, cupti.begin_ns + kAgree_ns);
  }
}

TEST_F(GpuStreamWork, KeepsTheOrderOfEventsHostFunctionsAndPriorities) {
  work_.streams = {{.name = "stream 1", .kind = StreamKind::kNonBlocking, .priority = -1},
                   {.name = "stream 2", .kind = StreamKind::kNonBlocking}};
  const uint64_t bytes = uint64_t{kWords} * sizeof(uint32_t);
  const DeviceAddress device = launch_->addresses()[0];
  const auto host = [&](std::vector<uint32_t>& words) { return reinterpret_cast<std::byte*>(words.data()); };
  work_.operations = {
      {.kind = OperationKind::kCopyToDevice, .device = device, .host = host(in_), .bytes = bytes},
      {.kind = OperationKind::kEvent, .event = 1},
      {.kind = OperationKind::kWait, .stream = 1, .event = 1},
      {.kind = OperationKind::kCopyToHost, .stream = 1, .device = device, .host = host(out_), .bytes = bytes},
      {.kind = OperationKind::kHostFunction,
       .stream = 1,
       .host = host(out_),
       .bytes = bytes,
       .work = {.busy_ns = 100'000, .add = 10}},
      {.kind = OperationKind::kFill, .stream = 1, .device = device, .bytes = bytes, .value = 1}};
  const auto report = backend().runStreams(work_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(out_.front(), 1U + 10);
  EXPECT_EQ(out_.back(), kWords + 10);
  std::vector<uint32_t> filled(kWords);
  ASSERT_TRUE(backend().download(std::as_writable_bytes(std::span(filled)), device));
  EXPECT_EQ(filled.back(), 0x01010101U);
  const double doubt = report->timing.uncertainty_ns + report->timing.host_uncertainty_ns;
  for (size_t i = 0; i < report->operations.size(); ++i) {
    for (const uint32_t before : report->operations[i].after)
      EXPECT_GE(report->operations[i].begin_ns, report->operations[before].end_ns - doubt) << i;
  }
  EXPECT_GE(report->operations[4].end_ns - report->operations[4].begin_ns, 100'000 - 1);
  EXPECT_EQ(report->operations[5].waited_for, StreamWait::kStream);
}

TEST_F(GpuStreamWork, SynchronisesOnTheLegacyDefaultStreamOnly) {
  addChunk(0);
  addChunk(1);
  work_.streams = {{.name = "stream 1"}, {.name = "default stream", .kind = StreamKind::kLegacyDefault}};
  const auto report = backend().runStreams(work_);
  ASSERT_TRUE(report) << report.error().message;
  const auto& times = report->operations;
  EXPECT_EQ(times[3].after, std::vector<uint32_t>{2}) << "the default stream's first";
  EXPECT_GE(times[3].begin_ns, times[2].end_ns - report->timing.uncertainty_ns);
  EXPECT_EQ(times[3].waited_for, StreamWait::kDefaultStream);
}

}  // namespace
}  // namespace warpscope::test
