// Graphs on a real GPU: results, order, that each node's warps are within it, and that a graph ends sooner
// than its launches one by one.
#include <algorithm>
#include <map>
#include <set>

#include "kernels/backend/stream_graphs.h"
#include "kernels/metrics/streams.h"
#include "tests/device/device_fixture.h"
#include "tests/support/plan_runner.h"

namespace warpscope::test {
namespace {

class GpuGraphs : public DeviceTest {
 protected:
  static auto runGraphs(const std::string& variant, ParameterValues parameters) {
    return runOnDevice({.family = "graphs", .variant = variant, .parameters = std::move(parameters)});
  }
};

TEST_F(GpuGraphs, OfTheFamilyAreRightAndInOrder) {
  for (const char* variant : {"one_by_one", "captured", "explicit"}) {
    for (const int64_t shape : {0, 1}) {
      SCOPED_TRACE(fmt::format("{} {}", variant, shape));
      const auto run = runGraphs(variant, {{"shape", shape}, {"nodes", 18}});
      ASSERT_FALSE(HasFailure());
      EXPECT_TRUE(run.verification.passed) << run.verification.detail;
      ASSERT_TRUE(run.streams);
      const StreamLog& log = *run.streams;
      // Where the marks tell when a node ran, its begin and end are those of warps.
      EXPECT_TRUE(log.timing.clock == StreamClock::kEvents || log.timing.problem.empty())
          << log.timing.problem;
      for (const StreamOperation& operation : log.operations) {
        EXPECT_GE(operation.end_ns, operation.begin_ns);
        for (const uint32_t before : operation.after)
          EXPECT_GE(operation.begin_ns, log.operations[before].end_ns - log.timing.uncertainty_ns);
      }
      for (const PredictionResult& each : predictionResults(run)) {
        if (each.label == "Calls of the host that launch") {
          EXPECT_TRUE(each.fulfilled());
        }
      }
      for (const StreamGraph& graph : log.graphs) EXPECT_GT(graph.make_ns, 0);
    }
  }
}

// Whichever way CUPTI's records were matched to nodes: the marks of a node's warps are its own.
TEST_F(GpuGraphs, HaveTheWarpsOfEachNodeWithinIt) {
  for (const char* variant : {"captured", "explicit"}) {
    SCOPED_TRACE(variant);
    const auto run = runGraphs(variant, {{"shape", 1}, {"nodes", 18}});
    ASSERT_FALSE(HasFailure());
    const double rate = run.trace.clocks.cycles_per_ns;
    ASSERT_GT(rate, 0);
    std::map<uint32_t, size_t> warps;  // by operation
    for (const TraceWarp& warp : run.trace.warps) {
      const auto operation = run.streams->operationOf(warp.block);
      ASSERT_TRUE(operation);
      ++warps[*operation];
      const StreamOperation& of = run.streams->operations[*operation];
      EXPECT_GE(static_cast<double>(warp.begin_cycles) / rate, of.begin_ns - kAgree_ns) << *operation;
      EXPECT_LE(static_cast<double>(warp.end_cycles) / rate, of.end_ns + kAgree_ns) << *operation;
    }
    EXPECT_EQ(warps.size(), 18U);
  }
}

// By the marks of their warps, whatever CUPTI records of conditional nodes.
TEST_F(GpuGraphs, ExecuteTheStepsThatKernelsAskFor) {
  const DeviceLimits& limits = backend().description().limits;
  if (!limits.conditional_nodes || !limits.device_runtime)
    GTEST_SKIP() << "the driver has no conditional nodes, or libcudadevrt.a was not found";
  for (const int64_t needed : {1, 5, 16}) {
    SCOPED_TRACE(needed);
    const auto run = runGraphs("conditional", {{"nodes", 16}, {"needed", needed}});
    ASSERT_FALSE(HasFailure());
    EXPECT_TRUE(run.verification.passed) << run.verification.detail;
    ASSERT_TRUE(run.streams);
    const StreamLog& log = *run.streams;
    std::set<uint32_t> with_warps;
    for (const TraceWarp& warp : run.trace.warps) with_warps.insert(log.operationOf(warp.block).value());
    for (uint32_t i = 0; i < log.operations.size(); ++i) {
      const StreamOperation& operation = log.operations[i];
      EXPECT_EQ(operation.skipped, i >= needed) << i;
      EXPECT_EQ(with_warps.contains(i), i < needed) << i;
      EXPECT_GE(operation.end_ns, operation.begin_ns) << i;
      for (const uint32_t before : operation.after)
        EXPECT_GE(operation.begin_ns, log.operations[before].end_ns - kAgree_ns) << i;
    }
    for (const TraceWarp& warp : run.trace.warps) {
      const StreamOperation& of = log.operations[*log.operationOf(warp.block)];
      const double rate = run.trace.clocks.cycles_per_ns;
      EXPECT_GE(static_cast<double>(warp.begin_cycles) / rate, of.begin_ns - kAgree_ns) << of.name;
      EXPECT_LE(static_cast<double>(warp.end_cycles) / rate, of.end_ns + kAgree_ns) << of.name;
    }
    for (const PredictionResult& each : predictionResults(run)) {
      if (each.label == "Launches skipped") {
        EXPECT_TRUE(each.fulfilled());
      }
    }
    std::printf("%s needed %d: clock %s, problem '%s'\n", "graphs conditional", static_cast<int>(needed),
                streamClockName(log.timing.clock), log.timing.problem.c_str());
  }
}

TEST_F(GpuGraphs, EndSoonerTheMoreStepsAreSkipped) {
  const DeviceLimits& limits = backend().description().limits;
  if (!limits.conditional_nodes || !limits.device_runtime)
    GTEST_SKIP() << "the driver has no conditional nodes, or libcudadevrt.a was not found";
  const auto few = runGraphs("conditional", {{"nodes", 64}, {"needed", 4}, {"size", 1024}}),
             all = runGraphs("conditional", {{"nodes", 64}, {"needed", 64}, {"size", 1024}});
  ASSERT_FALSE(HasFailure());
  EXPECT_LT(few.timing.median_us, all.timing.median_us);
}

TEST_F(GpuGraphs, EndSoonerThanLaunchesOneByOne) {
  const ParameterValues small{{"nodes", 64}, {"size", 1024}};
  const auto one = runGraphs("one_by_one", small), captured = runGraphs("captured", small),
             built = runGraphs("explicit", small);
  ASSERT_FALSE(HasFailure());
  EXPECT_LT(captured.timing.median_us, one.timing.median_us);
  EXPECT_LT(built.timing.median_us, one.timing.median_us);
}

}  // namespace
}  // namespace warpscope::test
