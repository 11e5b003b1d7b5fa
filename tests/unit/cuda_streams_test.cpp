// Operations on streams on the CUDA backend, with a driver and a CUPTI that have no GPU
// (tests/support/fake_cuda/fake_driver.h): what is called, in which order, what is released, and which times
// come out.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "kernels/backend/cuda/counters/cupti_api.h"
#include "kernels/backend/cuda/cuda_backend.h"
#include "kernels/backend/cuda/streams/activity_log.h"
#include "kernels/backend/cuda/streams/clock_relation.h"
#include "kernels/backend/cuda/streams/stream_axis.h"
#include "kernels/backend/cuda/streams/stream_runner.h"
#include "kernels/backend/cuda/streams/timer_probe.h"
#include "kernels/execute/parameter_bytes.h"
#include "tests/support/fake_cuda/fake_driver.h"

namespace warpscope {
namespace {

namespace fake = testing::fake_driver;

class CudaStreams : public ::testing::Test {
 protected:
  static constexpr uint32_t kWords = 4096;
  static constexpr uint64_t kBytes = kWords * sizeof(uint32_t);

  void SetUp() override {
    fake::unload();
    auto backend = openCudaBackend(0);
    ASSERT_TRUE(backend) << backend.error().message;
    backend_ = std::move(*backend);
    kernel_ = backend_->kernel({"module", "text", {}}, "add_one").value();
    plug_ = backend_->kernel({"module", "text", {}}, "plug").value();
    first_ = backend_->allocate(kBytes).value();
    second_ = backend_->allocate(kBytes).value();
    in_.resize(kWords);
    std::iota(in_.begin(), in_.end(), 100U);
    out_.assign(kWords, 0);
    fake::reset();
  }
  void TearDown() override {
    backend_.reset();
    fake::unload();
  }

  EnqueuedOperation in(uint32_t stream, HostMemory memory = HostMemory::kPinned, uint32_t words = kWords) {
    return {.kind = OperationKind::kCopyToDevice,
            .stream = stream,
            .device = first_,
            .host = reinterpret_cast<std::byte*>(in_.data()),
            .memory = memory,
            .bytes = words * sizeof(uint32_t)};
  }
  EnqueuedOperation out(uint32_t stream, HostMemory memory = HostMemory::kPinned) {
    return {.kind = OperationKind::kCopyToHost,
            .stream = stream,
            .device = first_,
            .host = reinterpret_cast<std::byte*>(out_.data()),
            .memory = memory,
            .bytes = kBytes};
  }
  EnqueuedOperation launch(uint32_t stream) {
    return {.stream = stream,
            .launch = {.kernel = kernel_,
                       .grid = {1},
                       .block = {32},
                       .parameters = {parameterBytes(first_), parameterBytes(kWords)}}};
  }
  // What follows on the stream does not wait for the host.
  EnqueuedOperation plug(uint32_t stream) {
    return {.stream = stream, .launch = {.kernel = plug_, .grid = {1}, .block = {32}}};
  }
  static EnqueuedOperation event(OperationKind kind, uint32_t stream, uint32_t number) {
    return {.kind = kind, .stream = stream, .event = number};
  }
  EnqueuedOperation hostFunction(uint32_t stream, HostWork work) {
    return {.kind = OperationKind::kHostFunction,
            .stream = stream,
            .host = reinterpret_cast<std::byte*>(out_.data()),
            .bytes = kBytes,
            .work = work};
  }
  EnqueuedOperation fill(uint32_t stream, uint8_t value) {
    return {
        .kind = OperationKind::kFill, .stream = stream, .device = first_, .bytes = kBytes, .value = value};
  }
  EnqueuedOperation copy(uint32_t stream) {
    return {.kind = OperationKind::kCopyOnDevice,
            .stream = stream,
            .device = second_,
            .from = first_,
            .bytes = kBytes};
  }
  StreamWork work(std::vector<StreamInfo> streams, std::vector<EnqueuedOperation> operations) {
    return {.streams = std::move(streams),
            .operations = std::move(operations),
            .pinned = {std::as_writable_bytes(std::span(in_)), std::as_writable_bytes(std::span(out_))}};
  }
  // One of each kind, on two streams.
  StreamWork everything() {
    return work(
        {{.name = "stream 1"}, {.name = "stream 2"}},
        {in(0), launch(0), copy(0), event(OperationKind::kEvent, 0, 7), event(OperationKind::kWait, 1, 7),
         out(1), hostFunction(1, {.busy_ns = 20'000, .add = 5}), fill(1, 3)});
  }

  std::unique_ptr<Backend> backend_;
  KernelHandle kernel_, plug_;
  DeviceAddress first_ = 0, second_ = 0;
  std::vector<uint32_t> in_, out_;
};

// The calls on the plan's streams, without what clocks and new streams need.
std::vector<std::string> called() {
  constexpr uint64_t kWakingBytes = 4;
  std::vector<std::string> all;
  for (const fake::Call& call : fake::calls()) {
    if (call.stream > 0 && call.bytes != kWakingBytes && call.entry != "cuStreamSynchronize" &&
        call.entry != "cuStreamDestroy_v2" && call.entry != "cuStreamCreateWithPriority")
      all.push_back(call.entry + " " + std::to_string(call.stream));
  }
  return all;
}

TEST_F(CudaStreams, EnqueueInOrderOnStreamsOfTheirKindAndPriority) {
  StreamWork all = work({{.name = "urgent", .priority = -3},
                         {.name = "free", .kind = StreamKind::kNonBlocking},
                         {.name = "legacy", .kind = StreamKind::kLegacyDefault},
                         {.name = "mine", .kind = StreamKind::kPerThreadDefault}},
                        {in(0), launch(1), fill(2, 1), event(OperationKind::kEvent, 2, 0),
                         event(OperationKind::kWait, 0, 0), copy(3), hostFunction(0, {}), out(0)});
  const auto report = backend_->runStreams(all);
  ASSERT_TRUE(report) << report.error().message;
  const std::vector<fake::Call> calls = fake::calls();
  std::vector<fake::Call> made;
  std::ranges::copy_if(calls, std::back_inserter(made),
                       [](const fake::Call& call) { return call.entry == "cuStreamCreateWithPriority"; });
  ASSERT_EQ(made.size(), 2U) << "the default streams are there already";
  EXPECT_EQ(made[0].priority, -3);
  EXPECT_EQ(made[0].flags, cuda::kStreamDefault);
  EXPECT_EQ(made[1].flags, cuda::kStreamNonBlocking);
  const std::string urgent = std::to_string(made[0].stream), free = std::to_string(made[1].stream);
  EXPECT_EQ(called(), (std::vector<std::string>{
                          "cuMemcpyHtoDAsync_v2 " + urgent, "cuLaunchKernel " + free, "cuMemsetD8Async 1",
                          "cuEventRecord 1", "cuStreamWaitEvent " + urgent, "cuMemcpyDtoDAsync_v2 2",
                          "cuLaunchHostFunc " + urgent, "cuMemcpyDtoHAsync_v2 " + urgent}));
}

TEST_F(CudaStreams, DoToMemoryWhatTheyShould) {
  const auto report = backend_->runStreams(everything());
  ASSERT_TRUE(report) << report.error().message;
  for (uint32_t i = 0; i < kWords; ++i) ASSERT_EQ(out_[i], 100 + i + 1 + 5) << i;
  std::vector<uint32_t> on_device(kWords);
  ASSERT_TRUE(backend_->download(std::as_writable_bytes(std::span(on_device)), second_));
  EXPECT_EQ(on_device[7], 108U);
  ASSERT_TRUE(backend_->download(std::as_writable_bytes(std::span(on_device)), first_));
  EXPECT_EQ(on_device[7], 0x03030303U);
}

TEST_F(CudaStreams, HaveTheTimesThatCuptiRecords) {
  const int64_t before = cuda::hostNowNs();
  const auto report = backend_->runStreams(everything());
  const int64_t after = cuda::hostNowNs();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->timing.clock, StreamClock::kActivity) << report->timing.problem;
  EXPECT_TRUE(report->by_events.empty());
  // A stamp is read 200 ns after a kernel's begin and before its end; a step of the timer is 32 ns.
  EXPECT_LE(report->timing.uncertainty_ns, 232);
  EXPECT_GE(report->timing.uncertainty_ns, 150);
  EXPECT_GT(report->timing.host_uncertainty_ns, 0);
  ASSERT_TRUE(report->globaltimer_ns);
  EXPECT_GE(static_cast<int64_t>(*report->globaltimer_ns), before + fake::kTimerAhead_ns);
  EXPECT_LE(static_cast<int64_t>(*report->globaltimer_ns), after + fake::kTimerAhead_ns);

  const auto& times = report->operations;
  ASSERT_EQ(times.size(), 8U);
  const auto lasts = [&](size_t i) { return times[i].end_ns - times[i].begin_ns; };
  EXPECT_NEAR(lasts(0), fake::kCopyLatency_ns + kBytes / fake::kCopyBytesPerNs, 2);
  EXPECT_NEAR(lasts(1), fake::kKernel_ns, 2);
  EXPECT_NEAR(lasts(5), fake::kCopyLatency_ns + kBytes / fake::kCopyBytesPerNs, 2);
  EXPECT_GE(lasts(6), 20'000 - 1) << "the host function is busy for so long";
  EXPECT_EQ(times[0].enqueue_ns, 0);
  const double doubt = report->timing.uncertainty_ns + report->timing.host_uncertainty_ns;
  for (size_t i = 0; i < times.size(); ++i) {
    EXPECT_GE(times[i].enqueued_ns, times[i].enqueue_ns) << i;
    EXPECT_GE(times[i].begin_ns, times[i].enqueue_ns - doubt) << i;
    for (const uint32_t of : times[i].after) EXPECT_GE(times[i].begin_ns, times[of].end_ns - doubt) << i;
    EXPECT_GE(times[i].enqueue_ns, i == 0 ? 0 : times[i - 1].enqueued_ns) << i;
  }
  EXPECT_EQ(times[1].after, std::vector<uint32_t>{0});
  EXPECT_EQ(times[4].after, std::vector<uint32_t>{3}) << "the wait, of the event";
  EXPECT_EQ(times[3].begin_ns, std::max(times[2].end_ns, times[3].enqueued_ns))
      << "an event is passed once the copy before it has ended";
  double end = 0;
  for (const OperationTimes& each : times) end = std::max(end, each.end_ns);
  EXPECT_EQ(report->total_ns, end);
}

// With a tiny kernel at the end of each stream, and nothing between the operations.
TEST_F(CudaStreams, AreTimedAsAWholeWithoutRecords) {
  StreamWork all = everything();
  all.clocks = StreamWork::Clocks::kWhole;
  const int64_t before = cuda::hostNowNs();
  const auto report = backend_->runStreams(all);
  const int64_t after = cuda::hostNowNs();
  ASSERT_TRUE(report) << report.error().message;
  const double doubt_ns = report->timing.host_uncertainty_ns;  // large on a busy machine
  EXPECT_GE(report->total_ns + doubt_ns, 20'000) << "the host function is busy for so long";
  EXPECT_LE(report->total_ns, static_cast<double>(after - before) + doubt_ns);
  ASSERT_EQ(report->operations.size(), all.operations.size());
  for (const OperationTimes& each : report->operations) EXPECT_EQ(each.end_ns, 0);
  EXPECT_GE(report->operations.back().enqueued_ns, report->operations.back().enqueue_ns);
  const std::vector<fake::Call> calls = fake::calls();
  const auto recorded = std::ranges::count_if(
      calls, [](const fake::Call& call) { return call.entry.starts_with("cuEventRecord"); });
  EXPECT_EQ(recorded, 1) << "the plan's own";
}

TEST_F(CudaStreams, SayWhatTheyWaitedFor) {
  const StreamWork all = work({{.name = "stream 1"}, {.name = "stream 2"}, {.name = "stream 3"}},
                              {plug(0), in(0), event(OperationKind::kEvent, 0, 7),
                               event(OperationKind::kWait, 1, 7), out(1), plug(2), launch(2)});
  const auto report = backend_->runStreams(all);
  ASSERT_TRUE(report) << report.error().message;
  const auto& times = report->operations;
  EXPECT_EQ(times[1].waited_for, StreamWait::kStream);
  EXPECT_EQ(times[1].waited_on, 0U);
  EXPECT_EQ(times[4].waited_for, StreamWait::kEvent);
  EXPECT_EQ(times[4].waited_on, 1U) << "which the event was recorded behind";
  EXPECT_EQ(times[6].waited_for, StreamWait::kStream);
  EXPECT_EQ(times[6].waited_on, 5U);
}

// Between them the events of timing are left out, which would keep them apart.
TEST_F(CudaStreams, LaunchProgrammaticDependentsEarly) {
  for (const auto clocks :
       {StreamWork::Clocks::kBest, StreamWork::Clocks::kBoth, StreamWork::Clocks::kEvents}) {
    fake::reset();
    StreamWork chain = work({{.name = "stream 1"}}, {plug(0), launch(0), launch(0), launch(0)});
    for (const size_t i : {2U, 3U}) chain.operations[i].launch.programmatic = true;
    chain.clocks = clocks;
    const auto report = backend_->runStreams(chain);
    ASSERT_TRUE(report) << report.error().message;
    std::vector<fake::Call> launches;
    const std::vector<fake::Call> calls = fake::calls();
    std::ranges::copy_if(calls, std::back_inserter(launches), [](const fake::Call& call) {
      return call.stream > 0 && call.entry.starts_with("cuLaunchKernel");
    });
    ASSERT_EQ(launches.size(), 4U);
    EXPECT_EQ(launches[1].entry, "cuLaunchKernel");
    for (const size_t i : {2U, 3U}) {
      EXPECT_EQ(launches[i].entry, "cuLaunchKernelEx");
      EXPECT_EQ(launches[i].flags, 1U << cuda::kAttributeProgrammaticStreamSerialization);
      EXPECT_EQ(launches[i].stream, launches[1].stream);
    }
    const auto& times = report->operations;
    EXPECT_EQ(times[1].primary, std::nullopt);
    EXPECT_EQ(times[2].primary, 1U);
    EXPECT_EQ(times[3].primary, 2U);
    EXPECT_TRUE(times[3].after.empty());
    if (clocks == StreamWork::Clocks::kEvents) {
      EXPECT_EQ(times[1].begin_ns, times[3].begin_ns) << "of the chain";
      EXPECT_EQ(times[1].end_ns, times[3].end_ns);
    } else {
      EXPECT_NEAR(times[2].begin_ns - times[1].begin_ns, fake::kTrigger_ns + fake::kStart_ns, 100);
      EXPECT_EQ(times[2].waited_for, StreamWait::kTrigger);
    }
    EXPECT_NEAR(times[3].end_ns - times[1].begin_ns,
                2 * (fake::kTrigger_ns + fake::kStart_ns) + fake::kKernel_ns, 1200);
  }
}

TEST_F(CudaStreams, HaveTimesOfEventsThatAgreeWithCuptis) {
  StreamWork both = work({{.name = "stream 1"}, {.name = "stream 2"}, {.name = "stream 3"}},
                         {plug(0), plug(1), plug(2), in(0), in(1), launch(0), launch(1), out(0), in(2),
                          launch(2), out(1), out(2)});
  both.clocks = StreamWork::Clocks::kBoth;
  const auto report = backend_->runStreams(both);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->timing.clock, StreamClock::kActivity);
  ASSERT_EQ(report->by_events.size(), report->operations.size());
  for (size_t i = 3; i < report->operations.size(); ++i) {
    // An event before an operation is passed half a microsecond before it begins here.
    EXPECT_NEAR(report->by_events[i].begin_ns, report->operations[i].begin_ns, 1100) << i;
    EXPECT_NEAR(report->by_events[i].end_ns, report->operations[i].end_ns, 600) << i;
  }
}

TEST_F(CudaStreams, AreTimedByEventsWhereCuptiIsNotToBeHad) {
  struct Case {
    fake::Cupti mode;
    const char* reason;
  };
  for (const Case& each :
       {Case{fake::Cupti::kRefuses, "another profiler is using the counters"},
        Case{fake::Cupti::kLosesAKernel, "CUPTI recorded 9 activities where 10 were expected"},
        Case{fake::Cupti::kHasNoTimes, "without its times"}}) {
    fake::setCupti(each.mode);
    const auto report = backend_->runStreams(work({{.name = "stream 1"}}, {plug(0), in(0), launch(0)}));
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->timing.clock, StreamClock::kEvents);
    EXPECT_NE(report->timing.problem.find(each.reason), std::string::npos) << report->timing.problem;
    EXPECT_NEAR(report->operations[2].end_ns - report->operations[2].begin_ns, fake::kKernel_ns, 600);
    EXPECT_GT(report->timing.uncertainty_ns, cuda::kEventDelay_ns);
    EXPECT_LE(report->timing.uncertainty_ns, cuda::kEventDelay_ns + 1000);
    EXPECT_GE(report->operations[2].begin_ns, report->operations[1].end_ns - 1);
  }
  StreamWork events = everything();
  events.clocks = StreamWork::Clocks::kEvents;
  fake::reset();
  const auto report = backend_->runStreams(events);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->timing.clock, StreamClock::kEvents);
  EXPECT_TRUE(report->timing.problem.empty()) << "nobody wanted CUPTI";
}

// As CUDA_LAUNCH_BLOCKING and compute-sanitizer make them: no kernel runs while the host asks it for the
// time.
TEST_F(CudaStreams, HaveLessCertainHostTimesWhereLaunchesBlock) {
  ASSERT_TRUE(backend_->runStreams(everything()));
  fake::setLaunchesBlock(true);
  const auto report = backend_->runStreams(everything());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_GE(report->timing.host_uncertainty_ns, fake::kStart_ns / 2)
      << "a launch begins so long after its call";
  EXPECT_LE(report->timing.uncertainty_ns, 232);
  EXPECT_GE(report->operations[0].begin_ns,
            -report->timing.uncertainty_ns - report->timing.host_uncertainty_ns);
}

// An event before the second copy is passed while the first one still has the engine.
TEST_F(CudaStreams, TakeACopysBeginByEventsFromTheCopyBeforeItOnTheEngine) {
  StreamWork two = work({{.name = "stream 1"}, {.name = "stream 2"}}, {plug(0), plug(1), in(0), in(1)});
  two.clocks = StreamWork::Clocks::kEvents;
  const auto report = backend_->runStreams(two);
  ASSERT_TRUE(report) << report.error().message;
  const auto& times = report->operations;
  // The plugs end one after the other: perhaps the first copy is over by then.
  EXPECT_EQ(times[3].begin_ns, std::max(times[1].end_ns, times[2].end_ns));
  EXPECT_EQ(times[3].after, std::vector<uint32_t>{1});
}

TEST_F(CudaStreams, WaitForACopyOfPageableMemoryInTheHostsCall) {
  ASSERT_TRUE(backend_->runStreams({.streams = {{.name = "stream 1"}}})) << "makes the probe";
  fake::reset();
  const auto report = backend_->runStreams(
      {.streams = {{.name = "stream 1"}},
       .operations = {in(0, HostMemory::kPageable), launch(0), out(0, HostMemory::kPageable)}});
  ASSERT_TRUE(report) << report.error().message;
  const double doubt = report->timing.uncertainty_ns + report->timing.host_uncertainty_ns;
  EXPECT_GE(report->operations[0].enqueued_ns, report->operations[0].end_ns - doubt);
  EXPECT_EQ(out_[3], 104U);
  EXPECT_TRUE(std::ranges::none_of(fake::calls(), [](const fake::Call& call) {
    return call.entry == "cuMemHostAlloc";
  })) << "nothing is pinned";
}

TEST_F(CudaStreams, FailWithTheCallsNameAndReleaseEverything) {
  ASSERT_TRUE(backend_->runStreams(everything()));
  const fake::Alive before = fake::alive();
  struct Case {
    const char* entry;
    int nth;
    const char* words;
  };
  // Before the first operation, each stream copies once in each direction.
  for (const Case& each :
       {Case{"cuStreamCreateWithPriority", 2, "creating stream 2 with priority 0"},
        Case{"cuEventCreate", 1, "creating event 7"},
        Case{"cuMemcpyHtoDAsync_v2", 2, "copying to the device on a new stream"},
        Case{"cuMemcpyDtoHAsync_v2", 2, "copying to the host on a new stream"},
        Case{"cuMemcpyHtoDAsync_v2", 3, "operation 0: copying 16384 bytes to the device on stream 1"},
        Case{"cuLaunchKernel", 1, "launching module: add_one"},
        Case{"cuMemcpyDtoDAsync_v2", 1, "operation 2: copying 16384 bytes on the device"},
        Case{"cuEventRecord", 1, "operation 3: recording event 7 on stream 1"},
        Case{"cuStreamWaitEvent", 1, "operation 4: letting stream 2 wait for event 7"},
        Case{"cuMemcpyDtoHAsync_v2", 3, "operation 5: copying 16384 bytes to the host on stream 2"},
        Case{"cuLaunchHostFunc", 1, "operation 6: enqueuing a host function on stream 2"},
        Case{"cuMemsetD8Async", 1, "operation 7: filling 16384 bytes on stream 2"}}) {
    fake::failAtOfPlan(each.entry, each.nth, cuda::kErrorOutOfMemory);
    const auto report = backend_->runStreams(everything());
    ASSERT_FALSE(report) << each.entry;
    EXPECT_EQ(report.error().kind, ErrorKind::kWorkFailed);
    EXPECT_NE(report.error().message.find(each.words), std::string::npos) << report.error().message;
    EXPECT_NE(report.error().message.find("CUDA_ERROR_OUT_OF_MEMORY"), std::string::npos);
    EXPECT_EQ(fake::alive(), before) << each.entry;
  }
  const auto report = backend_->runStreams(everything());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->timing.clock, StreamClock::kActivity) << "and it works again";
}

TEST_F(CudaStreams, SayThatPinnedMemoryIsNotToBeHad) {
  fake::failAt("cuMemHostAlloc", 1, cuda::kErrorOutOfMemory);
  // The first one that is asked for may be the probe's.
  auto report = backend_->runStreams(everything());
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().message.find("pinned"), std::string::npos) << report.error().message;
  EXPECT_TRUE(backend_->runStreams(everything()));
}

TEST_F(CudaStreams, AreAnErrorIfCuptiLosesARecordOfThem) {
  ASSERT_TRUE(backend_->runStreams(everything()));
  const fake::Alive before = fake::alive();
  fake::setCupti(fake::Cupti::kLosesALaterOne);
  const auto report = backend_->runStreams(everything());
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().message.find("do not tell when operation 7, a fill, ran"), std::string::npos)
      << report.error().message;
  EXPECT_EQ(fake::alive(), before);
  fake::reset();
  EXPECT_TRUE(backend_->runStreams(everything()));
}

TEST_F(CudaStreams, AStickyErrorEndsTheBackend) {
  ASSERT_TRUE(backend_->runStreams(everything()));
  fake::failAt("cuMemsetD8Async", 1, 700);
  const auto report = backend_->runStreams(everything());
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().message.find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos);
  EXPECT_TRUE(backend_->poisoned());
  const auto again = backend_->runStreams(everything());
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message.find("a new process is needed"), std::string::npos)
      << again.error().message;
}

TEST_F(CudaStreams, AreStopped) {
  ASSERT_TRUE(backend_->runStreams(everything()));
  const fake::Alive before = fake::alive();
  std::stop_source stop;
  stop.request_stop();
  const auto report = backend_->runStreams(everything(), stop.get_token());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::kCancelled);
  EXPECT_EQ(fake::alive(), before);
}

TEST_F(CudaStreams, OfNothingTakeNoTime) {
  const auto report = backend_->runStreams({.streams = {{.name = "stream 1"}}});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->total_ns, 0);
  StreamWork empty = work({{.name = "stream 1"}}, {in(0), out(0)});
  for (EnqueuedOperation& operation : empty.operations) operation.bytes = 0;
  const auto copies = backend_->runStreams(empty);
  ASSERT_TRUE(copies) << copies.error().message;
  EXPECT_TRUE(called().empty()) << "copies of no bytes";
}

// The relation of two clocks.

using cuda::ClockRelation;
using cuda::ClockSample;

// The timer is `ahead` of the other clock.
ClockSample sampleOf(int64_t at, int64_t ahead, int64_t early, int64_t late) {
  return {at, at + early + 100 + late, at + early + ahead, at + early + 100 + ahead};
}

TEST(ClockRelation, IsAsCloseAsTheSamplesAllow) {
  constexpr int64_t kAhead = 1'700'000'000'000'000'000;
  const std::vector<ClockSample> before{sampleOf(0, kAhead, 30, 900), sampleOf(2000, kAhead, 800, 20)};
  const std::vector<ClockSample> after{sampleOf(100'000, kAhead, 40, 40)};
  const ClockRelation relation(before, after, 1);
  // Before, it is at most 30 (and the timer's step of 1) more by the first sample, and at least 20 less by
  // the second; 5.5 is in the middle of that. After, it may be 40 less.
  EXPECT_NEAR(relation.uncertaintyNs(), 45.5, 0.01);
  for (const int64_t at : {int64_t{0}, int64_t{50'000}, int64_t{100'000}})
    EXPECT_LE(std::abs(relation.timerAt(at) - (kAhead + at)), 41) << at;
}

TEST(ClockRelation, FollowsClocksThatDriftApart) {
  const std::vector<ClockSample> before{sampleOf(0, 5000, 10, 10)};
  const std::vector<ClockSample> after{sampleOf(1'000'000, 5060, 10, 10)};
  const ClockRelation relation(before, after, 1);
  EXPECT_NEAR(static_cast<double>(relation.timerAt(500'000) - 500'000), 5030, 2);
  EXPECT_NEAR(static_cast<double>(relation.timerAt(2'000'000) - 2'000'000), 5120, 2);
}

TEST(ClockRelation, IsLessCertainWhereSamplesContradictEachOther) {
  const std::vector<ClockSample> good{sampleOf(0, 5000, 10, 10)};
  const std::vector<ClockSample> bad{sampleOf(0, 5000, 10, 10), sampleOf(10, 5300, 10, 10)};
  EXPECT_LT(ClockRelation(good, good, 1).uncertaintyNs(), 11);
  EXPECT_GT(ClockRelation(bad, good, 1).uncertaintyNs(), 250);
}

TEST(ClockRelation, AllowsForTheStepOfTheTimer) {
  std::vector<ClockSample> samples;
  for (int64_t i = 0; i < 50; ++i)
    samples.push_back({i * 101, i * 101 + 1, i * 101 / 32 * 32, i * 101 / 32 * 32});
  EXPECT_EQ(cuda::timerStepNs(samples), 32);
  const ClockRelation relation(samples, samples, 32);
  EXPECT_LE(std::abs(relation.timerAt(1000) - 1000), 2) << "many readings see the steps' edges";
}

// CUPTI's records.

TEST(ActivityOf, ReadsKernelsCopiesAndFillsOnly) {
  cuda::cupti::ActivityOfMemory copy{};
  copy.kind = cuda::cupti::ActivityKind::kCopy;
  copy.copy_kind = cuda::cupti::kToHost;
  copy.bytes = 12;
  copy.start_ns = 5;
  copy.end_ns = 9;
  copy.correlation = 3;
  const auto record = [](auto& of) -> const cuda::cupti::ActivityRecord& {
    return reinterpret_cast<const cuda::cupti::ActivityRecord&>(of);
  };
  const auto read = cuda::activityOf(record(copy));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, OperationKind::kCopyToHost);
  EXPECT_EQ(read->bytes, 12U);
  EXPECT_EQ(read->begin_ns, 5);
  EXPECT_EQ(read->end_ns, 9);
  EXPECT_EQ(read->correlation, 3U);
  copy.copy_kind = cuda::cupti::kPeerToPeer;
  EXPECT_EQ(cuda::activityOf(record(copy))->kind, OperationKind::kPeerCopy);
  copy.copy_kind = 3;  // to an array
  EXPECT_FALSE(cuda::activityOf(record(copy)));
  cuda::cupti::ActivityOfPeerCopy between{};
  between.kind = cuda::cupti::ActivityKind::kPeerCopy;
  between.bytes = 12;
  between.correlation = 4;
  const auto peer = cuda::activityOf(record(between));
  ASSERT_TRUE(peer);
  EXPECT_EQ(peer->kind, OperationKind::kPeerCopy);
  EXPECT_EQ(peer->correlation, 4U);
  copy.kind = static_cast<cuda::cupti::ActivityKind>(5);
  EXPECT_FALSE(cuda::activityOf(record(copy)));
}

TEST(ActivityOf, PartsOfOneCopyAreJoined) {
  using cuda::Activity;
  const auto joined = cuda::joinedActivity({Activity{OperationKind::kCopyToDevice, 9, 10, 50, 60},
                                            Activity{OperationKind::kLaunch, 4, 0, 1, 2},
                                            Activity{OperationKind::kCopyToDevice, 9, 20, 30, 45}});
  ASSERT_EQ(joined.size(), 2U);
  EXPECT_EQ(joined[0].correlation, 4U);
  EXPECT_EQ(joined[1].bytes, 30U);
  EXPECT_EQ(joined[1].begin_ns, 30);
  EXPECT_EQ(joined[1].end_ns, 60);
}

}  // namespace
}  // namespace warpscope
