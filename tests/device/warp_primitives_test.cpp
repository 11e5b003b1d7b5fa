// Compares the simulated GPU's trace and results with the exact theory of the warp primitives: which lanes
// take part, in how many steps, and the results for every mask, width and distance.
#include <algorithm>
#include <bit>

#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/warp_primitives/regions.h"
#include "kernels/metrics/metrics.h"
#include "tests/device/device_fixture.h"

namespace warpscope::test {
namespace {

using namespace warp_primitives;

using WarpPrimitives = DeviceTest;

std::vector<uint32_t> masksIn(const Run& run, const TraceWarp& warp, uint32_t region) {
  std::vector<uint32_t> masks;
  forEachSpan(run.trace, warp, [&](const Span& span) {
    if (span.region.value == region) masks.push_back(span.mask.bits);
  });
  return masks;
}

TEST_F(WarpPrimitives, OnlyTheNamedLanesMeet) {
  for (const char* variant : {"shfl_idx", "shfl_xor", "vote_all", "ballot", "match_any", "match_all"}) {
    for (size_t members = 0; members < kMembers.size(); ++members) {
      SCOPED_TRACE(fmt::format("{} members {}", variant, members));
      const auto run = runRecorded("warp_primitives", variant,
                                   {{"size", 256}, {"members", static_cast<int64_t>(members)}});
      EXPECT_TRUE(run.verification.passed) << run.verification.detail;
      ASSERT_EQ(run.trace.warps.size(), 8U);
      for (const TraceWarp& warp : run.trace.warps) {
        EXPECT_EQ(masksIn(run, warp, kPrimitive), std::vector<uint32_t>{kMembers[members]});
        EXPECT_EQ(masksIn(run, warp, kOutside),
                  members == 0 ? std::vector<uint32_t>{} : std::vector<uint32_t>{~kMembers[members]});
      }
    }
  }
}

TEST_F(WarpPrimitives, AButterflyTakesLog2OfTheWidthStepsWithAllLanes) {
  for (size_t width = 0; width < kWidths.size(); ++width) {
    const auto run = runRecorded("warp_primitives", "butterfly_sum",
                                 {{"size", 256}, {"width", static_cast<int64_t>(width)}});
    EXPECT_TRUE(run.verification.passed) << run.verification.detail;
    for (const TraceWarp& warp : run.trace.warps) {
      const auto steps = static_cast<size_t>(std::countr_zero(kWidths[width]));
      EXPECT_EQ(masksIn(run, warp, kStep), std::vector<uint32_t>(steps, 0xFFFFFFFFU));
    }
  }
}

TEST_F(WarpPrimitives, ShufflesGiveTheRightLaneForEveryMaskWidthAndDistance) {
  for (const char* variant : {"shfl_idx", "shfl_up", "shfl_down", "shfl_xor"}) {
    for (int64_t members = 0; members < std::ssize(kMembers); ++members) {
      for (int64_t width = 0; width < std::ssize(kWidths); ++width) {
        for (const int64_t distance : {0, 1, 2, 7, 16, 31}) {
          const auto run =
              runRecorded("warp_primitives", variant,
                          {{"size", 99}, {"members", members}, {"width", width}, {"distance", distance}});
          ASSERT_TRUE(run.verification.passed) << variant << " members " << members << " width " << width
                                               << " distance " << distance << ": " << run.verification.detail;
        }
      }
    }
  }
}

TEST_F(WarpPrimitives, VotesAndMatchesAreRightFromNobodyToAll) {
  for (const char* variant : {"vote_all", "vote_any", "ballot"}) {
    for (const int64_t pass : {0, 3, 50, 97, 100}) {
      const auto run = runRecorded("warp_primitives", variant, {{"size", 1000}, {"pass", pass}});
      EXPECT_TRUE(run.verification.passed) << variant << " " << pass << ": " << run.verification.detail;
    }
  }
  for (const int64_t keys : {1, 2, 33, 64}) {
    for (const char* variant : {"match_any", "match_all"}) {
      const auto run = runRecorded("warp_primitives", variant, {{"size", 1000}, {"keys", keys}});
      EXPECT_TRUE(run.verification.passed) << variant << " " << keys << ": " << run.verification.detail;
    }
  }
}

TEST_F(WarpPrimitives, NeedNoSharedMemory) {
  const auto run = runRecorded("warp_primitives", "shfl_down", {{"size", 1024}});
  EXPECT_EQ(run.resources.static_shared_bytes + run.resources.dynamic_shared_bytes, 0U);
}

}  // namespace
}  // namespace warpscope::test
