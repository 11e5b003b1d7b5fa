// Compares traces and the simulated GPU's counters with the exact theory of bounds checks: which warps have
// lanes on both sides.
#include <map>

#include "kernels/experiments/boundary/regions.h"
#include "tests/device/device_fixture.h"

namespace warpscope::test {
namespace {

using namespace boundary;

using BoundaryChecks = DeviceTest;

TEST_F(BoundaryChecks, OneWarpOfAVectorHasLanesOnBothSides) {
  const auto run = runRecorded("boundary", "vector_add", {});
  ASSERT_EQ(run.trace.warps.size(), 32U);
  for (const TraceWarp& warp : run.trace.warps) {
    std::map<uint32_t, uint32_t> lanes;
    forEachSpan(run.trace, warp, [&](const Span& span) { lanes[span.region.value] |= span.mask.bits; });
    const bool last = warp.block.value == 3 && warp.warp_in_block == 7;
    EXPECT_EQ(lanes[kInside], last ? 0x000000FFU : 0xFFFFFFFFU);
    EXPECT_EQ(lanes[boundary::kOutside], last ? 0xFFFFFF00U : 0U);
  }
  EXPECT_EQ(counter(run, "ptx.branches_divergent"), 1);
}

TEST_F(BoundaryChecks, AVectorOfWholeWarpsDivergesNowhere) {
  const auto run = runRecorded("boundary", "vector_add", {{"size", 992}});
  EXPECT_EQ(counter(run, "ptx.branches_divergent"), 0);
}

// Counts how often each tile was loaded by a warp, and by a warp with lanes on both sides of the check.
struct Phases {
  uint32_t all = 0, divergent = 0;
  friend bool operator==(const Phases&, const Phases&) = default;
};
void PrintTo(const Phases& phases, std::ostream* out) {
  *out << phases.divergent << " of " << phases.all << " divergent";
}

// Counted by the blocks that `counts` accepts, and by the matrix that is loaded.
template <class Counts>
std::map<uint32_t, Phases> warpPhases(const Run& run, Counts&& counts) {
  std::map<uint32_t, Phases> phases;
  for (const TraceWarp& warp : run.trace.warps) {
    if (!counts(warp.block.value % run.grid.x, warp.block.value / run.grid.x)) continue;
    uint32_t matrix = kTileOfM;
    forEachSpan(run.trace, warp, [&](const Span& span) {
      const uint32_t region = span.region.value;
      if (region == kTileOfM || region == kTileOfN) {
        matrix = region;
        ++phases[matrix].all;
      }
      if (region == kInside && span.mask != warp.live) ++phases[matrix].divergent;
    });
  }
  return phases;
}

bool everyBlock(uint32_t /*x*/, uint32_t /*y*/) {
  return true;
}

// 100 x 100 in tiles of 16: 7 x 7 blocks of 8 warps, 7 phases. The part beyond the edge is 12 wide.
TEST_F(BoundaryChecks, LoadsOfMDivergeInTheLastPhase) {
  const auto run = runRecorded("boundary", "tiled_matmul_load_m", {});
  EXPECT_EQ(warpPhases(run, [](uint32_t, uint32_t y) { return y < 6; })[kTileOfM], (Phases{2352, 336}));
  EXPECT_EQ(warpPhases(run, [](uint32_t, uint32_t y) { return y == 6; })[kTileOfM], (Phases{392, 14}));
  EXPECT_EQ(warpPhases(run, everyBlock)[kTileOfM], (Phases{2744, 350}));
  EXPECT_EQ(counter(run, "ptx.branches_divergent"), 350);
}

TEST_F(BoundaryChecks, LoadsOfNDivergeInTheBlocksOnTheRight) {
  const auto run = runRecorded("boundary", "tiled_matmul_load_n", {});
  EXPECT_EQ(warpPhases(run, [](uint32_t x, uint32_t) { return x < 6; })[kTileOfN], (Phases{2352, 0}));
  EXPECT_EQ(warpPhases(run, [](uint32_t x, uint32_t) { return x == 6; })[kTileOfN], (Phases{392, 350}));
  EXPECT_EQ(counter(run, "ptx.branches_divergent"), 350);
}

TEST_F(BoundaryChecks, TheWholeProductDivergesInBothLoadsAndTheStore) {
  const auto run = runRecorded("boundary", "tiled_matmul", {});
  const auto phases = warpPhases(run, everyBlock);
  EXPECT_EQ(phases.at(kTileOfM), (Phases{2744, 350}));
  EXPECT_EQ(phases.at(kTileOfN), (Phases{2744, 350}));
  // Stores: all 8 warps of the 6 blocks on the right, and 2 in the corner.
  EXPECT_EQ(counter(run, "ptx.branches_divergent"), 350 + 350 + 6 * 8 + 2);
}

TEST_F(BoundaryChecks, TheDivergentShareFallsAsTheMatrixGrows) {
  double before = 1;
  for (const int64_t width : {20, 100, 300}) {
    const auto run = runRecorded("boundary", "tiled_matmul_load_m", {{"width", width}});
    const Phases phases = warpPhases(run, everyBlock)[kTileOfM];
    const double share = static_cast<double>(phases.divergent) / phases.all;
    EXPECT_GT(share, 0) << width;
    EXPECT_LT(share, before) << width;
    before = share;
  }
  const auto even = runRecorded("boundary", "tiled_matmul_load_m", {{"width", 96}});
  EXPECT_EQ(warpPhases(even, everyBlock)[kTileOfM].divergent, 0U);
}

}  // namespace
}  // namespace warpscope::test
