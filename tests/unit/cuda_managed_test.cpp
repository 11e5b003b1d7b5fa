// Managed memory on the CUDA backend, with a driver and a CUPTI that have no GPU
// (tests/support/fake_cuda/fake_driver.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "kernels/backend/cuda/cuda_backend.h"
#include "kernels/backend/cuda/driver_api.h"
#include "kernels/calibrate/steps.h"
#include "kernels/execute/parameter_bytes.h"
#include "tests/support/fake_cuda/fake_driver.h"

namespace warpscope {
namespace {

namespace fake = testing::fake_driver;

class CudaManaged : public ::testing::Test {
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
    address_ = backend_->allocateManaged(kBytes).value();
    words_.resize(kWords);
    std::iota(words_.begin(), words_.end(), 100U);
    fake::reset();
  }
  void TearDown() override {
    backend_.reset();
    fake::unload();
  }

  EnqueuedOperation launch() const {
    return {.launch = {.kernel = kernel_,
                       .grid = {1},
                       .block = {32},
                       .parameters = {parameterBytes(address_), parameterBytes(kWords)}}};
  }
  EnqueuedOperation prefetch(OperationKind kind) const {
    return {.kind = kind, .device = address_, .bytes = kBytes};
  }
  EnqueuedOperation hostFunction(HostWork work) {
    return {.kind = OperationKind::kHostFunction,
            .device = address_,
            .host = reinterpret_cast<std::byte*>(words_.data()),
            .memory = HostMemory::kManaged,
            .bytes = kBytes,
            .work = work};
  }
  StreamWork work(std::vector<EnqueuedOperation> operations, MemoryAdvice advice = {}) {
    return {.streams = {{.name = "stream 1"}},
            .operations = std::move(operations),
            .managed = {
                {.address = address_, .host = std::as_writable_bytes(std::span(words_)), .advice = advice}}};
  }
  StreamWork prefetched() {
    return work({prefetch(OperationKind::kPrefetchToDevice), launch(),
                 prefetch(OperationKind::kPrefetchToHost), hostFunction({.add = 5, .touches = true})});
  }

  std::unique_ptr<Backend> backend_;
  KernelHandle kernel_, plug_;
  DeviceAddress address_ = 0;
  std::vector<uint32_t> words_;
};

std::vector<fake::Call> callsOf(const std::string& entry) {
  std::vector<fake::Call> all = fake::calls();
  std::erase_if(all, [&](const fake::Call& call) { return call.entry != entry; });
  return all;
}

TEST_F(CudaManaged, HasWhatTheHostHasWrittenAndGivesBackWhatIsLeft) {
  const auto report = backend_->runStreams(prefetched());
  ASSERT_TRUE(report) << report.error().message;
  for (uint32_t i = 0; i < kWords; ++i) ASSERT_EQ(words_[i], 100 + i + 1 + 5) << i;
  const auto prefetches = callsOf("cuMemPrefetchAsync_v2");
  ASSERT_EQ(prefetches.size(), 2U);
  EXPECT_EQ(prefetches[0].flags, static_cast<unsigned>(cuda::kLocationDevice));
  EXPECT_EQ(prefetches[0].bytes, kBytes);
  EXPECT_EQ(prefetches[1].flags, static_cast<unsigned>(cuda::kLocationHost));
  EXPECT_TRUE(callsOf("cuMemAdvise_v2").empty());
}

// CUPTI has no record of a prefetch.
TEST_F(CudaManaged, PrefetchesAreTimedByEventsBesideCuptisRecords) {
  for (const fake::Cupti mode : {fake::Cupti::kWorks, fake::Cupti::kRefuses}) {
    fake::reset();
    fake::setCupti(mode);
    // What follows the long kernel does not wait for the host, however busy the machine is.
    StreamWork work = prefetched();
    work.operations.insert(work.operations.begin(),
                           {.launch = {.kernel = plug_, .grid = {1}, .block = {32}}});
    const auto report = backend_->runStreams(work);
    ASSERT_TRUE(report) << report.error().message;
    const bool recorded = mode == fake::Cupti::kWorks;
    EXPECT_EQ(report->timing.clock, recorded ? StreamClock::kActivity : StreamClock::kEvents);
    EXPECT_TRUE(report->by_events.empty());
    const double lasts = fake::kCopyLatency_ns + static_cast<double>(kBytes) / fake::kCopyBytesPerNs;
    for (const size_t i : {1, 3}) {
      const OperationTimes& times = report->operations[i];
      EXPECT_NEAR(times.end_ns - times.begin_ns, lasts, 2000) << i;
    }
    for (size_t i = 1; i < 5; ++i)
      EXPECT_GE(report->operations[i].begin_ns, report->operations[i - 1].end_ns - 2000) << i;
    EXPECT_EQ(report->operations[2].after, std::vector<uint32_t>{1});
  }
}

TEST_F(CudaManaged, AreTimedAsAWhole) {
  StreamWork whole = prefetched();
  whole.clocks = StreamWork::Clocks::kWhole;
  const auto report = backend_->runStreams(whole);
  ASSERT_TRUE(report) << report.error().message;
  const double doubt_ns = report->timing.host_uncertainty_ns;  // large on a busy machine
  EXPECT_GT(report->total_ns + doubt_ns, 2 * static_cast<double>(kBytes) / fake::kCopyBytesPerNs);
}

TEST_F(CudaManaged, IsAdvisedForTheRunOnly) {
  const MemoryAdvice advice{.preferred = MemoryPlace::kHost, .accessed_by_device = true};
  ASSERT_TRUE(backend_->runStreams(work({launch()}, advice)));
  std::vector<std::pair<unsigned, int>> given;  // advice, place
  for (const fake::Call& call : callsOf("cuMemAdvise_v2")) {
    EXPECT_EQ(call.bytes, kBytes);
    given.emplace_back(call.flags, call.priority);
  }
  using namespace cuda;
  EXPECT_EQ(given, (std::vector<std::pair<unsigned, int>>{{kAdviseSetPreferredLocation, kLocationHost},
                                                          {kAdviseSetAccessedBy, kLocationDevice},
                                                          {kAdviseUnsetAccessedBy, kLocationDevice},
                                                          {kAdviseUnsetPreferredLocation, kLocationHost}}));
}

TEST_F(CudaManaged, IsNothingButItsOwnAllocations) {
  const DeviceAddress other = backend_->allocate(kBytes).value();
  StreamWork wrong = work({launch()});
  wrong.managed[0].address = other;
  const auto refused = backend_->runStreams(wrong);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kBadRequest);
  EXPECT_NE(refused.error().message.find("are not managed memory"), std::string::npos);
  backend_->free(address_);
  EXPECT_FALSE(backend_->runStreams(work({launch()}))) << "it was freed";
  backend_->free(other);
  EXPECT_EQ(fake::alive().allocations, 0) << "of the clocks' probe, none was made";
}

TEST_F(CudaManaged, FailsWithTheCallsName) {
  for (const auto& [entry, words] : {std::pair("cuMemPrefetchAsync_v2", "prefetching"),
                                     std::pair("cuMemAdvise_v2", "advising where managed memory")}) {
    fake::reset();
    fake::failAt(entry, 1, 400);
    StreamWork one = prefetched();
    one.managed[0].advice.preferred = MemoryPlace::kHost;
    const auto failed = backend_->runStreams(one);
    ASSERT_FALSE(failed) << entry;
    EXPECT_NE(failed.error().message.find(words), std::string::npos) << failed.error().message;
  }
  fake::failAt("cuMemAllocManaged", 1, 2);
  const auto failed = backend_->allocateManaged(kBytes);
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("managed memory"), std::string::npos);
}

// Nothing faults on this driver; prefetches take what its copies do.
TEST(CalibrateManaged, TimesPrefetches) {
  fake::unload();
  const OpenedBackend backend(openCudaBackend(0).value());
  auto bench = calibration::Bench::create(backend, 1, {});
  ASSERT_TRUE(bench) << bench.error().message;
  calibration::Results results;
  const auto done = calibration::measureManaged(*bench, results);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_NEAR(results.figure("prefetch_bytes_per_ns"), fake::kCopyBytesPerNs, 0.05);
  EXPECT_EQ(results.all().size(), 6U);
}

}  // namespace
}  // namespace warpscope
