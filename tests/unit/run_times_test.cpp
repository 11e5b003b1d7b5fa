// The times of a run: launch, kernel, overhead, with probes; on runs made by hand.
#include "kernels/metrics/run_times.h"

#include <gtest/gtest.h>

#include "kernels/metrics/metric.h"

namespace warpscope {
namespace {

// A launch of 4 µs without and 5 µs with probes, of whose trace 2 µs are the kernel: 3 µs are overhead.
warpscope::Run shortRun() {
  warpscope::Run run;
  run.grid = {64};
  run.block = {256};
  run.timing = {4, 3.9, 4.1, 20, 1};
  run.probe = {1.25, 5};
  run.trace.clocks.cycles_per_ns = 2;
  run.trace.duration_cycles = 4000;
  run.occupancy.blocks_per_sm = 8;
  run.device.limits.sm_count = 16;
  return run;
}

TEST(RunTimes, LaunchIsKernelAndOverhead) {
  const RunTimes times = timesOf(shortRun());
  EXPECT_DOUBLE_EQ(times.launch.value(), 4);
  EXPECT_DOUBLE_EQ(times.overhead.value(), 3);
  EXPECT_DOUBLE_EQ(times.kernel.value(), 1);
  EXPECT_DOUBLE_EQ(times.launch_with_probes.value(), 5);
  EXPECT_DOUBLE_EQ(times.kernel_with_probes.value(), 2);
  EXPECT_DOUBLE_EQ(times.overheadShare().value(), 0.75);
  const MetricValues values(shortRun());
  EXPECT_DOUBLE_EQ(values.value("time").value(), 4);
  EXPECT_DOUBLE_EQ(values.value("kernel_time").value(), 1);
  EXPECT_DOUBLE_EQ(values.value("launch_overhead").value(), 0.75);
}

TEST(RunTimes, AreUnknownWhereTheTwoLaunchesDoNotTellThem) {
  warpscope::Run run = shortRun();
  run.trace.clocks.cycles_per_ns = 0;
  EXPECT_FALSE(timesOf(run).kernel_with_probes.has_value());
  EXPECT_FALSE(timesOf(run).kernel.has_value());

  run = shortRun();
  run.timing.kernels = 2;
  EXPECT_FALSE(timesOf(run).overhead.has_value()) << "the launch includes a second kernel";
  EXPECT_DOUBLE_EQ(timesOf(run).kernel_with_probes.value(), 2);

  run = shortRun();
  run.trace.duration_cycles = 10'100;
  EXPECT_FALSE(timesOf(run).overhead.has_value()) << "the traced launch was slower than the timed ones";

  run = shortRun();
  run.timing.median_us = run.probe.probed_median_us = 100;
  EXPECT_FALSE(timesOf(run).overhead.has_value()) << "98 µs are more than launching takes";

  run = shortRun();
  run.probe.probed_median_us = 5.95;
  EXPECT_FALSE(timesOf(run).kernel.has_value()) << "0.05 µs would be left, where probes cost 1.95 µs";

  EXPECT_FALSE(timesOf(warpscope::Run{}).launch.has_value());
}

TEST(RunTimes, ASimulatedGpuKnowsItsKernelWhereTheTracedLaunchDoesNotTellIt) {
  warpscope::Run run = shortRun();
  run.counters = {{"gpu__time_duration.sum", 3250}};
  EXPECT_DOUBLE_EQ(timesOf(run).kernel.value(), 1) << "the trace tells";
  run.trace.duration_cycles = 10'100;
  EXPECT_FALSE(timesOf(run).kernel.has_value()) << "a real GPU's counters are of other launches";
  run.device.provenance = Provenance::kModelled;
  EXPECT_DOUBLE_EQ(timesOf(run).kernel.value(), 3.25);
  EXPECT_DOUBLE_EQ(timesOf(run).overhead.value(), 0.75);
  run.counters["gpu__time_duration.sum"] = 4100;
  EXPECT_FALSE(timesOf(run).kernel.has_value()) << "a kernel is not longer than its launch";
}

TEST(RunTimes, ALaunchMayGoOnAfterItsLastWarp) {
  EXPECT_FALSE(timesOf(shortRun()).after_last_warp.has_value());
  warpscope::Run run = shortRun();
  run.timing.median_us = run.probe.probed_median_us = 100;
  EXPECT_DOUBLE_EQ(timesOf(run).after_last_warp.value(), 98);
  run.trace.duration_cycles = 120'000;
  EXPECT_FALSE(timesOf(run).after_last_warp.has_value()) << "another launch may have been that much slower";
}

// 128 blocks fit at once, so twice the work costs nothing. Then the kernel must grow from 1 µs to 4.5 µs, for
// an overhead of 40 %.
TEST(RunTimes, WorkThatOutweighsTheOverhead) {
  EXPECT_DOUBLE_EQ(workToOutweighOverhead(shortRun()).value(), 2 * 4.5);
  warpscope::Run run = shortRun();
  run.grid = {1024};
  EXPECT_DOUBLE_EQ(workToOutweighOverhead(run).value(), 4.5);
  run.timing.median_us = 9;
  EXPECT_FALSE(workToOutweighOverhead(run).has_value()) << "3 of 9 µs are not most of it";
}

TEST(RunTimes, EachHasANameAndAHelp) {
  EXPECT_EQ(timeText(TimeOf::kLaunch).name, "launch");
  EXPECT_EQ(timeText(TimeOf::kKernel).name, "kernel");
  EXPECT_EQ(timeText(TimeOf::kOverhead).name, "launch overhead");
  EXPECT_EQ(timeText(TimeOf::kWithProbes).name, "with probes");
  for (const TimeText& time : kTimeTexts) EXPECT_TRUE(time.help.ends_with('.')) << time.name;
}

}  // namespace
}  // namespace warpscope
