// Memory that streams allocate and free in their order: what is refused, and what the CUDA backend does, with
// a driver that has no GPU (tests/support/fake_cuda/fake_driver.h).
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/backend/cuda/cuda_backend.h"
#include "kernels/backend/stream_allocations.h"
#include "kernels/execute/parameter_bytes.h"
#include "tests/support/fake_cuda/fake_driver.h"

namespace warpscope {
namespace {

namespace fake = testing::fake_driver;

class CudaAllocations : public ::testing::Test {
 protected:
  static constexpr uint32_t kWords = 1024;
  static constexpr uint64_t kBytes = kWords * sizeof(uint32_t);

  void SetUp() override {
    fake::unload();
    auto backend = openCudaBackend(0);
    ASSERT_TRUE(backend) << backend.error().message;
    backend_ = std::move(*backend);
    kernel_ = backend_->kernel({"module", "text", {}}, "add_one").value();
    stands_in_ = backend_->allocate(kBytes).value();
    ASSERT_TRUE(backend_->runStreams(work({launch({})}))) << "makes what stays";
    ASSERT_TRUE(backend_->fill(stands_in_, 0, kBytes));
    fake::reset();
    before_ = fake::alive();
  }
  void TearDown() override {
    backend_.reset();
    fake::unload();
  }

  static EnqueuedOperation allocation(uint32_t stream = 0) {
    return {.kind = OperationKind::kAllocate, .stream = stream, .bytes = kBytes};
  }
  static EnqueuedOperation freeOf(uint32_t operation, uint32_t stream = 0) {
    return {.kind = OperationKind::kFree, .stream = stream, .bytes = kBytes, .allocation = operation};
  }
  EnqueuedOperation launch(std::vector<AllocatedParameter> allocated, uint32_t stream = 0) const {
    return {.stream = stream,
            .launch = {.kernel = kernel_,
                       .grid = {1},
                       .block = {32},
                       .parameters = {parameterBytes(stands_in_), parameterBytes(kWords)}},
            .allocated = std::move(allocated)};
  }
  static StreamWork work(std::vector<EnqueuedOperation> operations) {
    return {.streams = {{.name = "stream 1"}, {.name = "stream 2"}}, .operations = std::move(operations)};
  }
  std::vector<uint32_t> standIn() {
    std::vector<uint32_t> words(kWords);
    EXPECT_TRUE(backend_->download(std::as_writable_bytes(std::span(words)), stands_in_));
    return words;
  }

  std::unique_ptr<Backend> backend_;
  KernelHandle kernel_;
  DeviceAddress stands_in_ = 0;
  fake::Alive before_;
};

std::vector<fake::Call> callsOf(const std::string& entry) {
  std::vector<fake::Call> all = fake::calls();
  std::erase_if(all, [&](const fake::Call& call) { return call.entry != entry; });
  return all;
}

TEST_F(CudaAllocations, LaunchesGetTheAddressThatTheirAllocationGave) {
  const auto report = backend_->runStreams(work({allocation(), launch({{0, 0}}), freeOf(0, 1), allocation(1),
                                                 launch({{0, 3}}, 1), freeOf(3, 1), launch({}, 1)}));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(standIn(), std::vector<uint32_t>(kWords, 1)) << "by the last launch only";
  const auto allocations = callsOf("cuMemAllocAsync"), frees = callsOf("cuMemFreeAsync");
  ASSERT_EQ(allocations.size(), 2U);
  ASSERT_EQ(frees.size(), 2U);
  EXPECT_EQ(allocations[0].bytes, kBytes);
  EXPECT_NE(allocations[0].stream, allocations[1].stream);
  EXPECT_EQ(frees[0].stream, allocations[1].stream) << "on another stream than it was allocated on";
  EXPECT_EQ(fake::alive(), before_);
}

TEST_F(CudaAllocations, ArePassedOnceWhatIsBeforeThemHasEnded) {
  for (const fake::Cupti mode : {fake::Cupti::kWorks, fake::Cupti::kRefuses}) {
    fake::reset();
    fake::setCupti(mode);
    const auto report = backend_->runStreams(work({allocation(), launch({{0, 0}}), freeOf(0), launch({})}));
    ASSERT_TRUE(report) << report.error().message;
    const std::vector<OperationTimes>& times = report->operations;
    EXPECT_EQ(times[2].after, std::vector<uint32_t>{1});
    EXPECT_GE(times[2].begin_ns, times[1].end_ns);
    EXPECT_EQ(times[2].begin_ns, times[2].end_ns);
  }
}

TEST_F(CudaAllocations, AreFreedAlsoIfTheWorkDoesNotOrFails) {
  ASSERT_TRUE(backend_->runStreams(work({allocation(), launch({{0, 0}})})));
  EXPECT_EQ(fake::alive(), before_);
  fake::failAt("cuMemAllocAsync", 2, 2);  // CUDA_ERROR_OUT_OF_MEMORY
  const auto failed = backend_->runStreams(work({allocation(), launch({{0, 0}}), allocation(1)}));
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("operation 2: allocating 4096 bytes on stream 2"), std::string::npos)
      << failed.error().message;
  EXPECT_EQ(fake::alive(), before_);
}

TEST_F(CudaAllocations, ThatDoNotFitTogetherAreRefused) {
  const auto refused = [&](std::vector<EnqueuedOperation> operations, const char* why) {
    const auto possible = checkAllocations(work(std::move(operations)));
    ASSERT_FALSE(possible) << why;
    EXPECT_EQ(possible.error().kind, ErrorKind::kBadRequest);
    EXPECT_NE(possible.error().message.find(why), std::string::npos) << possible.error().message;
  };
  EXPECT_TRUE(checkAllocations(work({allocation(), launch({{0, 0}}), freeOf(0), launch({{0, 0}})})))
      << "that the last launch comes too late is for the checks to say";
  refused({allocation(), freeOf(0), freeOf(0)},
          "operation 2 (free): the memory of operation 0 is freed twice");
  refused({freeOf(0)}, "operation 0 (free): operation 0 is no allocation before it");
  refused({launch({}), freeOf(0)}, "operation 1 (free): operation 0 is no allocation before it");
  refused({launch({{0, 1}}), allocation()}, "operation 0 (launch): operation 1 is no allocation before it");
  refused({allocation(), launch({{1, 0}})}, "operation 1 (launch): parameter 1 is no address");
  refused({allocation(), launch({{2, 0}})}, "operation 1 (launch): parameter 2 is no address");
  refused({{.kind = OperationKind::kAllocate}}, "operation 0 (allocation): of 0 bytes");
}

}  // namespace
}  // namespace warpscope
