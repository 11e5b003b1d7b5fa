// Two real GPUs: results, order, that the warps of each are within its launches on one axis, and what the
// link between them moves. Skipped, with the reason, where there is one.
#include <algorithm>
#include <map>

#include "kernels/metrics/streams.h"
#include "tests/device/device_fixture.h"

namespace warpscope::test {
namespace {

class GpuTwo : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    if (backend().description().limits.gpus < 2)
      GTEST_SKIP() << "there is no second " << backend().description().name << " on this machine";
  }
  static warpscope::Run run(const std::string& variant, ParameterValues parameters) {
    return runOnDevice({.family = "several_gpus", .variant = variant, .parameters = std::move(parameters)});
  }
  static const StreamOperation* find(const warpscope::Run& run, OperationKind kind, uint32_t gpu) {
    const auto& all = run.streams->operations;
    const auto found = std::ranges::find_if(
        all, [&](const StreamOperation& each) { return each.kind == kind && each.gpu == gpu; });
    return found == all.end() ? nullptr : &*found;
  }
  static double lasts(const StreamOperation& operation) { return operation.end_ns - operation.begin_ns; }
};

TEST_F(GpuTwo, AreRightAndInOrder) {
  for (const char* variant : {"one_gpu", "two_gpus", "peer_copies", "peer_loads"}) {
    for (const int64_t size : {1 << 22, 1001, 2, 1}) {
      SCOPED_TRACE(fmt::format("{} {}", variant, size));
      const auto of = run(variant, {{"size", size}});
      ASSERT_FALSE(HasFailure());
      EXPECT_TRUE(of.verification.passed) << of.verification.detail;
      ASSERT_TRUE(of.streams);
      const StreamLog& log = *of.streams;
      if (log.gpus() > 1) {
        EXPECT_GT(log.timing.gpu_uncertainty_ns, 0);
        EXPECT_LT(log.timing.gpu_uncertainty_ns, 2 * kAgree_ns);
      }
      const double doubt_ns = log.timing.uncertainty_ns + log.timing.gpu_uncertainty_ns;
      for (const StreamOperation& operation : log.operations) {
        EXPECT_GE(operation.end_ns, operation.begin_ns);
        for (const uint32_t before : operation.after)
          EXPECT_GE(operation.begin_ns, log.operations[before].end_ns - doubt_ns);
      }
    }
  }
}

TEST_F(GpuTwo, HaveTheWarpsOfEachWithinItsLaunch) {
  const auto two = run("two_gpus", {{"size", 1 << 22}});
  ASSERT_FALSE(HasFailure());
  const double rate = two.trace.clocks.cycles_per_ns;
  ASSERT_GT(rate, 0);
  std::map<uint32_t, size_t> warps;  // by GPU
  for (const TraceWarp& warp : two.trace.warps) {
    const auto operation = two.streams->operationOf(warp.block);
    ASSERT_TRUE(operation);
    const StreamOperation& of = two.streams->operations[*operation];
    EXPECT_EQ(smPlace(two.device.limits, warp.sm).gpu, of.gpu);
    ++warps[of.gpu];
    EXPECT_GE(static_cast<double>(warp.begin_cycles) / rate, of.begin_ns - kAgree_ns);
    EXPECT_LE(static_cast<double>(warp.end_cycles) / rate, of.end_ns + kAgree_ns);
  }
  EXPECT_EQ(warps.size(), 2U);
}

TEST_F(GpuTwo, AreFasterThanOne) {
  const ParameterValues large{{"size", 1 << 24}};
  const auto one = run("one_gpu", large), two = run("two_gpus", large);
  ASSERT_FALSE(HasFailure());
  EXPECT_LT(two.timing.median_us, 0.8 * one.timing.median_us);
}

// NVLink 4 has 450 GB/s each way, PCIe 5.0 x16 63; a copy through the host is slower than either.
TEST_F(GpuTwo, CopyAtAPlausibleRate) {
  const auto copies = run("peer_copies", {{"size", 1 << 26}});
  ASSERT_FALSE(HasFailure());
  const StreamOperation* copy = find(copies, OperationKind::kPeerCopy, 1);
  ASSERT_NE(copy, nullptr);
  const double rate = static_cast<double>(copy->bytes) / lasts(*copy);
  EXPECT_GT(rate, 5);
  EXPECT_LT(rate, 900);
  RecordProperty("peer_copy_bytes_per_ns", fmt::format("{:.1f}", rate));
}

TEST_F(GpuTwo, LoadOverTheLinkOnlyWithPeerAccess) {
  const ParameterValues parameters{{"size", 1 << 24}, {"work", 1}};
  const auto loads = run("peer_loads", parameters), copies = run("peer_copies", parameters);
  ASSERT_FALSE(HasFailure());
  const bool access = loads.device.limits.peer_access;
  EXPECT_EQ(find(loads, OperationKind::kPeerCopy, 1) == nullptr, access);
  if (!access) return;
  const StreamOperation *far = find(loads, OperationKind::kLaunch, 1),
                        *near = find(copies, OperationKind::kLaunch, 1);
  ASSERT_TRUE(far != nullptr && near != nullptr);
  EXPECT_GT(lasts(*far), lasts(*near)) << "the link is slower than its own memory";
}

}  // namespace
}  // namespace warpscope::test
