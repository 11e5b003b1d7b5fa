// Managed memory of a real GPU: results in all variants, operations in order, and that pages which are there
// in time let launches begin their work at once.
#include <algorithm>

#include "tests/device/device_fixture.h"

namespace warpscope::test {
namespace {

class GpuManaged : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    if (!backend().description().limits.concurrent_managed_access)
      GTEST_SKIP() << "this GPU has no managed memory that the host and the GPU can use at the same time";
  }
  static auto passes(const std::string& variant, ParameterValues parameters) {
    return runOnDevice({.family = "unified_memory", .variant = variant, .parameters = std::move(parameters)});
  }
  static double lasts(const warpscope::Run& run, OperationKind kind, size_t which = 0) {
    for (const StreamOperation& operation : run.streams->operations) {
      if (operation.kind == kind && which-- == 0) return operation.end_ns - operation.begin_ns;
    }
    return 0;
  }
};

// Each after the others, on the same memory: no advice and no page of one run is left to the next.
TEST_F(GpuManaged, IsRightAndInOrderInEachVariant) {
  for (int round = 0; round < 2; ++round) {
    for (const VariantInfo& variant : findExperiment("unified_memory").value()->info().variants) {
      for (const int64_t size : {1, 16'384, 100'003, 1 << 22}) {
        SCOPED_TRACE(fmt::format("{} {}", variant.name, size));
        const auto run = passes(variant.name, {{"size", size}, {"passes", 3}});
        ASSERT_FALSE(HasFailure());
        EXPECT_TRUE(run.verification.passed) << run.verification.detail;
        ASSERT_TRUE(run.streams);
        const StreamLog& log = *run.streams;
        // What events have timed is passed later than it ends.
        constexpr double kEventDelay_ns = 12'000;
        for (const StreamOperation& operation : log.operations) {
          EXPECT_GE(operation.end_ns, operation.begin_ns);
          for (const uint32_t before : operation.after) {
            EXPECT_GE(operation.begin_ns, log.operations[before].end_ns - log.timing.uncertainty_ns -
                                              log.timing.host_uncertainty_ns - kEventDelay_ns);
          }
        }
      }
    }
  }
}

TEST_F(GpuManaged, IsWaitedForByTheFirstLaunchOnDemandOnly) {
  const ParameterValues large{{"size", 1 << 22}, {"passes", 3}};
  const auto on_demand = passes("on_demand", large), prefetched = passes("prefetched", large),
             advised = passes("advised", large), copies = passes("explicit_copies", large);
  ASSERT_FALSE(HasFailure());
  constexpr auto kLaunch = OperationKind::kLaunch;
  EXPECT_GT(lasts(on_demand, kLaunch), 10 * lasts(on_demand, kLaunch, 2));
  EXPECT_GT(lasts(on_demand, kLaunch), 10 * lasts(prefetched, kLaunch));
  EXPECT_LT(lasts(prefetched, kLaunch), 2 * lasts(copies, kLaunch));
  // Each pass of the advised one goes over the link.
  EXPECT_GT(lasts(advised, kLaunch, 2), 3 * lasts(prefetched, kLaunch, 2));
  EXPECT_GT(lasts(prefetched, OperationKind::kPrefetchToDevice), lasts(prefetched, kLaunch));
  EXPECT_LT(prefetched.timing.median_us, on_demand.timing.median_us);
  for (const auto* run : {&on_demand, &prefetched, &advised, &copies}) {
    for (const PredictionResult& each : predictionResults(*run)) {
      if (each.measured) {
        EXPECT_TRUE(each.fulfilled()) << run->request.variant << ": " << each.label << " " << *each.measured;
      }
    }
  }
}

TEST_F(GpuManaged, IsNoMoreThanAQuarterOfTheFreeMemory) {
  const uint64_t quarter = backend().memory().value().free_bytes / 4;
  const auto size = static_cast<int64_t>(quarter / sizeof(uint32_t)) + (1 << 20);
  const int64_t most = int64_t{1} << 28;
  if (size > most) GTEST_SKIP() << "a quarter of the free memory is more than the family offers";
  Executor executor(backend());
  const auto refused = executor.run(
      {.family = "unified_memory", .variant = "on_demand", .parameters = {{"size", size}}}, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("at most a quarter"), std::string::npos) << refused.error().message;
}

}  // namespace
}  // namespace warpscope::test
