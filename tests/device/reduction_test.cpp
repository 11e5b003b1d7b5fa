// Compares the simulated GPU's traces and counters with the exact theory of the reductions: which warps
// diverge in which step, how often blocks and warps wait, how much is loaded, and that a launch leaves
// nothing that disturbs the next one.
#include <numeric>

#include "kernels/device/device.h"
#include "kernels/experiments/reduction/regions.h"
#include "kernels/metrics/metrics.h"
#include "tests/device/device_fixture.h"
#include "tests/support/plan_runner.h"

namespace warpscope::test {
namespace {

using namespace reduction;

using Reductions = DeviceTest;

constexpr int64_t kFloats = 1;  // value of the parameter `type`
constexpr int64_t kCopies = 1;  // value of the parameter `input`

std::vector<uint32_t> divergentWarps(const Run& run, uint32_t block) {
  return divergentWarpsPerStep(run.trace, BlockId{block}, RegionId{kStep}, RegionId{kAdd});
}

TEST_F(Reductions, DivergeStepByStepAsTheirIndicesSay) {
  const auto expect = [](const char* variant, const std::vector<uint32_t>& steps) {
    const auto run = runRecorded("reduction", variant, {{"size", 1 << 14}, {"block", 512}});
    for (uint32_t block = 0; block < run.grid.count(); ++block) {
      ASSERT_EQ(divergentWarps(run, block), steps) << variant << " block " << block;
    }
  };
  expect("neighbored", {16, 16, 16, 16, 16, 8, 4, 2, 1});
  for (const char* packed :
       {"neighbored_less", "interleaved", "unroll2", "unroll4", "unroll8", "shared", "shared_first_add"}) {
    expect(packed, {0, 0, 0, 0, 1, 1, 1, 1, 1});
  }
  // Down to 32 elements whole warps work or idle.
  for (const char* tail : {"syncwarp", "shuffle", "cooperative_groups"}) expect(tail, {0, 0, 0, 0});
  for (const char* tail : {"unroll_warps8", "complete_unroll_warps8", "complete_unroll_template"}) {
    expect(tail, {0, 0, 0});
  }
}

// (1/2 + 1/4 + ... + 1/128) / 7
TEST_F(Reductions, ATreeOf128UsesASeventhOfItsThreads) {
  for (const char* variant : {"neighbored", "neighbored_less", "interleaved", "shared"}) {
    const auto run = runRecorded("reduction", variant, {{"size", 1 << 13}, {"block", 128}});
    uint64_t adding = 0;
    for (const TraceWarp& warp : run.trace.warps) {
      forEachSpan(run.trace, warp, [&](const Span& span) {
        if (span.region.value == kAdd) adding += static_cast<uint64_t>(span.mask.count());
      });
    }
    EXPECT_EQ(adding, 127 * run.grid.count()) << variant;
    const double use = static_cast<double>(adding) / (128.0 * 7 * static_cast<double>(run.grid.count()));
    EXPECT_NEAR(use, 0.142, 0.0005) << variant;
  }
}

// Counts how often the first warp of a block enters the region.
size_t spansOfFirstWarp(const Run& run, uint32_t region) {
  size_t spans = 0;
  for (const TraceWarp& warp : run.trace.warps) {
    if (warp.block.value != 0 || warp.warp_in_block != 0) continue;
    forEachSpan(run.trace, warp, [&](const Span& span) { spans += span.region.value == region ? 1 : 0; });
  }
  return spans;
}

TEST_F(Reductions, LastWarpsReplaceBarriersOfTheBlockByTheirOwnSteps) {
  const auto expect = [](const char* variant, size_t barriers, size_t last_steps) {
    const auto run = runRecorded("reduction", variant, {{"size", 1 << 14}, {"block", 512}});
    EXPECT_EQ(spansOfFirstWarp(run, kBarrier), barriers) << variant;
    EXPECT_EQ(spansOfFirstWarp(run, kLastStep), last_steps) << variant;
  };
  expect("shared", 9, 0);
  expect("unroll8", 9, 0);
  for (const char* variant : {"unroll_warps8", "complete_unroll_warps8", "complete_unroll_template"}) {
    expect(variant, 3, 6);
  }
  for (const char* variant : {"syncwarp", "shuffle", "cooperative_groups"}) expect(variant, 4, 5);
  expect("warp_shuffle_two_level", 1, 5);
  expect("redux", 1, 0);
}

double loadRequests(const Run& run) {
  return counter(run, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
}
double loadSectors(const Run& run) {
  return counter(run, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
}
double storeRequests(const Run& run) {
  return counter(run, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum");
}
double atomicRequests(const Run& run) {
  return counter(run, "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum") +
         counter(run, "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum");
}

TEST_F(Reductions, LoadEachElementOnceAndStoreASumABlock) {
  constexpr double kWarps = (1 << 14) / 32.0, kBlocks = (1 << 14) / 256.0;
  for (const char* variant : {"shared", "syncwarp", "shuffle", "cooperative_groups", "warp_shuffle_two_level",
                              "redux", "two_pass", "grid_stride", "static_output"}) {
    const auto run = runRecorded("reduction", variant, {{"size", 1 << 14}, {"block", 256}});
    EXPECT_EQ(loadRequests(run), kWarps) << variant;
    EXPECT_EQ(loadSectors(run), 4 * kWarps) << variant;
    EXPECT_EQ(storeRequests(run), kBlocks) << variant;
    EXPECT_EQ(atomicRequests(run), 0) << variant;
  }
}

TEST_F(Reductions, VectorsAskForSixteenSectorsAtATime) {
  constexpr double kVectorLoads = (1 << 16) / 4.0 / 32;
  for (const int64_t type : {0, 1}) {
    const auto run =
        runRecorded("reduction", "grid_stride_vec4", {{"size", 1 << 16}, {"block", 256}, {"type", type}});
    ASSERT_EQ(run.grid.count(), 64U);
    EXPECT_EQ(loadRequests(run), kVectorLoads + 2) << "the 64 blocks' sums are loaded once";
    EXPECT_EQ(loadSectors(run), 16 * kVectorLoads + 2 * 4);
  }
}

TEST_F(Reductions, AtomicsAreOneAWarpOrOneABlock) {
  const ParameterValues all{{"size", 1 << 14}, {"block", 256}};
  const auto atomics = [&](const char* variant) {
    return atomicRequests(runRecorded("reduction", variant, all));
  };
  EXPECT_EQ(atomics("atomic_per_thread"), (1 << 14) / 32);
  EXPECT_EQ(atomics("atomic_per_block"), (1 << 14) / 256);
  EXPECT_EQ(atomics("last_block"), (1 << 14) / 256);
  EXPECT_EQ(atomics("grid_sync"), (1 << 14) / 256);
  EXPECT_EQ(atomics("coarsened"), (1 << 14) / 256 / 8);
}

LaunchPlan planOf(const char* variant, ParameterValues parameters) {
  const Experiment& experiment = *findExperiment("reduction").value();
  const auto request = completeRequest(
      experiment.info(), {.family = "reduction", .variant = variant, .parameters = std::move(parameters)});
  return experiment.plan(request.value(), (*sharedDevice().backend)->description().limits).value();
}

// Tickets and barriers must be left in the state that the next launch expects.
TEST_F(Reductions, TwoLaunchesInARowAreBothRight) {
  for (const char* variant : {"two_pass", "last_block", "grid_sync", "grid_stride_vec4", "static_output"}) {
    const LaunchPlan plan = planOf(variant, {{"size", 100'003}, {"block", 96}});
    for (const int launches : {1, 2, 3}) {
      const auto outputs = runPlan(backend(), plan, ProbeKind::kBare, Bytes(1), [&](LaunchSpec& spec) {
        for (int before = 1; before < launches; ++before)
          must(backend().launch(spec).map([](const LaunchReport&) {}));
      });
      const auto verified =
          plan.verify(std::vector<std::span<const std::byte>>(outputs.begin(), outputs.end()));
      EXPECT_TRUE(verified.passed) << variant << " after " << launches << ": " << verified.detail;
    }
  }
}

TEST_F(Reductions, ASecondLaunchIsTimedWithTheFirst) {
  const ParameterValues all{{"size", 1 << 14}, {"block", 256}};
  const auto first = runRecorded("reduction", "warp_shuffle_two_level", all);
  const auto both = runRecorded("reduction", "two_pass", all);
  EXPECT_EQ(counter(both, "sm__ctas_launched.sum"), first.grid.count()) << "counters are of the first launch";
  EXPECT_GT(both.timing.median_us, counter(both, "gpu__time_duration.sum") / 1e3);
}

TEST_F(Reductions, AGridThatDoesNotFitIsNotLaunched) {
  const auto run = [](int64_t blocks) {
    return sharedDevice().executor->run(
        {.family = "reduction",
         .variant = "grid_sync",
         .parameters = {{"size", 1 << 20}, {"block", 512}, {"resident_blocks", blocks}}},
        {}, {});
  };
  EXPECT_TRUE(run(2).has_value());
  const auto refused = run(5);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, ErrorKind::kBadRequest);
  EXPECT_NE(refused.error().message.find("660 blocks wait for each other"), std::string::npos)
      << refused.error().message;
  EXPECT_NE(refused.error().message.find("room for 5"), std::string::npos) << refused.error().message;
}

TEST_F(Reductions, ReduxSaysWhatItNeeds) {
  const auto older = openBackend("sim:v100");
  ASSERT_TRUE(older.has_value()) << older.error().message;
  Executor executor(*older);
  const RunRequest request{.family = "reduction", .variant = "redux", .parameters = {{"size", 1000}}};
  const auto refused = executor.run(request, {}, {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("needs compute capability 8.0"), std::string::npos)
      << refused.error().message;
  EXPECT_TRUE(
      executor.run({.family = "reduction", .variant = "shared", .parameters = {{"size", 1000}}}, {}, {}));
}

// Every variant, with every block size including those that are not powers of two, and both inputs.
class FloatSums : public DeviceTest, public testing::WithParamInterface<FamilyVariant> {};

std::vector<FamilyVariant> variantsWithTypes() {
  std::vector<FamilyVariant> all;
  for (const FamilyVariant& each : allVariants()) {
    if (each.family == "reduction" && each.variant != "redux") all.push_back(each);
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Device, FloatSums, testing::ValuesIn(variantsWithTypes()), testName);

TEST_P(FloatSums, AreWithinTheirBoundsAndTellHowPreciseTheyAre) {
  for (const int64_t block : {32, 96, 256, 480, 1024}) {
    for (const int64_t size : {int64_t{1}, int64_t{33}, int64_t{4103}}) {
      for (const int64_t input : {int64_t{0}, kCopies}) {
        SCOPED_TRACE(fmt::format("block {} size {} input {}", block, size, input));
        const auto run = runRecorded("reduction", GetParam().variant,
                                     {{"block", block}, {"size", size}, {"type", kFloats}, {"input", input}});
        ASSERT_TRUE(run.verification.passed) << run.verification.detail;
        EXPECT_LE(run.verification.max_error, 1);
        ASSERT_TRUE(run.verification.precision.has_value());
        const Precision& precision = *run.verification.precision;
        EXPECT_EQ(precision.terms, static_cast<uint64_t>(size));
        if (input == kCopies) {
          EXPECT_EQ(precision.reference, static_cast<double>(size) * double{1.23F});
        }
        EXPECT_NEAR(precision.sum, precision.reference, precision.reference * 1e-3);
      }
    }
  }
}

TEST_F(Reductions, IntsHaveNoPrecisionToTell) {
  EXPECT_FALSE(runRecorded("reduction", "shared", {{"size", 1000}}).verification.precision.has_value());
}

}  // namespace
}  // namespace warpscope::test
