// Asserts on traces of real launches what each variant must show in theory.
#include <algorithm>
#include <bit>

#include "kernels/experiments/divergence/regions.h"
#include "kernels/experiments/reduction/regions.h"
#include "kernels/metrics/metrics.h"
#include "tests/device/device_fixture.h"

namespace warpscope::test {
namespace {

class Expectations : public DeviceTest {};

// The masks of a warp's spans in these regions, in the order of time.
std::vector<uint32_t> masksIn(const Trace& trace, const TraceWarp& warp,
                              std::initializer_list<uint32_t> regions) {
  std::vector<uint32_t> masks;
  forEachSpan(trace, warp, [&](const Span& span) {
    if (std::ranges::count(regions, span.region.value) > 0) masks.push_back(span.mask.bits);
  });
  return masks;
}

std::vector<uint32_t> pathMasks(const Trace& trace, const TraceWarp& warp) {
  return masksIn(trace, warp, {divergence::kFirstPath, divergence::kSecondPath});
}

TEST_F(Expectations, EvenOddAndSplitIfsRunTwoPathsOf16LanesInEveryWarp) {
  for (const char* variant : {"even_odd", "split_ifs"}) {
    const auto result = runRecorded("divergence", variant, {{"size", 1 << 13}});
    EXPECT_EQ(result.trace.warps.size(), (1U << 13) / 32);
    for (const TraceWarp& warp : result.trace.warps) {
      auto masks = pathMasks(result.trace, warp);
      std::ranges::sort(masks);
      ASSERT_EQ(masks, (std::vector<uint32_t>{0x55555555U, 0xAAAAAAAAU})) << variant;
      // Before and after the paths the warp is whole.
      ASSERT_EQ(masksIn(result.trace, warp, {divergence::kLoad, divergence::kStore}),
                (std::vector<uint32_t>{0xFFFFFFFFU, 0xFFFFFFFFU}))
          << variant;
    }
  }
}

TEST_F(Expectations, WarpAlignedNeverDiverges) {
  const auto result = runRecorded("divergence", "warp_aligned", {{"size", 1 << 13}});
  for (const TraceWarp& warp : result.trace.warps) {
    ASSERT_EQ(pathMasks(result.trace, warp), std::vector<uint32_t>{0xFFFFFFFFU});
  }
  for (const RegionMetrics& region : regionMetrics(result))
    EXPECT_EQ(region.divergent_spans, 0U) << region.name;
}

TEST_F(Expectations, NestedRunsAsManyPathsAsThereAreWays) {
  for (const uint32_t ways : {1U, 2U, 3U, 8U, 32U}) {
    const auto result = runRecorded("divergence", "nested", {{"size", 1 << 12}, {"ways", ways}});
    for (const TraceWarp& warp : result.trace.warps) {
      const auto masks = masksIn(result.trace, warp, {divergence::kPath});
      ASSERT_EQ(masks.size(), ways);
      uint32_t together = 0;
      for (const uint32_t mask : masks) {
        EXPECT_EQ(together & mask, 0U);
        together |= mask;
        EXPECT_EQ(std::countr_zero(mask) % ways, static_cast<uint32_t>(std::countr_zero(mask)));
      }
      ASSERT_EQ(together, 0xFFFFFFFFU);
    }
  }
}

TEST_F(Expectations, LoopTripsLosesLanesTripByTrip) {
  const uint32_t trips = 8;
  const auto result = runRecorded("divergence", "loop_trips", {{"size", 1 << 12}, {"trips", trips}});
  for (const TraceWarp& warp : result.trace.warps) {
    const auto masks = masksIn(result.trace, warp, {divergence::kTrip});
    ASSERT_EQ(masks.size(), trips);
    for (uint32_t trip = 0; trip < trips; ++trip) {
      ASSERT_EQ(static_cast<uint32_t>(std::popcount(masks[trip])), 32 - trip * 32 / trips) << "trip " << trip;
    }
  }
}

TEST_F(Expectations, AnOddSizeSendsTheLastWarpsIdleLanesHomeEarly) {
  const auto result = runRecorded("divergence", "even_odd", {{"size", 40}, {"block", 64}});
  ASSERT_EQ(result.trace.warps.size(), 2U);
  const auto masks = masksIn(result.trace, result.trace.warps[1], {divergence::kStore});
  EXPECT_EQ(masks, std::vector<uint32_t>{0x000000FFU});
}

TEST_F(Expectations, ReductionTreesDivergeAsTheirIndicesSay) {
  const std::vector<uint32_t> neighbored = {16, 16, 16, 16, 16, 8, 4, 2, 1};
  const std::vector<uint32_t> packed = {0, 0, 0, 0, 1, 1, 1, 1, 1};
  const auto expect = [](const char* variant, const std::vector<uint32_t>& steps) {
    const auto result = runRecorded("reduction", variant, {{"size", 1 << 14}, {"block", 512}});
    for (uint32_t block = 0; block < result.grid.count(); ++block) {
      ASSERT_EQ(divergentWarpsPerStep(result.trace, BlockId{block}, RegionId{reduction::kStep},
                                      RegionId{reduction::kAdd}),
                steps)
          << variant << " block " << block;
    }
  };
  expect("neighbored", neighbored);
  for (const char* variant : {"neighbored_less", "interleaved", "unroll8", "shared"}) expect(variant, packed);
}

TEST_F(Expectations, BankConflictsMakeTheSharedTransposeSlowerThanThePaddedOne) {
  const auto median_us = [](const char* variant) {
    return runOnDevice({.family = "transpose",
                        .variant = variant,
                        .parameters = {{"size", isSimulated() ? 256 * 256 : 4096 * 4096}}})
        .timing.median_us;
  };
  const double shared_us = median_us("shared");
  EXPECT_GT(shared_us, median_us("shared_padded"));
  EXPECT_GT(shared_us, median_us("shared_swizzled"));
}

TEST_F(Expectations, SamplingRecordsWhatItSays) {
  RunRequest request{.family = "reduction", .variant = "shared", .parameters = {{"size", 1 << 20}}};
  request.repeats = 1;
  request.sampling = {.mode = Sampling::Mode::kExplicit, .first_blocks = 3, .sms = 0};
  const auto blocks = runOnDevice(request);
  EXPECT_EQ(blocks.trace.warps.size(), 3U * 256 / 32);
  for (const TraceWarp& warp : blocks.trace.warps) EXPECT_LT(warp.block.value, 3U);

  request.sampling = {.mode = Sampling::Mode::kExplicit, .first_blocks = 0, .sms = 1};
  const auto sms = runOnDevice(request);
  EXPECT_FALSE(sms.trace.warps.empty());
  for (const TraceWarp& warp : sms.trace.warps) EXPECT_EQ(warp.sm.value, 0U);

  request.sampling = {
      .mode = Sampling::Mode::kExplicit, .first_blocks = 100, .max_warps = 10, .records_per_lane = 2};
  const auto starved = runOnDevice(request);
  EXPECT_EQ(starved.trace.warps.size(), 10U);
  EXPECT_EQ(starved.trace.unrecorded_warps, 100U * 256 / 32 - 10);
  EXPECT_GT(starved.trace.dropped_events, 0U);
  EXPECT_TRUE(starved.verification.passed) << starved.verification.detail;
}

}  // namespace
}  // namespace warpscope::test
