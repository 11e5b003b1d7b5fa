// The probed forms themselves, launched without the executor: they compute the same results as the bare ones,
// whether their warps find slots, find none, or overflow their logs; and the packer never writes beyond its
// buffer.
#include <algorithm>
#include <bit>
#include <stdexcept>

#include "kernels/execute/parameter_bytes.h"
#include "kernels/probe/layout.h"
#include "tests/device/device_fixture.h"
#include "tests/support/launch_sweep.h"
#include "tests/support/plan_runner.h"

namespace warpscope::test {
namespace {

// A probe's memory for `slots` warps.
struct ProbeMemory {
  ProbeMemory(Backend& backend, uint32_t slot_count, uint32_t records_per_lane)
      : slots(slot_count),
        headers(backend, slot_count * sizeof(ProbeWarpHeader), 0xEE),
        tails(backend, uint64_t{slot_count} * 32 * sizeof(ProbeLaneTail), 0),
        records(backend, uint64_t{slot_count} * 32 * records_per_lane * sizeof(ProbeRecord), 0xEE),
        anchors(backend, 2 * sizeof(ProbeAnchor), 0),
        warps_seen(backend, sizeof(uint32_t), 0) {
    params.headers = headers.as<ProbeWarpHeader>();
    params.tails = tails.as<ProbeLaneTail>();
    params.records = records.as<ProbeRecord>();
    params.begin_anchors = anchors.as<ProbeAnchor>();
    params.end_anchors = anchors.as<ProbeAnchor>() + 1;
    params.warps_seen = warps_seen.as<uint32_t>();
    params.max_warps = slots;
    params.records_per_lane = records_per_lane;
    params.first_blocks = UINT32_MAX;
    params.anchor_blocks = 1;
  }

  uint32_t slots;
  Buffer headers, tails, records, anchors, warps_seen;
  ProbeParams params{};
};

class ProbedKernels : public DeviceTest, public testing::WithParamInterface<FamilyVariant> {
 protected:
  static LaunchPlan planOf(int64_t size) {
    const Experiment& experiment = *findExperiment(GetParam().family).value();
    const auto request = completeRequest(
        experiment.info(), {.family = GetParam().family,
                            .variant = GetParam().variant,
                            .parameters = launchOf(experiment.info(), GetParam().variant, size)});
    return experiment.plan(request.value(), backend().description().limits).value();
  }

  // Launches the probed form on fresh inputs and checks its outputs.
  static Verification launch(const LaunchPlan& plan, const ProbeParams& params) {
    const std::vector<Bytes> outputs = runPlan(backend(), plan, ProbeKind::kProbed, parameterBytes(params));
    return plan.verify(std::vector<std::span<const std::byte>>(outputs.begin(), outputs.end()));
  }

  static uint32_t warpsOf(const LaunchPlan& plan) {
    return static_cast<uint32_t>(plan.grid.count()) * warpsPerBlock(plan.block);
  }
};
INSTANTIATE_TEST_SUITE_P(Device, ProbedKernels, testing::ValuesIn(allVariants()), testName);

TEST_P(ProbedKernels, ComputeTheSameWhereSlotsAndLogsRunOut) {
  const LaunchPlan plan = planOf(10'007);
  const auto warps = warpsOf(plan);
  for (const uint32_t slots : {1U, 5U, warps + 3}) {
    for (const uint32_t records_per_lane : {1U, 64U}) {
      SCOPED_TRACE(fmt::format("{} slots, {} records a lane", slots, records_per_lane));
      const ProbeMemory memory(backend(), slots, records_per_lane);
      const Verification verification = launch(plan, memory.params);
      EXPECT_TRUE(verification.passed || plantedIn(GetParam())) << verification.detail;
      EXPECT_EQ(memory.warps_seen.content<uint32_t>().at(0), warps);
    }
  }
}

TEST_P(ProbedKernels, WriteHeadersTailsAndAnchors) {
  const LaunchPlan plan = planOf(4096);
  const auto warps = warpsOf(plan);
  const ProbeMemory memory(backend(), warps, 64);
  EXPECT_TRUE(launch(plan, memory.params).passed || plantedIn(GetParam()));
  std::vector<uint32_t> times_seen(warps, 0);
  const auto headers = memory.headers.content<ProbeWarpHeader>();
  const auto tails = memory.tails.content<ProbeLaneTail>();
  const auto warps_per_block = warpsPerBlock(plan.block);
  for (uint32_t slot = 0; slot < warps; ++slot) {
    const ProbeWarpHeader& header = headers[slot];
    ASSERT_LT(header.block, plan.grid.count());
    ASSERT_LT(header.warp_in_block, warps_per_block);
    ++times_seen[header.block * warps_per_block + header.warp_in_block];
    EXPECT_EQ(header.live_mask, liveLanes(plan.block, header.warp_in_block));
    EXPECT_LT(header.sm, backend().description().limits.sm_count);
    uint32_t left = 0;
    uint32_t written = 0;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const ProbeLaneTail& tail = tails[slot * 32 + lane];
      EXPECT_EQ(left & tail.exit_mask, 0U) << "a lane left twice";
      left |= tail.exit_mask;
      written += tail.written;
      if (tail.exit_mask == 0) continue;
      EXPECT_EQ(static_cast<uint32_t>(std::countr_zero(tail.exit_mask)), lane) << "not the leader's tail";
      EXPECT_GE(tail.exit_clock, header.begin_clock);
      EXPECT_GE(tail.exit_globaltimer_ns, header.begin_globaltimer_ns);
    }
    EXPECT_EQ(left, header.live_mask);
    EXPECT_GE(written, 1U);
  }
  EXPECT_EQ(times_seen, std::vector<uint32_t>(warps, 1)) << "each warp has one slot";
  for (const ProbeAnchor& anchor : memory.anchors.content<ProbeAnchor>()) {
    EXPECT_EQ(anchor.valid, 1U);
    EXPECT_GT(anchor.globaltimer_ns, 0U);
  }
}

TEST_P(ProbedKernels, ArePackedWithoutLossAndNeverBeyondTheRoom) {
  const LaunchPlan plan = planOf(4096);
  const auto warps = warpsOf(plan);
  const ProbeMemory memory(backend(), warps, 64);
  EXPECT_TRUE(launch(plan, memory.params).passed || plantedIn(GetParam()));
  uint64_t total = 0;
  for (const ProbeLaneTail& tail : memory.tails.content<ProbeLaneTail>()) {
    total += std::min(tail.written, 64U) + (tail.exit_mask != 0 ? 1U : 0U);
  }
  constexpr uint32_t kGuard = 64;
  for (const uint64_t capacity : {total, total / 2, uint64_t{0}}) {
    SCOPED_TRACE(fmt::format("room for {} of {} records", capacity, total));
    const Buffer packed(backend(), warps * sizeof(ProbePackedWarp), 0xEE);
    const Buffer records(backend(), (capacity + kGuard) * sizeof(ProbeRecord), 0xEE);
    const Buffer cursor(backend(), sizeof(uint32_t), 0);
    LaunchSpec spec;
    spec.kernel = backend().kernel(findModule("probe_pack").value(), "probe_pack").value();
    spec.block = {96};
    spec.grid = {(warps + 2) / 3};
    spec.parameters = {parameterBytes(memory.params), parameterBytes(packed.address()),
                       parameterBytes(records.address()), parameterBytes(cursor.address()),
                       parameterBytes(static_cast<uint32_t>(capacity))};
    const auto launched = backend().launch(spec);
    ASSERT_TRUE(launched.has_value()) << launched.error().message;
    EXPECT_EQ(cursor.content<uint32_t>().at(0), total);
    uint64_t kept = 0;
    uint64_t dropped = 0;
    for (const ProbePackedWarp& warp : packed.content<ProbePackedWarp>()) {
      EXPECT_LE(uint64_t{warp.first_record} + warp.record_count, capacity);
      kept += warp.record_count;
      dropped += warp.dropped;
    }
    EXPECT_EQ(kept, capacity);
    EXPECT_EQ(kept + dropped, total);
    const auto written = records.content<ProbeRecord>();
    for (uint64_t i = 0; i < written.size(); ++i) {
      const bool untouched = written[i].mask == 0xEEEEEEEEU && written[i].clock_and_region == 0xEEEEEEEEU;
      ASSERT_EQ(untouched, i >= capacity) << i;
    }
  }
}

}  // namespace
}  // namespace warpscope::test
