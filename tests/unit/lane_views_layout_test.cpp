// The layouts of the views of lanes, steps and blocks, from values made by hand.
#include <gtest/gtest.h>

#include <set>

#include "kernels/metrics/block_waves.h"
#include "viz/layout/lane_columns.h"
#include "viz/layout/sectors_layout.h"
#include "viz/layout/step_list.h"
#include "viz/layout/step_tree.h"
#include "viz/layout/thread_grid.h"

namespace warpscope {
namespace {

using AnyRun = Run;  // in a test's body, Run is gtest's

MemoryRequest requestOf(AccessSpace space, uint32_t bytes, uint64_t first, uint64_t stride) {
  MemoryRequest request{.space = space, .reads = true, .bytes = bytes, .mask = kFullMask};
  for (size_t lane = 0; lane < kWarpSize; ++lane) request.addresses[lane] = first + stride * lane;
  return request;
}

TEST(LaneColumns, ColumnsTileTheirStretch) {
  const LaneColumns columns{10, 330};
  EXPECT_EQ(columns.width(), 10);
  EXPECT_EQ(columns.at(10), 0);
  EXPECT_EQ(columns.at(329.9F), 31);
  EXPECT_EQ(columns.at(330), std::nullopt);
  EXPECT_EQ(columns.at(columns.centre(17)), 17);
  EXPECT_EQ(columns.labelStep(9), 1);
  EXPECT_EQ(columns.labelStep(15), 2);
}

TEST(SectorsLayout, AlignedWordsFillFourSectorsOfOneLine) {
  const SectorsLayout layout = layOutSectors(requestOf(AccessSpace::kGlobal, 4, 1024, 4), 0, 320, 0);
  ASSERT_EQ(layout.lines.size(), 1U);
  EXPECT_EQ(layout.lines[0].address, 1024U);
  ASSERT_EQ(layout.sectors.size(), 4U);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(layout.sectors[i].moved);
    EXPECT_EQ(layout.sectors[i].bytes_asked, 32U);
    EXPECT_EQ(layout.sectors[i].lanes.bits, 0xFFU << (8 * i));
  }
  ASSERT_EQ(layout.stretches.size(), 32U);
  EXPECT_EQ(layout.stretches[3].left, 30);
  EXPECT_EQ(layout.stretches[3].right, 40);
}

TEST(SectorsLayout, AnOffsetTouchesAFifthSectorInTheNextLine) {
  const SectorsLayout layout = layOutSectors(requestOf(AccessSpace::kGlobal, 4, 1028, 4), 0, 300, 4);
  ASSERT_EQ(layout.lines.size(), 2U);
  EXPECT_TRUE(layout.lines[1].follows);
  EXPECT_EQ(layout.lines[1].left, layout.lines[0].right + 4);
  EXPECT_EQ(layout.sectors[0].bytes_asked, 28U);
  EXPECT_TRUE(layout.sectors[4].moved);
  EXPECT_EQ(layout.sectors[4].bytes_asked, 4U);
  EXPECT_EQ(layout.sectors[4].lanes.bits, 0x80000000U);
  EXPECT_FALSE(layout.sectors[5].moved);
}

TEST(SectorsLayout, LinesThatAreNotNeighboursSaySo) {
  const SectorsLayout layout = layOutSectors(requestOf(AccessSpace::kGlobal, 4, 0, 256), 0, 3200, 0);
  ASSERT_EQ(layout.lines.size(), 32U);
  EXPECT_FALSE(layout.lines[1].follows);
  EXPECT_EQ(layout.sectors.size(), 128U);
}

TEST(SectorsLayout, LocalMemoryLiesInterleaved) {
  // Every lane accesses the third word of its own memory: one line.
  const SectorsLayout layout = layOutSectors(requestOf(AccessSpace::kLocal, 4, 8, 0), 0, 320, 0);
  ASSERT_EQ(layout.lines.size(), 1U);
  EXPECT_EQ(layout.lines[0].address, 256U);
  for (const SectorBox& sector : layout.sectors) EXPECT_EQ(sector.bytes_asked, 32U);
}

LaneLog logOfBlock(Dim3 block) {
  LaneLog log;
  log.block = block;
  for (uint32_t thread = 0; thread < block.count(); ++thread) {
    if (thread % kWarpSize == 0) log.warps.push_back({.warp_in_block = thread / kWarpSize});
    LoggedWarp& warp = log.warps.back();
    warp.live.bits |= 1U << (thread % kWarpSize);
    warp.threads[thread % kWarpSize] = {thread % block.x, thread / block.x % block.y,
                                        thread / block.x / block.y};
  }
  return log;
}

TEST(ThreadGrid, ABlockOf40By2HasTwoRowsAndSixteenLanesBehindThem) {
  const ThreadGrid grid = layOutThreads(logOfBlock({40, 2, 1}), BlockId{0}, 1.5F);
  ASSERT_EQ(grid.cells.size(), 96U);
  EXPECT_EQ(std::ranges::count_if(grid.cells, [](const ThreadCell& cell) { return !cell.exists; }), 16);
  const ThreadCell& second_row = grid.cells[40];
  EXPECT_EQ(second_row.thread, (ThreadIndex{0, 1, 0}));
  EXPECT_EQ(second_row.warp, 1U);
  EXPECT_EQ(second_row.lane, 8);
  EXPECT_EQ(second_row.column, 0U);
  EXPECT_EQ(grid.row_threads, 40U) << "not folded";
  EXPECT_EQ(grid.ghost_row, 3U);
  for (const ThreadCell& cell : grid.cells) {
    EXPECT_LT(cell.column, grid.columns);
    EXPECT_LT(cell.row, grid.rows);
    EXPECT_EQ(cell.exists, cell.row < grid.ghost_row);
  }
}

TEST(ThreadGrid, NoTwoThreadsShareACell) {
  for (const Dim3 block : {Dim3{1024, 1, 1}, Dim3{8, 8, 8}, Dim3{3, 5, 7}, Dim3{1, 1, 64}, Dim3{32, 32, 1},
                           Dim3{1, 1, 1}, Dim3{100, 1, 3}}) {
    for (const float aspect : {0.2F, 1.0F, 1.6F, 6.0F}) {
      const ThreadGrid grid = layOutThreads(logOfBlock(block), BlockId{0}, aspect);
      std::set<std::pair<uint32_t, uint32_t>> taken;
      for (const ThreadCell& cell : grid.cells) {
        EXPECT_TRUE(taken.emplace(cell.column, cell.row).second)
            << block.x << " x " << block.y << " x " << block.z;
        EXPECT_LT(cell.column, grid.columns);
        EXPECT_LT(cell.row, grid.rows);
        EXPECT_EQ(grid.at(cell.column, cell.row), &cell);
      }
    }
  }
}

TEST(ThreadGrid, ALongRowIsFoldedAtWholeWarps) {
  const ThreadGrid grid = layOutThreads(logOfBlock({256, 1, 1}), BlockId{0}, 1.6F);
  EXPECT_EQ(grid.row_threads % kWarpSize, 0U);
  EXPECT_LT(grid.row_threads, 256U);
  EXPECT_TRUE(grid.slices.empty());
}

// A run with one block of two warps and the regions start, step, add, barrier, as in that family.
AnyRun treeRun() {
  AnyRun run;
  run.request.family = "reduction";
  run.block = {64};
  run.grid = {1};
  run.regions = {
      {RegionId{0}, "start"}, {RegionId{1}, "step"}, {RegionId{2}, "add"}, {RegionId{3}, "barrier"}};
  const auto warp = [&](uint32_t index, const std::vector<std::pair<uint32_t, uint32_t>>& marks) {
    TraceWarp traced{.warp_in_block = index, .live = kFullMask, .end_cycles = 1000};
    traced.first_event = static_cast<uint32_t>(run.trace.events.size());
    int64_t clock = 0;
    for (const auto& [region, mask] : marks)
      run.trace.events.push_back({clock += 10, {mask}, RegionId{region}});
    traced.event_count = static_cast<uint32_t>(marks.size());
    run.trace.warps.push_back(traced);
  };
  warp(0,
       {{0, ~0U}, {1, ~0U}, {2, ~0U}, {3, ~0U}, {1, ~0U}, {2, 0x0000FFFF}, {3, 0x0000FFFF}, {3, 0xFFFF0000}});
  warp(1, {{0, ~0U}, {1, ~0U}, {3, ~0U}, {1, ~0U}, {3, ~0U}});
  return run;
}

TEST(StepTree, LanesThatComeToAddWork) {
  const StepTree tree = stepTreeOf(treeRun(), BlockId{0});
  ASSERT_EQ(tree.steps.size(), 2U);
  EXPECT_EQ(tree.threads, 64U);
  EXPECT_EQ(tree.steps[0].threads, 32U);
  EXPECT_EQ(tree.steps[0].warps, 1U);
  EXPECT_EQ(tree.steps[0].divergent_warps, 0U);
  EXPECT_EQ(tree.steps[1].threads, 16U);
  EXPECT_EQ(tree.steps[1].divergent_warps, 1U);
  EXPECT_EQ(tree.steps[1].working[0].bits, 0xFFFFU);
  EXPECT_TRUE(tree.steps[1].working[1].empty());
  EXPECT_DOUBLE_EQ(tree.use(), (0.5 + 0.25) / 2);
  EXPECT_EQ(tree.missing_warps, 0U);
}

TEST(StepTree, WithoutAddTheLanesOfTheStepWork) {
  AnyRun run = treeRun();
  run.regions[1].name = "first warp's step";
  run.regions[2].name = "other";
  const StepTree tree = stepTreeOf(run, BlockId{0});
  ASSERT_EQ(tree.steps.size(), 2U);
  EXPECT_EQ(tree.steps[0].threads, 64U);
}

TEST(StepTree, AnUnknownFamilysRegionsHaveNoRole) {
  AnyRun run = treeRun();
  run.request.family = "of another program";
  const StepTree tree = stepTreeOf(run, BlockId{0});
  EXPECT_EQ(tree.threads, 64U);
  EXPECT_TRUE(tree.steps.empty());
}

TEST(StepTree, SaysWhatIsMissing) {
  AnyRun run = treeRun();
  run.trace.warps.pop_back();
  EXPECT_EQ(stepTreeOf(run, BlockId{0}).missing_warps, 1U);
  EXPECT_TRUE(stepTreeOf(run, BlockId{1}).live.empty());
  run.regions.clear();
  EXPECT_TRUE(stepTreeOf(run, BlockId{0}).steps.empty());
}

AnyRun wavesRun() {
  AnyRun run;
  run.block = {32};
  run.grid = {6};
  const auto block = [&](uint32_t id, uint32_t sm, int64_t begin, int64_t end) {
    run.trace.warps.push_back(
        {.block = BlockId{id}, .sm = SmId{sm}, .live = kFullMask, .begin_cycles = begin, .end_cycles = end});
  };
  // SM 3 holds two at a time, SM 7 one.
  block(0, 3, 0, 100);
  block(1, 3, 0, 120);
  block(3, 3, 100, 200);
  block(2, 7, 10, 90);
  block(4, 7, 95, 150);
  return run;
}

TEST(BlockWaves, ABlockThatTakesAPlaceIsOfTheNextWave) {
  const BlockWaves waves = blockWavesOf(wavesRun());
  ASSERT_EQ(waves.sms.size(), 2U);
  EXPECT_EQ(waves.sms[0].rows, 2U);
  EXPECT_EQ(waves.sms[1].rows, 1U);
  EXPECT_EQ(waves.sms[1].first_row, 2U);
  EXPECT_EQ(waves.rows, 3U);
  EXPECT_EQ(waves.waves, 2U);
  EXPECT_EQ(waves.end_cycles, 200);
  ASSERT_EQ(waves.bars.size(), 5U);
  for (const BlockBar& bar : waves.bars) {
    EXPECT_EQ(bar.wave, bar.block.value >= 3 ? 1U : 0U) << bar.block.value;
  }
  EXPECT_EQ(waves.bars[2].row, waves.bars[0].row) << "block 3 takes block 0's place";
  EXPECT_EQ(waves.sms[1].last_end_cycles, 150);
  EXPECT_FALSE(waves.complete());
  EXPECT_DOUBLE_EQ(waves.idleShare(), 1 - (320.0 + 135.0) / 600);
}

TEST(BlockWaves, WarpsOfABlockAreOneBar) {
  AnyRun run = wavesRun();
  run.trace.warps.push_back(
      {.block = BlockId{4}, .warp_in_block = 1, .sm = SmId{7}, .begin_cycles = 96, .end_cycles = 170});
  const BlockWaves waves = blockWavesOf(run);
  EXPECT_EQ(waves.bars.size(), 5U);
  EXPECT_EQ(waves.sms[1].last_end_cycles, 170);
  EXPECT_TRUE(blockWavesOf(AnyRun{}).bars.empty());
}

// Two source lines: line 10 reads twice without conflicts, line 20 once with a conflict of 8.
struct StepsFixture {
  LaneLog log;
  AnyRun run;

  StepsFixture() {
    const std::string file = "kernels/k.cu";
    log.source_file = run.source_file = file;
    log.listing = std::make_shared<const Listing>(Listing{{"ld.shared.u32 %r1, [%r2];", file, 10},
                                                          {"@%p1 ld.shared.u32 %r3, [%r4];", file, 20},
                                                          {"st.global.u32 [%rd1], %r3;", file, 30}});
    LoggedWarp& warp = log.warps.emplace_back();
    warp.live = kFullMask;
    warp.requests = {requestOf(AccessSpace::kShared, 4, 0, 4), requestOf(AccessSpace::kShared, 4, 0, 4),
                     requestOf(AccessSpace::kShared, 4, 0, 32), requestOf(AccessSpace::kGlobal, 4, 0, 4)};
    for (uint32_t i = 0; i < 4; ++i) {
      warp.requests[i].step = i;
      warp.requests[i].instruction = i < 2 ? 0 : i - 1;
    }
    // The traced kernel has other registers, and a probe's store at the beginning.
    run.listing =
        std::make_shared<const Listing>(Listing{{"st.global.v2.u32 [%rd9], {%r7, %r8};", "probe.cuh", 5},
                                                {"ld.shared.u32 %r11, [%r12];", file, 10},
                                                {"ld.shared.u32 %r13, [%r14];", file, 20},
                                                {"st.global.u32 [%rd1], %r13;", file, 30}});
    for (const uint32_t listed : {0U, 1U, 1U, 0U, 2U, 3U}) {
      run.trace.instructions.push_back({.listed = listed, .mask = kFullMask});
    }
    run.trace.warps.push_back({.live = kFullMask, .instruction_count = 6});
  }
  StepList list(StepKind kind) const { return {log, log.warps[0], kind}; }
  const TraceWarp& traced() const { return run.trace.warps[0]; }
};

TEST(StepList, ShowsTheCostliestLineFirst) {
  const StepsFixture fixture;
  const StepList shared = fixture.list(StepKind::kShared);
  ASSERT_EQ(shared.size(), 3U);
  EXPECT_EQ(shared.cost(0), 1U);
  EXPECT_EQ(shared.cost(2), 8U);
  EXPECT_EQ(shared.usual(), 2U);
  EXPECT_EQ(shared.line(2), 20U);
  const StepList global = fixture.list(StepKind::kGlobal);
  ASSERT_EQ(global.size(), 1U);
  EXPECT_EQ(global.cost(0), 4U);
  EXPECT_TRUE(fixture.list(StepKind::kExchange).empty());
}

TEST(StepList, FindsTheInstructionOfAStepAndBack) {
  const StepsFixture fixture;
  const StepList shared = fixture.list(StepKind::kShared);
  EXPECT_EQ(shared.instructionOf(0, fixture.run, fixture.traced()), 1U);
  EXPECT_EQ(shared.instructionOf(1, fixture.run, fixture.traced()), 2U);
  EXPECT_EQ(shared.instructionOf(2, fixture.run, fixture.traced()), 4U);
  EXPECT_EQ(shared.stepOf(fixture.run, fixture.traced(), 2), 1U);
  EXPECT_EQ(shared.stepOf(fixture.run, fixture.traced(), 4), 2U);
  EXPECT_EQ(shared.stepOf(fixture.run, fixture.traced(), 0), std::nullopt);
  EXPECT_EQ(shared.stepOf(fixture.run, fixture.traced(), 5), std::nullopt) << "of global memory";
  EXPECT_EQ(fixture.list(StepKind::kGlobal).stepOf(fixture.run, fixture.traced(), 5), 0U);
  EXPECT_EQ(shared.firstOf(fixture.run, 1), 0U);
  EXPECT_EQ(shared.firstOf(fixture.run, 99), std::nullopt);
}

TEST(StepList, AnOpcodeIsWithoutItsGuard) {
  EXPECT_EQ(opcodeOf("@!%p3 ld.shared.v2.u32 {%r1, %r2}, [%r3];"), "ld.shared.v2.u32");
  EXPECT_EQ(opcodeOf("bar.sync 0;"), "bar.sync");
  EXPECT_EQ(opcodeOf("ret;"), "ret");
  EXPECT_EQ(opcodeOf(""), "");
  EXPECT_EQ(opcodeOf("@%p1"), "");
}

}  // namespace
}  // namespace warpscope
