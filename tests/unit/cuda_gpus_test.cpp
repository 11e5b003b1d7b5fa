// Operations on two GPUs on the CUDA backend, with a driver and a CUPTI that have no GPU
// (tests/support/fake_cuda/fake_driver.h): which context and timer each belongs to, and what is said of one
// GPU alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/backend/cuda/cuda_backend.h"
#include "kernels/backend/cuda/streams/stream_runner.h"
#include "kernels/execute/parameter_bytes.h"
#include "tests/support/fake_cuda/fake_driver.h"

namespace warpscope {
namespace {

namespace fake = testing::fake_driver;

class CudaGpus : public ::testing::Test {
 protected:
  static constexpr uint32_t kWords = 4096;
  static constexpr uint64_t kBytes = kWords * sizeof(uint32_t);

  void SetUp() override { open(2, true); }
  void TearDown() override {
    backend_.reset();
    fake::setGpus(1, false);
    fake::unload();
  }

  void open(int gpus, bool peer_access) {
    backend_.reset();
    fake::unload();
    fake::setGpus(gpus, peer_access);
    auto backend = openCudaBackend(0);
    ASSERT_TRUE(backend) << backend.error().message;
    backend_ = std::move(*backend);
    kernel_ = backend_->kernel({"module", "text", {}}, "add_one").value();
    plug_ = backend_->kernel({"module", "text", {}}, "plug").value();
    memory_[0] = backend_->allocate(kBytes).value();
    if (gpus > 1) memory_[1] = backend_->allocateOn(1, kBytes).value();
    host_.resize(kWords);
    std::iota(host_.begin(), host_.end(), 100U);
    fake::reset();
  }

  EnqueuedOperation copy(OperationKind kind, uint32_t gpu) {
    return {.kind = kind,
            .stream = gpu,
            .device = memory_[gpu],
            .host = reinterpret_cast<std::byte*>(host_.data()),
            .bytes = kBytes};
  }
  EnqueuedOperation peerCopy(uint32_t stream, uint32_t to) {
    return {.kind = OperationKind::kPeerCopy,
            .stream = stream,
            .device = memory_[to],
            .from = memory_[1 - to],
            .to_gpu = to,
            .from_gpu = 1 - to,
            .bytes = kBytes};
  }
  EnqueuedOperation launch(uint32_t gpu) {
    return {.stream = gpu,
            .launch = {.kernel = kernel_,
                       .grid = {1},
                       .block = {32},
                       .parameters = {parameterBytes(memory_[gpu]), parameterBytes(kWords)},
                       .gpu = gpu}};
  }
  EnqueuedOperation plug(uint32_t gpu) {
    return {.stream = gpu, .launch = {.kernel = plug_, .grid = {1}, .block = {32}, .gpu = gpu}};
  }
  StreamWork work(std::vector<EnqueuedOperation> operations) {
    return {.streams = {{.name = "stream 1"}, {.name = "stream 2", .gpu = 1}},
            .operations = std::move(operations),
            .pinned = {std::as_writable_bytes(std::span(host_))}};
  }
  // To GPU 0, on to GPU 1 behind an event, a launch there, and back to the host from there.
  StreamWork passedOn() {
    return work({copy(OperationKind::kCopyToDevice, 0),
                 {.kind = OperationKind::kEvent, .stream = 0, .event = 3},
                 {.kind = OperationKind::kWait, .stream = 1, .event = 3},
                 peerCopy(1, 1),
                 launch(1),
                 copy(OperationKind::kCopyToHost, 1)});
  }

  std::unique_ptr<Backend> backend_;
  KernelHandle kernel_, plug_;
  DeviceAddress memory_[2] = {};
  std::vector<uint32_t> host_;
};

TEST_F(CudaGpus, AreDescribed) {
  EXPECT_EQ(backend_->description().limits.gpus, 2U);
  EXPECT_TRUE(backend_->description().limits.peer_access);
  open(2, false);
  EXPECT_EQ(backend_->description().limits.gpus, 2U);
  EXPECT_FALSE(backend_->description().limits.peer_access);
  open(1, false);
  EXPECT_EQ(backend_->description().limits.gpus, 1U);
}

TEST_F(CudaGpus, LetEachOtherAccessTheirMemory) {
  const auto enabled = [] {
    const auto calls = fake::calls();
    return std::ranges::count(calls, std::string("cuCtxEnablePeerAccess"), &fake::Call::entry);
  };
  open(2, true);
  EXPECT_EQ(enabled(), 0) << "it was enabled when the second GPU was opened, before reset()";
  backend_.reset();
  fake::unload();
  auto backend = openCudaBackend(0);
  ASSERT_TRUE(backend);
  EXPECT_EQ(enabled(), 0) << "nobody needs a second GPU yet";
  ASSERT_TRUE((*backend)->allocateOn(1, 64));
  EXPECT_EQ(enabled(), 2);
}

TEST_F(CudaGpus, HaveMemoryThatIsReachedByItsAddress) {
  std::vector<uint32_t> read(kWords);
  const auto bytes = std::as_writable_bytes(std::span(read));
  ASSERT_TRUE(backend_->upload(memory_[1], std::as_bytes(std::span(host_))));
  ASSERT_TRUE(backend_->copy(memory_[0], memory_[1], kBytes));
  ASSERT_TRUE(backend_->download(bytes, memory_[0]));
  EXPECT_EQ(read, host_);
  const auto view = backend_->downloadView(0, memory_[1], kBytes);
  ASSERT_TRUE(view);
  EXPECT_TRUE(std::ranges::equal(*view, std::as_bytes(std::span(host_))));
  LaunchSpec spec = launch(1).launch;
  const auto launched = backend_->launch(spec);
  ASSERT_TRUE(launched) << launched.error().message;
  ASSERT_TRUE(backend_->download(bytes, memory_[1]));
  EXPECT_EQ(read[5], host_[5] + 1);
  ASSERT_TRUE(backend_->fill(memory_[1], 0, kBytes));
  ASSERT_TRUE(backend_->download(bytes, memory_[1]));
  EXPECT_EQ(read[5], 0U);
  const int before = fake::alive().allocations;
  backend_->free(memory_[1]);
  EXPECT_EQ(fake::alive().allocations, before - 1);
}

TEST_F(CudaGpus, PassDataOnInOrderOnOneAxis) {
  for (const auto clocks : {StreamWork::Clocks::kBest, StreamWork::Clocks::kEvents}) {
    std::iota(host_.begin(), host_.end(), 100U);
    StreamWork passed = passedOn();
    passed.clocks = clocks;
    const auto report = backend_->runStreams(passed);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(host_[7], 108U);
    ASSERT_EQ(report->timer_ahead_ns.size(), 2U);
    EXPECT_NEAR(static_cast<double>(report->timer_ahead_ns[1]),
                static_cast<double>(fake::kPeerTimerAhead_ns - fake::kTimerAhead_ns),
                report->timing.gpu_uncertainty_ns + 1);
    EXPECT_GT(report->timing.gpu_uncertainty_ns, 0);
    const auto& times = report->operations;
    for (const auto& [before, after] : {std::pair(0U, 3U), {3U, 4U}, {4U, 5U}})
      EXPECT_GE(times[after].begin_ns,
                times[before].end_ns - report->timing.uncertainty_ns - report->timing.gpu_uncertainty_ns)
          << after;
    EXPECT_EQ(times[3].gpu, 1U);
    EXPECT_EQ(times[4].gpu, 1U);
    EXPECT_LT(times[5].end_ns, 1e9) << "the timers are 5 ms apart, and the axis is that of GPU 0";
    if (clocks == StreamWork::Clocks::kBest) {
      EXPECT_EQ(report->timing.clock, StreamClock::kActivity) << report->timing.problem;
      EXPECT_NEAR(times[3].end_ns - times[3].begin_ns, fake::kCopyLatency_ns + kBytes, 2);
      EXPECT_LT(report->timing.gpu_uncertainty_ns, 1000);
    }
  }
}

TEST_F(CudaGpus, WorkAtTheSameTime) {
  const auto report = backend_->runStreams(
      work({plug(0), plug(1), copy(OperationKind::kCopyToDevice, 0), copy(OperationKind::kCopyToDevice, 1)}));
  ASSERT_TRUE(report) << report.error().message;
  const auto& times = report->operations;
  EXPECT_LT(times[1].begin_ns, times[0].end_ns);
  EXPECT_NE(times[3].waited_for, StreamWait::kCopyEngine) << "each has its own";
}

// CUPTI then records two copies for each.
TEST_F(CudaGpus, CopyThroughTheHostWithoutPeerAccess) {
  open(2, false);
  const auto report = backend_->runStreams(passedOn());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->timing.clock, StreamClock::kActivity) << report->timing.problem;
  EXPECT_EQ(host_[7], 108U);
  EXPECT_NEAR(report->operations[3].end_ns - report->operations[3].begin_ns, fake::kCopyLatency_ns + kBytes,
              2);
}

TEST_F(CudaGpus, AreTimedAsAWhole) {
  StreamWork whole = passedOn();
  whole.clocks = StreamWork::Clocks::kWhole;
  const auto report = backend_->runStreams(whole);
  ASSERT_TRUE(report) << report.error().message;
  // The two GPUs' timers are only related by the host's clock, which is uncertain on a busy machine.
  const double doubt_ns = report->timing.gpu_uncertainty_ns + report->timing.host_uncertainty_ns;
  EXPECT_GT(report->total_ns + doubt_ns, 3 * fake::kCopyLatency_ns + 3 * kBytes + fake::kKernel_ns);
  EXPECT_LT(report->total_ns, 1e9);
}

TEST_F(CudaGpus, FailWithTheCallsNameAndReleaseEverything) {
  ASSERT_TRUE(backend_->runStreams(passedOn()));
  const fake::Alive before = fake::alive();
  fake::failAtOfPlan("cuMemcpyPeerAsync", 1, 2);
  const auto report = backend_->runStreams(passedOn());
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().message.find("operation 3: copying 16384 bytes from GPU 0 to GPU 1 on stream 2"),
            std::string::npos)
      << report.error().message;
  EXPECT_EQ(fake::alive(), before);
  EXPECT_TRUE(backend_->runStreams(passedOn()));
}

TEST_F(CudaGpus, AreRefusedWhereThereIsOne) {
  open(1, false);
  const auto memory = backend_->allocateOn(1, 64);
  ASSERT_FALSE(memory);
  EXPECT_NE(memory.error().message.find("there is no second Fake H100 on this machine"), std::string::npos)
      << memory.error().message;
  EXPECT_NE(memory.error().message.find("sim:h100"), std::string::npos);
  const auto report = backend_->runStreams(work({launch(1)}));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::kBadRequest);
  EXPECT_NE(report.error().message.find("operation 0 (launch): there is no GPU 1"), std::string::npos)
      << report.error().message;
}

TEST_F(CudaGpus, RefuseOperationsThatDoNotFitTheirStreams) {
  StreamWork wrong = work({launch(1)});
  wrong.operations[0].stream = 0;
  EXPECT_FALSE(backend_->runStreams(wrong));
  wrong = work({peerCopy(1, 1)});
  wrong.operations[0].from_gpu = 1;
  EXPECT_FALSE(backend_->runStreams(wrong));
}

}  // namespace
}  // namespace warpscope
