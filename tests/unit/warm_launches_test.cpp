// What a launch finds in L2 that has been made before, where its buffers are larger than L2.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "kernels/backend/modelling_backend.h"
#include "kernels/execute/parameter_bytes.h"
#include "kernels/sim/simulated_backend.h"
#include "kernels/sim/sm/profile.h"
#include "tests/support/thread_kernel.h"

namespace warpscope {
namespace {

constexpr uint32_t kThreads = 256, kWordBytes = 4;
constexpr uint64_t kBufferBytes = 54 << 20;

// Adds one to each thread's word of the buffer.
std::string addsOne() {
  return test::threadKernel("ld.global.u32 %r5, [%rd2]; add.u32 %r5, %r5, 1; st.global.u32 [%rd2], %r5;",
                            kWordBytes);
}

struct Made {
  ModelledReport report;
  std::vector<uint32_t> words;  // afterwards
};

// A warm launch that uses the first `bytes` of the buffer.
Made launchThatUses(uint64_t bytes) {
  auto model = sim::openSimulatedBackend(sim::bundledProfiles().front().value()).value();
  const KernelHandle kernel = model->kernel({.name = "k", .ptx = addsOne()}, "k").value();
  const DeviceAddress buffer = model->allocate(kBufferBytes).value();
  EXPECT_TRUE(model->fill(buffer, 0, kBufferBytes));
  const auto blocks = static_cast<uint32_t>(bytes / (kThreads * kWordBytes));
  const LaunchSpec spec{.kernel = kernel,
                        .grid = {blocks, 1, 1},
                        .block = {kThreads, 1, 1},
                        .parameters = {parameterBytes(buffer)}};
  Made made;
  made.report = model->launchModelled(spec, {.caches = ModelledLaunch::Caches::kWarm}).value();
  made.words.resize(kBufferBytes / sizeof(uint32_t));
  EXPECT_TRUE(model->download(std::as_writable_bytes(std::span(made.words)), buffer));
  return made;
}

TEST(WarmLaunches, FindThePartOfALargeBufferThatTheyUse) {
  constexpr uint64_t kUsed = 4 << 20;
  const Made made = launchThatUses(kUsed);
  EXPECT_EQ(made.report.counters.at("dram__bytes_read.sum"), 0);
  const auto end_of_used = made.words.begin() + kUsed / sizeof(uint32_t);
  EXPECT_EQ(std::count(made.words.begin(), end_of_used, 1U), kUsed / sizeof(uint32_t))
      << "the launch before, which only shows what is used, has left nothing";
  EXPECT_EQ(std::count(end_of_used, made.words.end(), 0U),
            static_cast<ptrdiff_t>((kBufferBytes - kUsed) / sizeof(uint32_t)));
}

TEST(WarmLaunches, FetchALargeBufferThatTheyUseAllOf) {
  const Made made = launchThatUses(kBufferBytes);
  EXPECT_NEAR(made.report.counters.at("dram__bytes_read.sum"), kBufferBytes, 0.02 * kBufferBytes);
  EXPECT_EQ(std::count(made.words.begin(), made.words.end(), 1U), made.words.size());
}

}  // namespace
}  // namespace warpscope
