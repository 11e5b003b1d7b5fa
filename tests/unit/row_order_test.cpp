// The timeline's rows: slots are the hardware's or an exact packing, every shown warp is in one row, rows are
// sorted and filtered as chosen, and rows of several warps conserve lane-cycles at every zoom.
#include "viz/layout/row_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "kernels/metrics/metrics.h"
#include "tests/support/synthetic_trace.h"
#include "viz/layout/row_folds.h"
#include "viz/layout/trace_layout.h"
#include "viz/layout/warp_slots.h"

namespace warpscope {
namespace {

struct Stay {
  uint32_t sm, slot, block, warp;
  int64_t begin, end;
};

Run runOf(const std::vector<Stay>& stays) {
  warpscope::Run run;
  for (const Stay& stay : stays) {
    run.trace.warps.push_back({.block = BlockId{stay.block},
                               .warp_in_block = stay.warp,
                               .sm = SmId{stay.sm},
                               .hardware_slot = stay.slot,
                               .live = kFullMask,
                               .begin_cycles = stay.begin,
                               .end_cycles = stay.end});
  }
  return run;
}

Run synthetic(const testing::SyntheticOptions& options) {
  warpscope::Run run = testing::makeSyntheticRun();
  run.trace = testing::makeSyntheticTrace(options).truth;
  return run;
}

std::vector<std::vector<uint32_t>> rowsOf(const RowOrder& order) {
  std::vector<std::vector<uint32_t>> rows;
  for (uint32_t row = 0; row < order.rowCount(); ++row) {
    const auto warps = order.warpsOf(row);
    rows.emplace_back(warps.begin(), warps.end());
  }
  return rows;
}

using Rows = std::vector<std::vector<uint32_t>>;

TEST(WarpSlots, AreTheHardwaresWhereTheTraceHasThem) {
  // The second warp begins some cycles before the first one's recorded end.
  const warpscope::Run run = runOf({{0, 5, 0, 0, 0, 1000}, {0, 5, 1, 0, 990, 2000}, {1, 5, 2, 0, 0, 700}});
  const WarpSlots slots = warpSlots(run.trace);
  EXPECT_FALSE(slots.assigned);
  EXPECT_EQ(slots.of_warp, (std::vector<uint32_t>{5, 5, 5}));
}

TEST(WarpSlots, AreAssignedIfTheTracesOwnHoldTwoWarpsAtOnce) {
  const warpscope::Run run = runOf({{0, 0, 0, 0, 0, 100},
                                    {0, 0, 1, 0, 50, 150},
                                    {0, 0, 2, 0, 100, 200},
                                    {0, 0, 3, 0, 120, 300},
                                    {1, 0, 4, 0, 0, 100}});
  const WarpSlots slots = warpSlots(run.trace);
  EXPECT_TRUE(slots.assigned);
  EXPECT_EQ(slots.of_warp, (std::vector<uint32_t>{0, 1, 0, 2, 0}));
}

TEST(WarpSlots, TakeAsFewAsThereWereWarpsAtOnce) {
  std::mt19937 random(7);
  std::vector<Stay> stays;
  for (uint32_t i = 0; i < 400; ++i) {
    const auto begin = static_cast<int64_t>(random() % 5000);
    stays.push_back({i % 2, 0, i, 0, begin, begin + 1 + static_cast<int64_t>(random() % 300)});
  }
  const warpscope::Run run = runOf(stays);
  const WarpSlots slots = warpSlots(run.trace);
  ASSERT_TRUE(slots.assigned);
  for (uint32_t sm = 0; sm < 2; ++sm) {
    uint32_t used = 0, most = 0;
    for (size_t i = 0; i < stays.size(); ++i) {
      if (stays[i].sm != sm) continue;
      used = std::max(used, slots.of_warp[i] + 1);
      uint32_t at_once = 0;
      for (size_t j = 0; j < stays.size(); ++j) {
        if (stays[j].sm != sm || stays[j].begin > stays[i].begin || stays[j].end <= stays[i].begin) continue;
        ++at_once;
        EXPECT_TRUE(i == j || slots.of_warp[i] != slots.of_warp[j]);
      }
      most = std::max(most, at_once);
    }
    EXPECT_EQ(used, most);
  }
}

TEST(RowOrder, EveryWarpIsInOneRow) {
  const warpscope::Run run = synthetic({.sms = 3, .blocks = 14, .block_threads = 100});
  for (const RowKind kind : {RowKind::kAutomatic, RowKind::kWarpsBySm, RowKind::kWarpsByBlock,
                             RowKind::kSlots, RowKind::kBlocks}) {
    const RowOrder order(TraceLayout(run), {.kind = kind});
    EXPECT_NE(order.kind(), RowKind::kAutomatic);
    std::vector<uint32_t> seen;
    uint32_t next = 0;
    for (const RowOrder::Group& group : order.groups()) {
      EXPECT_EQ(group.first_row, next);
      next += group.row_count;
      for (uint32_t row = group.first_row; row < next; ++row) {
        EXPECT_EQ(&order.groups()[order.groupOfRow(row)], &group);
        for (const uint32_t warp : order.warpsOf(row)) {
          EXPECT_EQ(order.rowOf(warp), row);
          EXPECT_EQ(order.warpsOf(row)[order.placeOf(warp)], warp);
          const TraceWarp& is = run.trace.warps[warp];
          EXPECT_EQ(group.id, order.kind() == RowKind::kWarpsByBlock ? is.block.value : is.sm.value);
          seen.push_back(warp);
        }
      }
    }
    EXPECT_EQ(next, order.rowCount());
    std::ranges::sort(seen);
    ASSERT_EQ(seen.size(), run.trace.warps.size());
    EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
    EXPECT_EQ(order.shownWarps(), seen.size());
    EXPECT_EQ(order.sms().size(), 3U);
    EXPECT_EQ(order.highestBlock(), 13U);
  }
}

TEST(RowOrder, OnAnSmABlocksWarpsStayTogetherInTheOrderInWhichBlocksBegan) {
  const warpscope::Run run =
      runOf({{0, 0, 1, 0, 500, 510}, {0, 1, 1, 1, 100, 110}, {0, 2, 2, 0, 50, 60}, {0, 3, 2, 1, 300, 310}});
  EXPECT_EQ(rowsOf(RowOrder(TraceLayout(run), {.kind = RowKind::kWarpsBySm})), (Rows{{2}, {3}, {0}, {1}}));
  EXPECT_EQ(rowsOf(RowOrder(TraceLayout(run), {.kind = RowKind::kBlocks})), (Rows{{2, 3}, {0, 1}}));
  EXPECT_EQ(rowsOf(RowOrder(TraceLayout(run), {.kind = RowKind::kWarpsByBlock})), (Rows{{0}, {1}, {2}, {3}}));
}

TEST(RowOrder, ASlotHoldsItsWarpsOneAfterAnother) {
  const warpscope::Run run = runOf({{0, 3, 0, 0, 0, 100},
                                    {0, 1, 1, 0, 0, 90},
                                    {0, 3, 2, 0, 100, 200},
                                    {1, 3, 3, 0, 0, 100},
                                    {0, 3, 4, 0, 210, 300}});
  const RowOrder order(TraceLayout(run), {.kind = RowKind::kSlots});
  EXPECT_EQ(rowsOf(order), (Rows{{1}, {0, 2, 4}, {3}}));
  EXPECT_EQ(order.slotOf(1), 3U);
  EXPECT_FALSE(order.slotsAssigned());
  EXPECT_EQ(warpAt(order, run.trace, 1, 50), 0U);
  EXPECT_EQ(warpAt(order, run.trace, 1, 150), 2U);
  EXPECT_EQ(warpAt(order, run.trace, 1, 205), std::nullopt);
  EXPECT_EQ(warpAt(order, run.trace, 1, -5), std::nullopt);
  EXPECT_EQ(warpAt(order, run.trace, 1, 301), std::nullopt);
}

TEST(RowOrder, AutomaticIsSlotsOnlyIfWarpsFollowOneAnother) {
  const auto launch = [](uint32_t waves) {
    std::vector<Stay> stays;
    for (uint32_t wave = 0; wave < waves; ++wave) {
      for (uint32_t slot = 0; slot < 4; ++slot)
        stays.push_back({0, slot, wave * 4 + slot, 0, wave * 100, wave * 100 + 90});
    }
    return runOf(stays);
  };
  EXPECT_EQ(RowOrder(TraceLayout(launch(1)), {}).kind(), RowKind::kWarpsBySm);
  EXPECT_EQ(RowOrder(TraceLayout(launch(2)), {}).kind(), RowKind::kSlots);
  // A filter changes what is shown, not what a row is.
  EXPECT_EQ(RowOrder(TraceLayout(launch(2)), {.filter = {.blocks = NumberRange{0, 3}}}).kind(),
            RowKind::kSlots);
}

TEST(RowOrder, RowsAreSorted) {
  warpscope::Run run = runOf({{0, 0, 0, 0, 30, 80}, {0, 1, 1, 0, 10, 20}, {1, 0, 2, 0, 20, 120}});
  const auto sorted = [&](RowSort sort, bool reversed = false) {
    return rowsOf(
        RowOrder(TraceLayout(run), {.kind = RowKind::kWarpsBySm, .sort = sort, .reversed = reversed}));
  };
  EXPECT_EQ(sorted(RowSort::kNatural), (Rows{{1}, {0}, {2}}));
  EXPECT_EQ(sorted(RowSort::kNatural, true), (Rows{{2}, {0}, {1}}));
  EXPECT_EQ(sorted(RowSort::kBegin), (Rows{{1}, {2}, {0}}));
  EXPECT_EQ(sorted(RowSort::kDuration), (Rows{{2}, {0}, {1}}));
  EXPECT_EQ(sorted(RowSort::kDuration, true), (Rows{{1}, {0}, {2}}));
  EXPECT_FALSE(
      RowOrder(TraceLayout(run), {.kind = RowKind::kWarpsBySm, .sort = RowSort::kBegin}).groups().front().id);
  // The duration of a slot is the time in which it held a warp.
  run.trace.warps[2].sm = SmId{0};
  run.trace.warps[2].begin_cycles = 85;
  const RowOrder slots(TraceLayout(run), {.kind = RowKind::kSlots, .sort = RowSort::kDuration});
  EXPECT_EQ(rowsOf(slots), (Rows{{0, 2}, {1}}));
}

TEST(RowOrder, RowsAreSortedByTheLanesThatTheCommandLineCountsAsLost) {
  const warpscope::Run run = synthetic({.sms = 2, .blocks = 9, .block_threads = 100});
  const RowOrder order(TraceLayout(run), {.kind = RowKind::kWarpsByBlock, .sort = RowSort::kLostLanes});
  std::vector<int64_t> lost;
  for (uint32_t row = 0; row < order.rowCount(); ++row)
    lost.push_back(laneCycles(run.trace, run.trace.warps[order.firstWarpOf(row)]).lost());
  EXPECT_TRUE(std::ranges::is_sorted(lost, std::greater<>()));
  EXPECT_GT(lost.front(), lost.back());
  const TraceLayout layout(run);
  for (uint32_t warp = 0; warp < layout.warpCount(); ++warp)
    EXPECT_EQ(layout.lostLaneCycles(warp), laneCycles(run.trace, run.trace.warps[warp]).lost()) << warp;
}

// The UI thread makes orders, so that it must not take longer the more events there are.
TEST(RowOrder, IsMadeWithoutTheEvents) {
  const auto run =
      std::make_shared<warpscope::Run>(synthetic({.sms = 2, .blocks = 9, .block_threads = 100, .trips = 5}));
  const TraceLayout layout(run);
  const RowChoice by_lanes{.kind = RowKind::kWarpsByBlock, .sort = RowSort::kLostLanes};
  const RegionId region = run->trace.events[1].region;
  const RowChoice filtered{.kind = RowKind::kWarpsByBlock, .filter = {.region = region}};
  const Rows sorted = rowsOf(RowOrder(layout, by_lanes)), shown = rowsOf(RowOrder(layout, filtered));
  EXPECT_NE(sorted, rowsOf(RowOrder(layout, {.kind = RowKind::kWarpsByBlock})));
  EXPECT_FALSE(shown.empty());
  std::ranges::fill(run->trace.events, TraceEvent{});
  EXPECT_EQ(rowsOf(RowOrder(layout, by_lanes)), sorted);
  EXPECT_EQ(rowsOf(RowOrder(layout, filtered)), shown);
}

TEST(RowOrder, TheFilterKeepsTheWarpsThatMeetAllConditions) {
  warpscope::Run run =
      runOf({{0, 0, 0, 0, 0, 100}, {1, 0, 1, 0, 0, 50}, {2, 0, 2, 0, 0, 300}, {1, 1, 3, 0, 0, 99}});
  run.trace.events.push_back({5, kFullMask, RegionId{4}});
  run.trace.warps[1].event_count = 1;
  const auto shown = [&](const RowFilter& filter) {
    const RowOrder order(TraceLayout(run), {.kind = RowKind::kWarpsByBlock, .filter = filter});
    std::vector<uint32_t> warps;
    for (uint32_t row = 0; row < order.rowCount(); ++row) warps.push_back(order.firstWarpOf(row));
    EXPECT_EQ(order.shownWarps(), warps.size());
    EXPECT_EQ(order.recordedWarps(), 4U);
    for (uint32_t warp = 0; warp < 4; ++warp)
      EXPECT_EQ(order.rowOf(warp).has_value(), std::ranges::count(warps, warp) == 1);
    return warps;
  };
  using Warps = std::vector<uint32_t>;
  EXPECT_EQ(shown({.sms = NumberRange{1, 2}}), (Warps{1, 2, 3}));
  EXPECT_EQ(shown({.blocks = NumberRange{2}}), (Warps{2, 3}));
  EXPECT_EQ(shown({.least_cycles = 99}), (Warps{0, 2, 3}));
  EXPECT_EQ(shown({.least_cycles = 99, .most_cycles = 100}), (Warps{0, 3}));
  EXPECT_EQ(shown({.region = RegionId{4}}), (Warps{1}));
  EXPECT_EQ(shown({.sms = NumberRange{1, 1}, .least_cycles = 60}), (Warps{3}));
  EXPECT_TRUE(shown({.sms = NumberRange{7, 9}}).empty());
}

TEST(RowOrder, KeysStepThroughRowsAndAlongARow) {
  const warpscope::Run run = runOf({{0, 0, 0, 0, 0, 100},
                                    {0, 0, 1, 0, 100, 200},
                                    {0, 0, 2, 0, 200, 300},
                                    {0, 1, 3, 0, 0, 130},
                                    {0, 1, 4, 0, 140, 300}});
  const RowOrder order(TraceLayout(run), {.kind = RowKind::kSlots});
  const auto step = [&](uint32_t from, int rows, int along) {
    return steppedWarp(order, run.trace, from, rows, along);
  };
  EXPECT_EQ(step(0, 0, +1), 1U);
  EXPECT_EQ(step(2, 0, +1), 2U);
  EXPECT_EQ(step(1, 0, -1), 0U);
  EXPECT_EQ(step(0, +1, 0), 3U);
  EXPECT_EQ(step(1, +1, 0), 3U);
  EXPECT_EQ(step(2, +1, 0), 4U);
  EXPECT_EQ(step(4, -1, 0), 1U);
  EXPECT_EQ(step(4, +1, 0), 4U);
  const RowOrder filtered(TraceLayout(run), {.kind = RowKind::kSlots, .filter = {.blocks = NumberRange{2}}});
  EXPECT_EQ(steppedWarp(filtered, run.trace, 0, +1, 0), 2U);
}

TEST(RowOrder, DamagedTraces) {
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  warpscope::Run run = runOf({{0, 0, 0, 0, -kHuge, kHuge}, {0, 0, 0, 0, kHuge, -kHuge}, {9, 7, 0, 0, 5, 1}});
  run.trace.warps[0].first_event = 1;
  run.trace.warps[0].event_count = 4000000000;
  const TraceLayout layout(run);
  for (const RowSort sort : {RowSort::kNatural, RowSort::kDuration, RowSort::kLostLanes}) {
    for (const RowKind kind : {RowKind::kSlots, RowKind::kBlocks, RowKind::kAutomatic}) {
      const auto order = std::make_shared<const RowOrder>(layout, RowChoice{.kind = kind, .sort = sort});
      EXPECT_EQ(order->shownWarps(), 3U);
      if (!order->severalWarpsInARow()) continue;
      RowFolds folds(layout, order);
      std::vector<RowItem> items;
      for (uint32_t row = 0; row < order->rowCount(); ++row) {
        folds.collect(run.trace, row, -1e18, 1e18, 10, items);
        steppedWarp(*order, run.trace, order->firstWarpOf(row), 1, 0);
      }
    }
  }
  EXPECT_EQ(RowOrder(TraceLayout(warpscope::Run()), {}).rowCount(), 0U);
}

TEST(RowOrderCache, MakesAnOrderAnewOnlyForAnotherLayoutOrChoice) {
  RowOrderCache cache;
  const auto run = std::make_shared<const TraceLayout>(synthetic({.sms = 2, .blocks = 4}));
  const auto other = std::make_shared<const TraceLayout>(run->run());
  const auto first = cache.of(run, {});
  EXPECT_EQ(cache.of(run, {}), first);
  EXPECT_NE(cache.of(run, {.reversed = true}), first);
  const auto again = cache.of(run, {});
  EXPECT_NE(cache.of(other, {}), again);
  EXPECT_EQ(cache.of(nullptr, {}), nullptr);
}

TEST(RowFolds, ConserveLaneCyclesAtEveryZoom) {
  const warpscope::Run run = synthetic({.sms = 2, .blocks = 20, .block_threads = 100, .trips = 12});
  const TraceLayout layout(run);
  for (const RowKind kind : {RowKind::kSlots, RowKind::kBlocks}) {
    const auto order = std::make_shared<const RowOrder>(layout, RowChoice{.kind = kind});
    for (const double fold : {0.0, 7.0, 333.0, 1e5, 1e12}) {
      RowFolds folds(layout, order);
      for (uint32_t row = 0; row < order->rowCount(); ++row) {
        int64_t executing = 0, live = 0, sum = 0, live_sum = 0;
        for (const uint32_t warp : order->warpsOf(row)) {
          const TraceWarp& is = run.trace.warps[warp];
          live += (is.end_cycles - is.begin_cycles) * is.live.count();
          forEachSpan(run.trace, is, [&](const Span& span) {
            executing += (span.end_cycles - span.begin_cycles) * span.mask.count();
          });
        }
        std::vector<RowItem> items;
        folds.collect(run.trace, row, -1e15, 1e15, fold, items);
        int64_t last = std::numeric_limits<int64_t>::min();
        for (const RowItem& item : items) {
          EXPECT_GE(item.begin, last);
          last = item.end;
          sum += item.lane_cycles;
          live_sum += item.live_cycles;
          EXPECT_LE(item.share(folds.lanesOf(row)), 1.0);
        }
        ASSERT_EQ(sum, executing) << "row " << row << ", fold " << fold;
        ASSERT_EQ(live_sum, live) << "row " << row << ", fold " << fold;
        if (fold == 1e12) {
          EXPECT_EQ(items.size(), 1U);
        }
      }
    }
  }
}

TEST(RowFolds, ABlockIsDividedWhereItsWarpsChange) {
  warpscope::Run run = runOf({{0, 0, 0, 0, 0, 100}, {0, 1, 0, 1, 50, 100}});
  run.regions = {{RegionId{0}, "a", 1, 1}, {RegionId{1}, "b", 2, 2}};
  run.trace.events = {{0, kFullMask, RegionId{0}}, {50, LaneMask{0xFF}, RegionId{1}}};
  run.trace.warps[0].event_count = 1;
  run.trace.warps[1].first_event = 1;
  run.trace.warps[1].event_count = 1;
  const TraceLayout layout(run);
  RowFolds folds(layout, std::make_shared<const RowOrder>(layout, RowChoice{.kind = RowKind::kBlocks}));
  std::vector<RowItem> items;
  folds.collect(run.trace, 0, 0, 100, 0, items);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(folds.lanesOf(0), 64);
  EXPECT_EQ(items[0].end, 50);
  EXPECT_DOUBLE_EQ(items[0].share(64), 0.5);
  EXPECT_DOUBLE_EQ(items[0].liveShare(64), 0.5);
  EXPECT_DOUBLE_EQ(items[1].share(64), 40.0 / 64);
  EXPECT_DOUBLE_EQ(items[1].liveShare(64), 1);
  EXPECT_EQ(items[1].region, 0);
}

TEST(RowChoice, RangesAndCyclesAreReadAsTheyAreWritten) {
  for (const char* text : {"3", "0-3", "4-", "17-20"})
    EXPECT_EQ(numberRangeText(parseNumberRange(text)), text);
  EXPECT_EQ(parseNumberRange("-3"), (NumberRange{0, 3}));
  EXPECT_EQ(parseNumberRange(" 5 - 9 "), std::nullopt);
  EXPECT_EQ(parseNumberRange(" 5-9 "), (NumberRange{5, 9}));
  for (const char* text : {"", "-", "9-3", "x", "1-2-3", "4294967296", "1.5"}) {
    EXPECT_EQ(parseNumberRange(text), std::nullopt) << text;
  }
  EXPECT_EQ(parseCycles("2,000"), 2000);
  EXPECT_EQ(parseCycles(" 17 "), 17);
  for (const char* text : {"", "-5", "many", "99999999999999999999"})
    EXPECT_EQ(parseCycles(text), std::nullopt);
}

}  // namespace
}  // namespace warpscope
