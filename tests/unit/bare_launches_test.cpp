// Launches on streams that need not be modelled again: those that do what an earlier one did elsewhere in
// memory, and those of operations that run once more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/backend/modelling_backend.h"
#include "kernels/execute/parameter_bytes.h"
#include "kernels/sim/simulated_backend.h"
#include "kernels/sim/sm/profile.h"

namespace warpscope {
namespace {

constexpr uint32_t kBlock = 64, kBlocks = 600, kElements = kBlock * kBlocks;  // of a launch

// out[i] = the sum of i and in[i] ones, each added in its own round, for i from first on, below count.
constexpr const char* kPtx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry rounds(.param .u64 out, .param .u64 in, .param .u32 first, .param .u32 count) {
  .reg .pred %p<3>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
  ld.param.u32 %r1, [first];
  ld.param.u32 %r2, [count];
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %ctaid.x;
  mov.u32 %r5, %ntid.x;
  mad.lo.u32 %r6, %r4, %r5, %r3;
  setp.ge.u32 %p1, %r6, %r2;
  @%p1 bra done;
  add.u32 %r7, %r6, %r1;
  mul.wide.u32 %rd3, %r7, 4;
  add.u64 %rd4, %rd2, %rd3;
  ld.global.u32 %r8, [%rd4];
  mov.u32 %r9, 0;
again:
  add.u32 %r6, %r6, 1;
  add.u32 %r9, %r9, 1;
  setp.lt.u32 %p2, %r9, %r8;
  @%p2 bra again;
  add.u64 %rd5, %rd1, %rd3;
  st.global.u32 [%rd5], %r6;
done:
  ret;
}
)";

class BareLaunches : public testing::Test {
 protected:
  static constexpr uint32_t kLaunches = 5, kRounds = 40;

  BareLaunches() : model_(sim::openSimulatedBackend(sim::bundledProfiles().front().value()).value()) {
    kernel_ = model_->kernel({.name = "rounds", .ptx = kPtx}, "rounds").value();
    rounds_.assign(kLaunches * kElements, kRounds);
    in_ = model_->allocate(bytes()).value();
    out_ = model_->allocate(bytes()).value();
  }
  uint64_t bytes() const { return rounds_.size() * sizeof(uint32_t); }

  LaunchSpec launch(uint32_t first, uint32_t count = kElements) const {
    return {.kernel = kernel_,
            .grid = {kBlocks, 1, 1},
            .block = {kBlock, 1, 1},
            .parameters = {parameterBytes(out_), parameterBytes(in_), parameterBytes(first),
                           parameterBytes(count)}};
  }
  // One launch after another, on one stream.
  std::vector<LaunchSpec> oneAfterAnother() const {
    std::vector<LaunchSpec> launches;
    for (uint32_t i = 0; i < kLaunches; ++i) launches.push_back(launch(i * kElements));
    return launches;
  }

  ModelledStreamReport run(const std::vector<LaunchSpec>& launches, ModelledStreams how = {}) {
    EXPECT_TRUE(model_->upload(in_, std::as_bytes(std::span(rounds_))));
    EXPECT_TRUE(model_->fill(out_, 0, bytes()));
    how.plain = launches;
    return model_->runStreamsModelled(workOf(launches), how).value();
  }
  static StreamWork workOf(const std::vector<LaunchSpec>& launches) {
    StreamWork work{.streams = {{}}};
    for (const LaunchSpec& spec : launches) work.operations.push_back({.launch = spec});
    return work;
  }

  void expectOutputs() {
    std::vector<uint32_t> out(rounds_.size());
    EXPECT_TRUE(model_->download(std::as_writable_bytes(std::span(out)), out_));
    for (uint32_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], i % kElements + rounds_[i]) << i;
  }

  std::unique_ptr<ModellingBackend> model_;
  KernelHandle kernel_;
  std::vector<uint32_t> rounds_;  // by element
  DeviceAddress in_ = 0, out_ = 0;
};

double durationOf(const StreamReport& report, size_t operation) {
  return report.operations[operation].end_ns - report.operations[operation].begin_ns;
}

TEST_F(BareLaunches, StandForThoseThatDoTheSameElsewhere) {
  const std::vector<LaunchSpec> launches = oneAfterAnother();
  const ModelledStreamReport report = run(launches);
  EXPECT_TRUE(report.complete);
  EXPECT_FALSE(report.uneven);
  expectOutputs();
  EXPECT_NE(report.bare[1], report.bare[0]) << "the first one finds other caches than those that follow";
  for (uint32_t i = 2; i < kLaunches; ++i) EXPECT_EQ(report.bare[i], report.bare[1]) << i;

  const StreamReport all = model_->runStreams(workOf(launches)).value();
  for (uint32_t i = 0; i < kLaunches; ++i)
    EXPECT_NEAR(durationOf(report, i), durationOf(all, i), 0.05 * durationOf(all, i)) << i;
}

TEST_F(BareLaunches, StandForNoOthers) {
  std::vector<LaunchSpec> launches = oneAfterAnother();
  launches[2] = launch(2 * kElements, kElements - 1);  // does less
  launches[3] = launch(3 * kElements + 1);             // its accesses lie otherwise in lines
  launches[4].block.x /= 2;
  const ModelledStreamReport report = run(launches, {.outputs = false});
  for (uint32_t i = 1; i < kLaunches; ++i) {
    for (uint32_t before = 0; before < i; ++before) EXPECT_NE(report.bare[i], report.bare[before]) << i;
  }
}

// What a launch loads may make it work longer, which is seen when its blocks are executed.
TEST_F(BareLaunches, AreFoundNotToStandForThoseThatDoMore) {
  std::fill_n(rounds_.begin() + 3 * kElements, kElements, 2 * kRounds);
  const std::vector<LaunchSpec> launches = oneAfterAnother();
  const ModelledStreamReport first = run(launches, {.outputs = false});
  EXPECT_FALSE(first.complete);
  EXPECT_FALSE(first.uneven) << "nobody knows yet";
  const ModelledStreamReport report = run(launches, {.known = first.bare});
  EXPECT_TRUE(report.complete);
  EXPECT_TRUE(report.uneven);
  expectOutputs();
}

TEST_F(BareLaunches, AreKnownWhenTheSameOperationsRunAgain) {
  const std::vector<LaunchSpec> launches = oneAfterAnother();
  const ModelledStreamReport first = run(launches, {.outputs = false});
  const ModelledStreamReport again = run(launches, {.known = first.bare});
  EXPECT_TRUE(again.complete);
  EXPECT_FALSE(again.uneven);
  expectOutputs();
  for (uint32_t i = 0; i < kLaunches; ++i) EXPECT_EQ(durationOf(again, i), durationOf(first, i)) << i;
  EXPECT_EQ(again.total_ns, first.total_ns);
}

}  // namespace
}  // namespace warpscope
