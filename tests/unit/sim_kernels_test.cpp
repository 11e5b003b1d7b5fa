// Our own kernels, bare and probed, executed by the simulated GPU's functional executor.
#include <gtest/gtest.h>

#include "kernels/probe/layout.h"
#include "tests/support/launch_sweep.h"
#include "tests/support/reference_outputs.h"
#include "tests/support/simulated_program.h"

namespace warpscope::test {
namespace {

DeviceLimits limits() {
  DeviceLimits limits;
  limits.compute_capability = {9, 0};
  limits.sm_count = 132;
  limits.max_threads_per_sm = 2048;
  limits.max_blocks_per_sm = 32;
  limits.registers_per_sm = limits.registers_per_block = 65536;
  limits.shared_bytes_per_sm = 228 << 10;
  limits.shared_bytes_per_block = 48 << 10;
  limits.shared_bytes_per_block_opt_in = 227 << 10;
  return limits;
}

struct Case {
  RunRequest request;
  LaunchPlan plan;
};

struct Variant {
  const Experiment* experiment;
  std::string name;
};

void addCase(const Variant& variant, const ParameterValues& values, std::vector<Case>& all) {
  const FamilyInfo& family = variant.experiment->info();
  const auto complete = completeRequest(
      family, {.family = family.name, .variant = variant.name, .parameters = values}, DeviceKind::kSimulated);
  ASSERT_TRUE(complete) << complete.error().message;
  const auto plan = variant.experiment->plan(*complete, limits());
  ASSERT_TRUE(plan) << plan.error().message;
  all.push_back({*complete, *plan});
}

// The variant with each of these block sizes, or all block shapes if it has those, and each data size.
std::vector<Case> cases(const Variant& variant, const std::vector<int64_t>& blocks,
                        const std::vector<int64_t>& sizes) {
  std::vector<Case> all;
  for (const ParameterValues& values : launchSweep(variant.experiment->info(), variant.name, blocks, sizes)) {
    addCase(variant, values, all);
  }
  return all;
}

constexpr int64_t kAwkward = 100'003;  // a prime, and more than all resident threads of a few SMs

std::string nameOf(const Case& each) {
  return each.request.family + "/" + each.request.variant + " " + launchName(each.request.parameters);
}

// Broken on purpose: its result depends on luck.
bool isBroken(const Variant& variant) {
  return variantInfo(variant.experiment->info(), variant.name)->planted.has_value();
}

// One test per variant, so that they can run in parallel.
class SimKernels : public testing::TestWithParam<Variant> {};

TEST_P(SimKernels, BareGiveTheReferencesResults) {
  const auto all = cases(GetParam(), {32, 96, 1024}, {1, 1013, kAwkward});
  ASSERT_FALSE(all.empty());
  for (const Case& each : all) {
    SCOPED_TRACE(nameOf(each));
    SimulatedPlan plan(each.plan, ProbeKind::kBare, std::vector<std::byte>(1));
    const auto result = plan.run();
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_GT(result->warp_instructions, 0U);
    const Verification verified = verify(each.plan, plan.outputs());
    EXPECT_TRUE(verified.passed || isBroken(GetParam())) << verified.detail;
  }
}

// Checks what a probed kernel records of block 0's first warp, and that it computes the same results.
TEST_P(SimKernels, ProbedRecordAndGiveTheSameResults) {
  constexpr uint32_t kWarps = 64, kRecords = 256;
  for (const Case& each : cases(GetParam(), {96}, {kAwkward})) {
    SCOPED_TRACE(nameOf(each));
    SimulatedPlan plan(each.plan, ProbeKind::kProbed, std::vector<std::byte>(sizeof(ProbeParams)));
    SimulatedProgram& program = plan.program();
    ProbeParams params{};
    const auto pointer = [&]<class T>(T*& to, uint64_t count) {
      to = reinterpret_cast<T*>(program.allocate(count * sizeof(T)));
    };
    pointer(params.headers, kWarps);
    pointer(params.tails, kWarps * 32);
    pointer(params.records, uint64_t{kWarps} * 32 * kRecords);
    pointer(params.begin_anchors, 4);
    pointer(params.end_anchors, 4);
    pointer(params.warps_seen, 1);
    params.max_warps = kWarps;
    params.records_per_lane = kRecords;
    params.first_blocks = 8;
    plan.setProbe(params);
    const auto result = plan.run();
    ASSERT_TRUE(result) << result.error().message;
    const Verification verified = verify(each.plan, plan.outputs());
    EXPECT_TRUE(verified.passed || isBroken(GetParam())) << verified.detail;

    const uint32_t seen = *program.host<uint32_t>(reinterpret_cast<uint64_t>(params.warps_seen));
    ASSERT_GT(seen, 0U);
    const auto* headers = program.host<ProbeWarpHeader>(reinterpret_cast<uint64_t>(params.headers), kWarps);
    const auto* tails = program.host<ProbeLaneTail>(reinterpret_cast<uint64_t>(params.tails), kWarps * 32);
    for (uint32_t slot = 0; slot < std::min(seen, kWarps); ++slot) {
      EXPECT_NE(headers[slot].live_mask, 0U);
      uint32_t exited = 0;
      for (uint32_t lane = 0; lane < 32; ++lane) exited |= tails[slot * 32 + lane].exit_mask;
      EXPECT_EQ(exited, headers[slot].live_mask);
    }
  }
}

TEST_P(SimKernels, ResultsDoNotDependOnThreads) {
  if (isBroken(GetParam())) GTEST_SKIP() << "broken on purpose";
  for (const Case& each : cases(GetParam(), {256}, {kAwkward})) {
    SCOPED_TRACE(nameOf(each));
    std::vector<Bytes> first;
    sim::FunctionalResult counted;
    for (const uint32_t threads : {1U, 4U}) {
      SimulatedPlan plan(each.plan, ProbeKind::kBare, std::vector<std::byte>(1));
      const auto result = plan.run({.threads = threads});
      ASSERT_TRUE(result) << result.error().message;
      if (threads == 1) {
        first = plan.outputs();
        counted = *result;
        continue;
      }
      if (each.plan.order_is_free) {
        const Verification verified = verify(each.plan, plan.outputs());
        EXPECT_TRUE(verified.passed) << verified.detail;
      } else {
        EXPECT_EQ(plan.outputs(), first);
      }
      EXPECT_EQ(result->warp_instructions, counted.warp_instructions);
      EXPECT_EQ(result->thread_instructions, counted.thread_instructions);
    }
  }
}

std::vector<Variant> allVariants() {
  std::vector<Variant> all;
  for (const Experiment* experiment : allExperiments()) {
    for (const VariantInfo& variant : experiment->info().variants) all.push_back({experiment, variant.name});
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Of, SimKernels, testing::ValuesIn(allVariants()),
                         [](const testing::TestParamInfo<Variant>& info) {
                           return info.param.experiment->info().name + "_" + info.param.name;
                         });

}  // namespace
}  // namespace warpscope::test
