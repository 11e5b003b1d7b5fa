// Programmatic dependent launches of a real GPU: results in all variants, that a launch which is triggered
// early begins before the one before it has ended, and that no warp passes its wait before that.
#include <algorithm>
#include <map>

#include "kernels/metrics/streams.h"
#include "tests/device/device_fixture.h"

namespace warpscope::test {
namespace {

constexpr uint32_t kWait = 1, kLoad = 2;  // regions of the family's kernel

class GpuDependents : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    if (backend().description().limits.compute_capability < ComputeCapability{9, 0})
      GTEST_SKIP() << "programmatic dependent launches need compute capability 9.0";
  }
  static auto launches(const std::string& variant, ParameterValues parameters) {
    return runOnDevice(
        {.family = "dependent_launch", .variant = variant, .parameters = std::move(parameters)});
  }
  // Half of what fits on an H100 at once, for a long time.
  static ParameterValues halfOfTheGpu() { return {{"size", 1 << 17}, {"preamble", 4096}, {"work", 8192}}; }
};

TEST_F(GpuDependents, AreRightAtAnySize) {
  for (const VariantInfo& variant : findExperiment("dependent_launch").value()->info().variants) {
    for (const int64_t size : {1, 1000, 100'003, 1 << 20}) {
      for (const int64_t count : {2, 5}) {
        SCOPED_TRACE(fmt::format("{} {} {}", variant.name, size, count));
        const auto run = launches(variant.name, {{"size", size}, {"launches", count}});
        ASSERT_FALSE(HasFailure());
        EXPECT_TRUE(run.verification.passed) << run.verification.detail;
        for (size_t i = 1; i < run.streams->operations.size(); ++i)
          EXPECT_EQ(run.streams->operations[i].primary.has_value(), variant.name != "plain_order");
      }
    }
  }
}

TEST_F(GpuDependents, OverlapOnlyWhereTheyAreTriggeredEarly) {
  const auto overlap_ns = [](const warpscope::Run& run) {
    const auto& operations = run.streams->operations;
    return operations[0].end_ns - operations[1].begin_ns;
  };
  const auto plain = launches("plain_order", halfOfTheGpu()),
             early = launches("trigger_early", halfOfTheGpu());
  const auto late = launches("trigger_late", halfOfTheGpu()), none = launches("no_trigger", halfOfTheGpu());
  ASSERT_FALSE(HasFailure());
  EXPECT_LT(overlap_ns(plain), kAgree_ns);
  EXPECT_LT(overlap_ns(none), kAgree_ns);
  const StreamOperation& first = early.streams->operations[0];
  EXPECT_GT(overlap_ns(early), 0.5 * (first.end_ns - first.begin_ns));
  EXPECT_LT(overlap_ns(late), overlap_ns(early));
  // CUPTI's records slow down what they record, so the time of the whole is that without them.
  EXPECT_LT(early.timing.median_us, plain.timing.median_us);
}

TEST_F(GpuDependents, GoOnBehindTheirWaitWhenTheLaunchBeforeHasEnded) {
  const auto run = launches("trigger_early", halfOfTheGpu());
  ASSERT_FALSE(HasFailure());
  const double rate = run.trace.clocks.cycles_per_ns;
  ASSERT_GT(rate, 0);
  // The last store of the first launch's recorded warps, and when the second's come to the wait and go on.
  double last = 0, first_wait = 1e18, first_load = 1e18;
  for (const TraceWarp& warp : run.trace.warps) {
    const auto operation = run.streams->operationOf(warp.block);
    ASSERT_TRUE(operation);
    if (*operation == 0) last = std::max(last, static_cast<double>(warp.end_cycles) / rate);
    if (*operation == 0) continue;
    for (const TraceEvent& event : run.trace.eventsOf(warp)) {
      const double at = static_cast<double>(event.clock_cycles) / rate;
      if (event.region.value == kWait) first_wait = std::min(first_wait, at);
      if (event.region.value == kLoad) first_load = std::min(first_load, at);
    }
  }
  EXPECT_LT(first_wait, last) << "the preamble is over before";
  EXPECT_GT(first_load, last - kAgree_ns);
}

}  // namespace
}  // namespace warpscope::test
