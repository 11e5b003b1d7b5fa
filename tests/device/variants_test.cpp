// Runs every variant x every block size x awkward data sizes through the executor: results are right (unless
// the variant is broken on purpose), traces are sound, and resources agree with the driver. A simulated GPU
// runs a third of the combinations (allBlocks()).
#include <cstdio>
#include <set>

#include "kernels/occupancy/occupancy.h"
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

// The bare kernel's registers and its blocks per SM.
void expectDriversResources(const Run& run, Backend& backend) {
  const auto plan =
      findExperiment(run.request.family).value()->plan(run.request, backend.description().limits).value();
  const ModuleImage module = findModule(plan.module).value();
  const auto kernel = backend.kernel(module, findEntry(module, plan.kernel, ProbeKind::kBare).value());
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  const auto resources = backend.resources(*kernel, plan.dynamic_shared_bytes).value();
  EXPECT_EQ(run.resources.registers_per_thread, resources.registers_per_thread);
  EXPECT_EQ(resources.local_bytes_per_thread, 0U) << "the bare kernel spills";
  const auto threads = static_cast<uint32_t>(plan.block.count());
  const auto blocks = backend.maxActiveBlocksPerSm(*kernel, threads, plan.dynamic_shared_bytes);
  EXPECT_EQ(run.occupancy.blocks_per_sm, blocks.value());
}

TEST_P(EveryVariant, IsRightAtEveryBlockSizeAndAwkwardSize) {
  const auto& [family, variant] = GetParam();
  for (const ParameterValues& values : allBlocks(GetParam(), awkwardSizes())) {
    SCOPED_TRACE(launchName(values));
    RunRequest request{.family = family, .variant = variant, .parameters = values};
    request.repeats = 1;
    request.warm_ups = 0;
    request.sampling.max_warps = 16384;  // enough for all that two SMs run, however unevenly
    const auto result = runOnDevice(request);
    ASSERT_FALSE(HasFailure());
    EXPECT_TRUE(result.verification.passed || plantedIn(GetParam())) << result.verification.detail;
    EXPECT_GE(result.verification.checked, 1U);
    EXPECT_EQ(result.trace.unrecorded_warps, 0U);
    expectSoundTrace(result);
    expectDriversResources(result, backend());
    if (HasFailure()) return;
  }
}

// The compiled kernel, in every block size, with different amounts of dynamic shared memory.
class DriverOccupancy : public EveryVariant {
 protected:
  static void TearDownTestSuite() {
    if (compared > 0) std::printf("%zu launches compared with the driver's occupancy\n", compared);
  }
  static size_t compared;
};
size_t DriverOccupancy::compared = 0;
INSTANTIATE_TEST_SUITE_P(Device, DriverOccupancy, testing::ValuesIn(allVariants()), testName);

TEST_P(DriverOccupancy, IsThatOfTheFormulaForEveryBlockAndSharedSize) {
  if (isSimulated()) GTEST_SKIP() << "the simulated GPU answers with the same formula";
  const auto& [family, variant] = GetParam();
  const Experiment& experiment = *findExperiment(family).value();
  const DeviceLimits& limits = backend().description().limits;
  const RunRequest request =
      completeRequest(experiment.info(), {.family = family, .variant = variant}).value();
  const auto plan = experiment.plan(request, limits);
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  const ModuleImage module = findModule(plan->module).value();
  for (const ProbeKind probe : {ProbeKind::kBare, ProbeKind::kProbed}) {
    const auto kernel = backend().kernel(module, findEntry(module, plan->kernel, probe).value());
    ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
    for (const uint32_t shared : {0U, 1U, 1024U, 5000U, 16'384U, 33'000U, 48U * 1024, 64'000U, 100U * 1024,
                                  limits.shared_bytes_per_block_opt_in}) {
      const KernelResources resources = backend().resources(*kernel, shared).value();
      if (resources.static_shared_bytes + shared > limits.shared_bytes_per_block_opt_in) continue;
      for (uint32_t threads = 16; threads <= limits.max_threads_per_block; threads += 16) {
        const uint32_t ours = theoreticalOccupancy(limits, resources, threads).blocks_per_sm;
        const auto drivers = backend().maxActiveBlocksPerSm(*kernel, threads, shared);
        ASSERT_TRUE(drivers.has_value()) << drivers.error().message;
        EXPECT_EQ(ours, *drivers) << threads << " threads, " << shared << " B of shared memory, "
                                  << resources.registers_per_thread << " registers";
        ++compared;
      }
    }
  }
}

}  // namespace
}  // namespace warpscope::test
