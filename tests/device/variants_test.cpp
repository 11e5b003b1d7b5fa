// Every variant x every block size x awkward data sizes, through the executor: results are right (unless the
// variant is broken on purpose), traces are sound, and resources are what the driver says.
#include <set>

#include "tests/device/device_fixture.h"
#include "tests/support/launch_sweep.h"

namespace warpscope::test {
namespace {

class EveryVariant : public DeviceTest, public testing::WithParamInterface<FamilyVariant> {};
INSTANTIATE_TEST_SUITE_P(Device, EveryVariant, testing::ValuesIn(allVariants()), testName);

void expectSoundTrace(const Run& run) {
  const Trace& trace = run.trace;
  ASSERT_FALSE(trace.warps.empty());
  EXPECT_EQ(trace.dropped_events, 0U);
  std::set<uint32_t> known = {kExitRegion.value};
  for (const Region& region : run.regions) known.insert(region.id.value);
  for (const TraceWarp& warp : trace.warps) {
    EXPECT_LT(warp.block.value, run.grid.count());
    EXPECT_EQ(warp.live.bits, liveLanes(run.block, warp.warp_in_block));
    EXPECT_LE(warp.begin_cycles, warp.end_cycles);
    LaneMask left;
    for (const TraceEvent& event : trace.eventsOf(warp)) {
      EXPECT_TRUE(known.contains(event.region.value)) << event.region.value;
      EXPECT_GE(event.clock_cycles + trace.clock_quantum_cycles, warp.begin_cycles);
      EXPECT_LE(event.clock_cycles, warp.end_cycles);
      EXPECT_TRUE((event.mask & left).empty()) << "lanes act that had left";
      if (event.region == kExitRegion) left = left | event.mask;
    }
    EXPECT_EQ(left.bits, warp.live.bits) << "not all lanes were seen leaving";
  }
}

TEST_P(EveryVariant, IsRightAtEveryBlockSizeAndAwkwardSize) {
  const auto& [family, variant] = GetParam();
  for (const ParameterValues& values : allBlocks(GetParam(), awkwardSizes())) {
    SCOPED_TRACE(launchName(values));
    RunRequest request{.family = family, .variant = variant, .parameters = values};
    request.repeats = 1;
    request.warm_ups = 0;
    request.sampling.max_warps = 4096;  // enough for all that two SMs run
    const auto result = runOnDevice(request);
    ASSERT_FALSE(HasFailure());
    EXPECT_TRUE(result.verification.passed || plantedIn(GetParam())) << result.verification.detail;
    EXPECT_GE(result.verification.checked, 1U);
    EXPECT_EQ(result.trace.unrecorded_warps, 0U);
    expectSoundTrace(result);
    if (HasFailure()) return;
  }
}

TEST_P(EveryVariant, HasTheResourcesAndOccupancyThatTheDriverSays) {
  const auto& [family, variant] = GetParam();
  const Experiment& experiment = *findExperiment(family).value();
  for (const ParameterValues& values : allBlocks(GetParam(), {4096})) {
    SCOPED_TRACE(launchName(values));
    RunRequest request{.family = family, .variant = variant, .parameters = values};
    request.repeats = 1;
    request.warm_ups = 0;
    const auto result = runOnDevice(request);
    ASSERT_FALSE(HasFailure());
    const auto plan = experiment.plan(result.request, backend().description().limits).value();
    const ModuleImage module = findModule(plan.module).value();
    const auto kernel = backend().kernel(module, findEntry(module, plan.kernel, ProbeKind::kBare).value());
    ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
    const auto resources = backend().resources(*kernel, plan.dynamic_shared_bytes).value();
    EXPECT_EQ(result.resources.registers_per_thread, resources.registers_per_thread);
    EXPECT_EQ(resources.local_bytes_per_thread, 0U) << "the bare kernel spills";
    const auto threads = static_cast<uint32_t>(plan.block.count());
    const auto blocks = backend().maxActiveBlocksPerSm(*kernel, threads, plan.dynamic_shared_bytes);
    EXPECT_EQ(result.occupancy.blocks_per_sm, blocks.value());
  }
}

}  // namespace
}  // namespace warpscope::test
