// The time of a launch on a few SMs, with the part of L2 that falls to them, beside that on all of them.
#include <gtest/gtest.h>

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

constexpr uint32_t kBlock = 256, kBlocks = 132 * 16, kBytesOfThread = 16;

struct Launches {
  ModelledReport all, few;
};

Launches launchesOf(const std::string& body, ModelledLaunch::Caches caches) {
  auto model = sim::openSimulatedBackend(sim::bundledProfiles().front().value()).value();
  const KernelHandle kernel =
      model->kernel({.name = "k", .ptx = test::threadKernel(body, kBytesOfThread)}, "k").value();
  const uint64_t bytes = uint64_t{kBlocks} * kBlock * kBytesOfThread;
  const DeviceAddress buffer = model->allocate(bytes).value();
  EXPECT_TRUE(model->fill(buffer, 0, bytes));
  const LaunchSpec spec{.kernel = kernel,
                        .grid = {kBlocks, 1, 1},
                        .block = {kBlock, 1, 1},
                        .parameters = {parameterBytes(buffer)}};
  const auto launch = [&](uint32_t sms) {
    return model->launchModelled(spec, {.caches = caches, .sampled_sms = sms, .outputs = false}).value();
  };
  EXPECT_GT(model->sampledSms(spec, 0), 0U);
  return {launch(0), launch(model->sampledSms(spec, 0))};
}

struct Times {
  double all = 0, few = 0;
};

Times cyclesOf(const std::string& body) {
  const Launches launches = launchesOf(body, ModelledLaunch::Caches::kWarm);
  return {static_cast<double>(launches.all.cycles), static_cast<double>(launches.few.cycles)};
}

// A warp's four lines are in one slice. What the other SMs load is in other slices.
TEST(FewSms, TakeAsLongAsAllWhereThreadsLoadFourWords) {
  const Times times = cyclesOf(
      "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2];\n"
      "add.f32 %f1, %f1, %f2; add.f32 %f3, %f3, %f4; add.f32 %f1, %f1, %f3; st.global.f32 [%rd2], %f1;");
  EXPECT_NEAR(times.few, times.all, 0.05 * times.all);
}

TEST(FewSms, TakeAsLongAsAllWhereLinesAreFarApart) {
  const Times times = cyclesOf(
      "mul.lo.u32 %r5, %r4, 739982445; shr.u32 %r6, %r5, 15; xor.b32 %r5, %r5, %r6;\n"
      "mul.lo.u32 %r5, %r5, 695872825; shr.u32 %r5, %r5, 14; mul.wide.u32 %rd3, %r5, 16;\n"
      "add.u64 %rd3, %rd1, %rd3; ld.global.f32 %f1, [%rd3]; st.global.f32 [%rd2], %f1;");
  EXPECT_NEAR(times.few, times.all, 0.05 * times.all);
}

// The slice of a word serves the requests of all SMs one after another.
TEST(FewSms, TakeAsLongAsAllWhereAllStoreToOneWord) {
  const Times times = cyclesOf("st.global.u32 [%rd1], %r1;");
  EXPECT_NEAR(times.few, times.all, 0.05 * times.all);
}

TEST(FewSms, TakeAsLongAsAllWhereAllReadOneWordFromL2) {
  const Times times = cyclesOf("ld.global.cg.u32 %r5, [%rd1]; st.global.u32 [%rd2], %r5;");
  EXPECT_NEAR(times.few, times.all, 0.1 * times.all);
}

// A sector that one SM has fetched from DRAM is in L2 for the others.
TEST(FewSms, ReadATableOfAllFromDramOnce) {
  const Launches launches = launchesOf(
      "mul.wide.u32 %rd3, %r1, 32; add.u64 %rd3, %rd1, %rd3;\n"
      "ld.global.u32 %r5, [%rd3]; st.global.u32 [%rd2], %r5;",
      ModelledLaunch::Caches::kCold);
  const auto bytes = [](const ModelledReport& report) { return report.counters.at("dram__bytes_read.sum"); };
  EXPECT_EQ(bytes(launches.all), kBlock * 32);
  EXPECT_NEAR(bytes(launches.few), bytes(launches.all), 0.1 * bytes(launches.all));
}

// The warps of a block store neighbouring words of 32 rows, as a naive transpose does: what waits for the way
// to L2 leaves it store by store. An H100 writes as many sectors as words (transpose naive_row in
// tests/golden/ncu_h100.csv).
TEST(FewSms, StoreNeighbouringWordsOfRowsOneByOne) {
  const Launches launches = launchesOf(
      "and.b32 %r5, %r4, 31; mul.lo.u32 %r5, %r5, 16896; shr.u32 %r6, %r4, 5; add.u32 %r5, %r5, %r6;\n"
      "mul.wide.u32 %rd3, %r5, 4; add.u64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], %r4;",
      ModelledLaunch::Caches::kWarm);
  constexpr double kWords = double{kBlocks} * kBlock;
  EXPECT_GT(launches.all.counters.at("lts__t_sectors_op_write.sum"), 0.8 * kWords);
  EXPECT_GT(launches.few.counters.at("lts__t_sectors_op_write.sum"), 0.8 * kWords);
}

}  // namespace
}  // namespace warpscope
