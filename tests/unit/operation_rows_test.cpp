// The rows of a picture of operations.
#include "kernels/metrics/operation_rows.h"

#include <gtest/gtest.h>

#include "viz/layout/trace_layout.h"

namespace warpscope {
namespace {

// Two chunks on two streams; a third stream has nothing.
warpscope::Run twoChunks() {
  warpscope::Run run;
  StreamLog log;
  log.streams = {{.name = "stream 1"}, {.name = "stream 2"}, {.name = "stream 3"}};
  const auto add = [&](OperationKind kind, uint32_t stream, double enqueued, double begin, double end) {
    StreamOperation operation{.kind = kind, .stream = stream};
    operation.enqueue_ns = enqueued - 1;
    operation.enqueued_ns = enqueued;
    operation.begin_ns = begin;
    operation.end_ns = end;
    log.operations.push_back(operation);
  };
  add(OperationKind::kCopyToDevice, 0, 1, 2, 100);
  add(OperationKind::kLaunch, 0, 2, 110, 150);
  add(OperationKind::kCopyToDevice, 1, 3, 100, 200);
  add(OperationKind::kLaunch, 1, 300, 300, 400);
  log.operations[1].blocks = 2;
  log.operations[3].first_block = 2;
  log.operations[3].blocks = 2;
  run.streams = log;
  run.trace.clocks.cycles_per_ns = 2;
  for (const uint32_t block : {0U, 1U, 2U, 3U}) {
    TraceWarp warp{.block = BlockId{block}, .sm = SmId{block % 2}, .hardware_slot = 5};
    warp.begin_cycles = block < 2 ? 220 : 600;
    warp.end_cycles = warp.begin_cycles + 50;
    run.trace.warps.push_back(warp);
  }
  std::ranges::sort(run.trace.warps, {},
                    [](const TraceWarp& warp) { return std::pair(warp.sm, warp.block); });
  return run;
}

TEST(OperationRows, AreTheHostTheStreamsAndWhatExecutes) {
  const auto rows = operationRows(*twoChunks().streams);
  using Kind = OperationRow::Kind;
  ASSERT_EQ(rows.size(), 5U) << "no row without operations";
  EXPECT_EQ(rows[0].kind, Kind::kHost);
  EXPECT_EQ(rows[0].bars.size(), 4U);
  EXPECT_EQ(rows[0].bars[3].begin_ns, 299);
  EXPECT_EQ(rows[1].kind, Kind::kStream);
  EXPECT_EQ(rows[2].index, 1U);
  EXPECT_EQ(rows[3].kind, Kind::kUnit);
  EXPECT_EQ(rows[3].index, static_cast<uint32_t>(StreamUnit::kCopyToDevice));
  EXPECT_EQ(rows[3].bars.size(), 2U);
  EXPECT_EQ(rows[4].index, static_cast<uint32_t>(StreamUnit::kSms));
}

TEST(OperationRows, HaveOneCallOfTheHostForAGraph) {
  StreamLog log = *twoChunks().streams;
  log.graphs = {{.name = "graph"}};
  log.operations[1].graph = log.operations[2].graph = 0;
  const auto rows = operationRows(log);
  ASSERT_EQ(rows[0].bars.size(), 3U);
  EXPECT_EQ(rows[0].bars[1].operation, 1U);
  EXPECT_EQ(rows[0].bars[2].operation, 3U);
  EXPECT_EQ(log.launchCalls(), 2U) << "the graph, and the launch that is in none";
  EXPECT_EQ(log.nodesOf(0), 1U) << "a copy is no launch";
}

TEST(OperationRows, HaveSkippedLaunchesOnTheirStreamButNotOnTheSms) {
  StreamLog log = *twoChunks().streams;
  log.operations[1].skipped = true;
  ASSERT_EQ(log.operations[1].kind, OperationKind::kLaunch);
  const auto rows = operationRows(log);
  const auto has = [](const OperationRow& row) {
    return std::ranges::find(row.bars, 1U, &OperationBar::operation) != row.bars.end();
  };
  EXPECT_TRUE(has(rows[1]));
  for (const OperationRow& row : rows) {
    if (row.kind == OperationRow::Kind::kUnit) {
      EXPECT_FALSE(has(row));
    }
  }
}

TEST(OperationRows, HaveGapsWhereAnOperationWaitsThoughItsStreamIsFree) {
  const auto rows = operationRows(*twoChunks().streams);
  ASSERT_EQ(rows[1].gaps.size(), 2U);
  EXPECT_EQ(rows[1].gaps[1].begin_ns, 100) << "the copy before it has ended";
  EXPECT_EQ(rows[1].gaps[1].end_ns, 110);
  ASSERT_EQ(rows[2].gaps.size(), 1U) << "the last launch begins at once";
  EXPECT_EQ(rows[2].gaps[0].operation, 2U);
  EXPECT_EQ(rows[2].gaps[0].begin_ns, 3) << "when the host had enqueued it";
}

TEST(OperationRows, ShareTheirHeightAmongLaunchesThatOverlap) {
  StreamLog log = *twoChunks().streams;
  for (uint32_t i = 0; i < log.operations.size(); ++i) {
    log.operations[i].kind = OperationKind::kLaunch;
    log.operations[i].stream = 0;
    if (i > 0) log.operations[i].primary = i - 1;
  }
  log.operations[1].begin_ns = 60;
  log.operations[2].begin_ns = 140;
  log.operations[2].end_ns = 200;
  const auto rows = operationRows(log);
  using enum OperationBar::Part;
  ASSERT_EQ(rows[1].bars.size(), 4U);
  EXPECT_EQ(rows[1].bars[0].part, kUpper);
  EXPECT_EQ(rows[1].bars[1].part, kLower);
  EXPECT_EQ(rows[1].bars[2].part, kUpper) << "it overlaps the one before it only";
  EXPECT_EQ(rows[1].bars[3].part, kWhole);
}

TEST(OperationRows, HaveThePagesThatMovedLast) {
  StreamLog log = *twoChunks().streams;
  log.migrations = {{.operation = 1, .bytes = 65'536, .begin_ns = 111, .end_ns = 120},
                    {.operation = 3, .to_device = false, .bytes = 5, .begin_ns = 310, .end_ns = 330}};
  const auto rows = operationRows(log);
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[5].kind, OperationRow::Kind::kMigrations);
  ASSERT_EQ(rows[5].bars.size(), 2U);
  EXPECT_EQ(rows[5].bars[1].operation, 3U);
  EXPECT_EQ(rows[5].bars[1].migration, 1U);
  EXPECT_EQ(rows[5].bars[1].begin_ns, 310);
  EXPECT_EQ(rows[1].bars[0].migration, std::nullopt);
}

TEST(OperationSlots, HaveTheWarpsOfAllLaunches) {
  const warpscope::Run run = twoChunks();
  const OperationSlots slots = operationSlots(run, 1);
  ASSERT_EQ(slots.rows.size(), 1U) << "of one SM";
  EXPECT_EQ(slots.rows[0].slot, 5U);
  ASSERT_EQ(slots.bars.size(), 2U);
  EXPECT_EQ(slots.bars[0].operation, 1U);
  EXPECT_EQ(slots.bars[1].operation, 3U);
  EXPECT_EQ(operationSlots(run, 9).rows.size(), 2U);
  EXPECT_EQ(run.trace.warps[firstWarpOf(run, 3).value()].block, BlockId{2});
  EXPECT_EQ(firstWarpOf(run, 0), std::nullopt) << "a copy has no warps";
}

// The second stream, and its SM, are on GPU 1.
TEST(OperationRows, AreThoseOfEachGpu) {
  auto run = twoChunks();
  run.device.limits.gpus = 2;
  run.device.limits.sm_count = 1;
  run.streams->streams[1].gpu = 1;
  for (const uint32_t i : {2U, 3U}) run.streams->operations[i].gpu = 1;
  const auto rows = operationRows(*run.streams);
  ASSERT_EQ(rows.size(), 7U) << "two units of each GPU";
  EXPECT_EQ(rows[2].gpu, 1U);
  for (const auto& [row, gpu] : {std::pair(3U, 0U), {4U, 0U}, {5U, 1U}, {6U, 1U}}) {
    EXPECT_EQ(rows[row].gpu, gpu) << row;
    EXPECT_EQ(rows[row].bars.size(), 1U) << row;
  }
  EXPECT_EQ(operationSlots(run, 1).rows.size(), 2U) << "an SM of each";
}

TEST(OperationRows, AreSeenToTheEndOfTheLastOperation) {
  auto run = twoChunks();
  run.streams->operations[2].end_ns = 1000;
  EXPECT_EQ(TraceLayout(std::move(run)).end(), 2000);
}

}  // namespace
}  // namespace warpscope
