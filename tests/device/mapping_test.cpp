// The division of blocks into warps: which warps there are, and which of their lanes exist.
#include "kernels/metrics/metrics.h"
#include "tests/device/device_fixture.h"

namespace warpscope::test {
namespace {

using Mapping = DeviceTest;

// By the warp's index in its block.
std::vector<uint32_t> liveMasks(const Run& run) {
  std::vector<uint32_t> masks;
  for (const TraceWarp& warp : run.trace.warps) {
    EXPECT_EQ(warp.warp_in_block, masks.size());
    masks.push_back(warp.live.bits);
  }
  return masks;
}

TEST_F(Mapping, ABlockOf40By2HasThreeWarpsAnd16LanesThatNeverLive) {
  const auto run = runRecorded("mapping", "block_2d", {});
  EXPECT_TRUE(run.verification.passed) << run.verification.detail;
  EXPECT_EQ(run.block.count(), 80U);
  EXPECT_EQ(liveMasks(run), (std::vector<uint32_t>{kAllLanes, kAllLanes, 0x0000FFFFU}));
  const TraceWarp& last = run.trace.warps.back();
  EXPECT_EQ(laneCycles(run.trace, last).never_existed, 16 * (last.end_cycles - last.begin_cycles));
  // The empty lanes occupy space: 64 warps per SM are 21 blocks of 3.
  EXPECT_EQ(run.occupancy.blocks_by_warps, 21U);
}

TEST_F(Mapping, BlocksOfAnyShapeAreCutByTheThreadsNumber) {
  const auto masks = [](const char* variant, ParameterValues shape) {
    const auto run = runRecorded("mapping", variant, std::move(shape));
    EXPECT_TRUE(run.verification.passed) << run.verification.detail;
    return liveMasks(run);
  };
  EXPECT_EQ(masks("block_1d", {{"block_x", 1}}), std::vector<uint32_t>{1});
  EXPECT_EQ(masks("block_1d", {{"block_x", 33}}), (std::vector<uint32_t>{kAllLanes, 1}));
  EXPECT_EQ(masks("block_1d", {{"block_x", 1024}}), std::vector<uint32_t>(32, kAllLanes));
  EXPECT_EQ(masks("block_1d", {{"block_x", 1023}}).back(), kAllLanes >> 1);
  EXPECT_EQ(masks("block_2d", {{"block_x", 7}, {"block_y", 5}}), (std::vector<uint32_t>{kAllLanes, 7}));
  EXPECT_EQ(masks("block_2d", {{"block_x", 1}, {"block_y", 1024}}), std::vector<uint32_t>(32, kAllLanes));
  EXPECT_EQ(masks("block_3d", {{"block_x", 5}, {"block_y", 3}, {"block_z", 3}}),
            (std::vector<uint32_t>{kAllLanes, 0x1FFF}));
  EXPECT_EQ(masks("block_3d", {{"block_x", 4}, {"block_y", 4}, {"block_z", 64}}),
            std::vector<uint32_t>(32, kAllLanes));
}

TEST_F(Mapping, NoWarpHoldsThreadsOfTwoBlocks) {
  const auto run = runRecorded("mapping", "block_1d", {{"block_x", 40}, {"blocks", 5}});
  EXPECT_TRUE(run.verification.passed) << run.verification.detail;
  ASSERT_EQ(run.trace.warps.size(), 10U);
  for (const TraceWarp& warp : run.trace.warps) {
    EXPECT_EQ(warp.live.bits, warp.warp_in_block == 0 ? kAllLanes : 0xFFU);
  }
}

TEST_F(Mapping, ImpossibleBlocksAreRefusedWithTheReason) {
  const auto result = sharedDevice().executor->run(
      {.family = "mapping", .variant = "block_2d", .parameters = {{"block_x", 40}, {"block_y", 26}}},
      [](const Progress&) {}, std::stop_token{});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::kBadRequest);
  EXPECT_NE(result.error().message.find("1040 threads"), std::string::npos) << result.error().message;
}

}  // namespace
}  // namespace warpscope::test
