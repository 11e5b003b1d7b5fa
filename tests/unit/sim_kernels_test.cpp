// Our own kernels, bare and probed, executed by the simulated GPU's functional executor.
#include <gtest/gtest.h>

#include "kernels/probe/layout.h"
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

// Every variant at each of these block sizes, at its default size on a simulated GPU.
std::vector<Case> cases(std::vector<int64_t> blocks) {
  std::vector<Case> all;
  for (const Experiment* experiment : allExperiments()) {
    for (const VariantInfo& variant : experiment->info().variants) {
      bool has_block = false;
      for (const ParameterSpec* spec : parametersOf(experiment->info(), variant.name)) {
        has_block = has_block || (spec->name == "block" && spec->kind != ParameterKind::kChoice);
      }
      for (const int64_t block : blocks) {
        RunRequest request;
        request.family = experiment->info().name;
        request.variant = variant.name;
        if (has_block) request.parameters["block"] = block;
        auto complete = completeRequest(experiment->info(), request, DeviceKind::kSimulated);
        if (!complete) continue;
        auto plan = experiment->plan(*complete, limits());
        if (plan) all.push_back({*complete, *plan});
        if (!has_block) break;
      }
    }
  }
  return all;
}

std::string nameOf(const Case& each) {
  std::string name = each.request.family + "/" + each.request.variant;
  for (const auto& [key, value] : each.request.parameters) name += " " + key + "=" + std::to_string(value);
  return name;
}

TEST(SimKernels, BareKernelsGiveTheReferencesResults) {
  const auto all = cases({96, 1024});
  ASSERT_GT(all.size(), 20U);
  for (const Case& each : all) {
    SCOPED_TRACE(nameOf(each));
    SimulatedPlan plan(each.plan, ProbeKind::kBare, std::vector<std::byte>(1));
    const auto result = plan.run();
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_GT(result->warp_instructions, 0U);
    const Verification verified = verify(each.plan, plan.outputs());
    EXPECT_TRUE(verified.passed) << verified.detail;
  }
}

// What a probed kernel records of block 0's first warp, and that it computes the same.
TEST(SimKernels, ProbedKernelsRecordAndGiveTheSameResults) {
  constexpr uint32_t kWarps = 64, kRecords = 256;
  for (const Case& each : cases({96})) {
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
    EXPECT_TRUE(verified.passed) << verified.detail;

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

TEST(SimKernels, ResultsDoNotDependOnThreads) {
  for (const Case& each : cases({256})) {
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
      EXPECT_EQ(plan.outputs(), first);
      EXPECT_EQ(result->warp_instructions, counted.warp_instructions);
      EXPECT_EQ(result->thread_instructions, counted.thread_instructions);
    }
  }
}

}  // namespace
}  // namespace warpscope::test
