// Searching a trace for warps, regions and instructions, a part at a time.
#include "viz/layout/trace_hits.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

class TraceHitsTest : public ::testing::Test {
 protected:
  std::vector<TraceHit> search(TraceSearch what, size_t steps = 1'000'000) const {
    TraceHits hits(std::move(what));
    size_t parts = 0;
    while (!hits.advance(run_, layout_, steps) && ++parts < 1'000'000) continue;
    EXPECT_TRUE(hits.finished());
    return hits.hits();
  }
  static std::vector<bool> only(size_t index) {
    std::vector<bool> flags(index + 1);
    flags[index] = true;
    return flags;
  }

  warpscope::Run run_ = testing::makeSyntheticRun();
  TraceLayout layout_{(testing::addInstructions(run_), run_)};
};

TEST_F(TraceHitsTest, WarpsOfABlockWithTheirLives) {
  const uint32_t block = run_.trace.warps.back().block.value;
  const auto hits = search({.block = block});
  size_t expected = 0;
  for (const TraceWarp& warp : run_.trace.warps) expected += warp.block.value == block ? 1 : 0;
  ASSERT_EQ(hits.size(), expected);
  for (const TraceHit& hit : hits) {
    const TraceWarp& warp = run_.trace.warps[hit.warp];
    EXPECT_EQ(warp.block.value, block);
    EXPECT_EQ(hit.begin, warp.begin_cycles);
    EXPECT_EQ(hit.end, warp.end_cycles);
  }
  EXPECT_EQ(search({.block = block, .warp_in_block = 1}).size(), 1U);
  EXPECT_TRUE(search({.block = 123'456}).empty());
  EXPECT_EQ(search({}).size(), run_.trace.warps.size());
}

TEST_F(TraceHitsTest, ARegionIsFoundOnceInEachWarpAtItsFirstTime) {
  for (size_t region = 0; region < run_.regions.size(); ++region) {
    const auto hits = search({.regions = only(region)});
    size_t expected = 0;
    for (uint32_t warp = 0; warp < run_.trace.warps.size(); ++warp) {
      const WarpSpans& spans = layout_.spansOf(warp);
      const auto first = std::ranges::find(spans, static_cast<RegionIndex>(region), &LayoutSpan::region);
      if (first == spans.end()) continue;
      ASSERT_LT(expected, hits.size());
      EXPECT_EQ(hits[expected].warp, warp);
      EXPECT_EQ(hits[expected].begin, (*first).begin);
      EXPECT_EQ(hits[expected].end, (*first).end);
      ++expected;
    }
    EXPECT_EQ(hits.size(), expected);
    EXPECT_GT(expected, 0U) << run_.regions[region].name;
  }
}

TEST_F(TraceHitsTest, AnInstructionIsFoundWithItsOrdinal) {
  ASSERT_NE(run_.listing, nullptr);
  const uint32_t listed = layout_.instructions().slotsOf(0).back().listed;
  const auto hits = search({.listed = only(listed)});
  ASSERT_FALSE(hits.empty());
  EXPECT_EQ(hits.front().warp, 0U);
  for (const TraceHit& hit : hits) {
    ASSERT_TRUE(hit.ordinal);
    EXPECT_EQ(layout_.instructions().slotsOf(hit.warp)[*hit.ordinal].listed, listed);
  }
}

TEST_F(TraceHitsTest, InSmallPartsItFindsTheSame) {
  const TraceSearch what{.sm = run_.trace.warps.front().sm.value, .regions = only(run_.regions.size() - 1)};
  const auto whole = search(what);
  const auto parts = search(what, 3);
  ASSERT_EQ(parts.size(), whole.size());
  for (size_t i = 0; i < whole.size(); ++i) EXPECT_EQ(parts[i].begin, whole[i].begin);
}

TEST_F(TraceHitsTest, NothingIsFinishedFromTheStart) {
  const TraceHits nothing;
  EXPECT_TRUE(nothing.finished());
  EXPECT_TRUE(nothing.hits().empty());
}

}  // namespace
}  // namespace warpscope
