// Traces of launches that a GPU made at the same time, joined on the axis of a run's operations.
#include "kernels/execute/timed_launches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

constexpr double kCyclesPerNs = 1.755;
constexpr uint32_t kBlocks = 12;

// The launch's records, `later_ns` later; its SMs' clocks have counted `cycles` meanwhile.
RawTrace later(RawTrace raw, uint64_t later_ns, uint64_t cycles) {
  for (ProbePackedWarp& warp : raw.warps) {
    warp.header.begin_clock += cycles;
    warp.end_clock += cycles;
    warp.header.begin_globaltimer_ns += later_ns;
    warp.end_globaltimer_ns += later_ns;
  }
  for (ProbeAnchor& anchor : raw.anchors) {
    anchor.clock += cycles;
    anchor.globaltimer_ns += later_ns;
  }
  // Records hold the low bits of the clock.
  for (ProbeRecord& record : raw.records) {
    const uint32_t clock = (record.clock_and_region + static_cast<uint32_t>(cycles)) & 0xFFFFFF;
    record.clock_and_region = (record.clock_and_region & 0xFF000000) | clock;
  }
  return raw;
}

uint64_t firstTimer(const RawTrace& raw) {
  uint64_t first = UINT64_MAX;
  for (const ProbePackedWarp& warp : raw.warps) first = std::min(first, warp.header.begin_globaltimer_ns);
  return first;
}

StreamReport reportFrom(uint64_t globaltimer_ns, double total_ns) {
  StreamReport report;
  report.globaltimer_ns = globaltimer_ns;
  report.total_ns = total_ns;
  return report;
}

std::vector<const TraceWarp*> warpsFrom(const Trace& trace, uint32_t first_block) {
  std::vector<const TraceWarp*> warps;
  for (const TraceWarp& warp : trace.warps) {
    if (warp.block.value >= first_block && warp.block.value < first_block + kBlocks) warps.push_back(&warp);
  }
  return warps;
}

double beginOf_ns(const std::vector<const TraceWarp*>& warps, const Trace& trace) {
  int64_t first = INT64_MAX;
  for (const TraceWarp* warp : warps) first = std::min(first, warp->begin_cycles);
  return static_cast<double>(first) / trace.clocks.cycles_per_ns;
}

TEST(JoinTimed, PutsTheWarpsOfAllLaunchesOnTheAxisOfTheOperations) {
  const RawTrace raw = testing::makeSyntheticTrace().raw;
  constexpr uint64_t kApart_ns = 32'000;
  const auto cycles = static_cast<uint64_t>(kApart_ns * kCyclesPerNs);
  const std::vector<LaunchRecords> launches{{0, raw}, {kBlocks, later(raw, kApart_ns, cycles)}};
  const uint64_t zero = firstTimer(raw) - 50'000;
  const auto joined = joinTimed(launches, reportFrom(zero, 200'000));
  ASSERT_TRUE(joined) << joined.error().message;
  const auto first = warpsFrom(*joined, 0), second = warpsFrom(*joined, kBlocks);
  ASSERT_EQ(first.size(), raw.warps.size());
  ASSERT_EQ(second.size(), raw.warps.size());
  EXPECT_EQ(joined->warps.size(), 2 * raw.warps.size());
  EXPECT_NEAR(joined->clocks.cycles_per_ns, kCyclesPerNs, 0.02);
  EXPECT_NEAR(beginOf_ns(first, *joined), 50'000, 150);
  EXPECT_NEAR(beginOf_ns(second, *joined), 50'000 + kApart_ns, 400);
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(second[i]->block.value, first[i]->block.value + kBlocks);
    EXPECT_EQ(second[i]->sm, first[i]->sm);
    EXPECT_EQ(second[i]->begin_cycles - first[i]->begin_cycles, static_cast<int64_t>(cycles))
        << "exact on an SM";
    const auto events = joined->eventsOf(*second[i]), before = joined->eventsOf(*first[i]);
    ASSERT_EQ(events.size(), before.size());
    for (size_t e = 0; e < events.size(); ++e)
      EXPECT_EQ(events[e].clock_cycles - before[e].clock_cycles, static_cast<int64_t>(cycles));
  }
  EXPECT_EQ(joined->duration_cycles, std::llround(200'000 * joined->clocks.cycles_per_ns))
      << "to the end of the last operation";
  EXPECT_NEAR(*firstMark_ns(launches[1].raw, reportFrom(zero, 0)), 50'000 + kApart_ns, 64);
  EXPECT_NEAR(*lastMark_ns(launches[1].raw, reportFrom(zero, 0)),
              *lastMark_ns(launches[0].raw, reportFrom(zero, 0)) + kApart_ns, 1);
  EXPECT_GT(*lastMark_ns(raw, reportFrom(zero, 0)), *firstMark_ns(raw, reportFrom(zero, 0)));
}

TEST(MarksTellNodes, WhereTheClockDoesNot) {
  EXPECT_FALSE(marksTellNodes({.clock = StreamClock::kActivity}));
  EXPECT_TRUE(marksTellNodes({.clock = StreamClock::kEvents}));
  EXPECT_TRUE(marksTellNodes({.clock = StreamClock::kActivity, .problem = "which is which"}));
}

// Three launches, each deciding on the next; the last one left no mark.
TEST(TakeSkipped, GoesByTheMarks) {
  const RawTrace raw = testing::makeSyntheticTrace().raw;
  RawTrace none = raw;
  none.warps.clear();
  none.anchors.clear();
  const std::vector<LaunchRecords> launches{{0, raw}, {kBlocks, raw}, {2 * kBlocks, none}};
  LaunchPlan plan;
  for (uint32_t i = 0; i < 3; ++i) {
    plan.operations.push_back({.launch = i, .graph = 0});
    if (i > 0) plan.operations.back().only_if = i - 1;
  }
  StreamReport report = reportFrom(firstTimer(raw) - 10'000, 400'000);
  report.operations.resize(3);
  takeSkipped(plan, launches, report);
  EXPECT_FALSE(report.operations[0].skipped || report.operations[1].skipped);
  EXPECT_TRUE(report.operations[2].skipped);
}

// The SMs counted only half as fast while nothing ran: what the timer says is right.
TEST(JoinTimed, PlacesALaunchByTheTimerWhereTheSmClockChanged) {
  const RawTrace raw = testing::makeSyntheticTrace().raw;
  constexpr uint64_t kApart_ns = 320'000;
  const auto cycles = static_cast<uint64_t>(kApart_ns * kCyclesPerNs / 2);
  const std::vector<LaunchRecords> launches{{0, raw}, {kBlocks, later(raw, kApart_ns, cycles)}};
  const auto joined = joinTimed(launches, reportFrom(firstTimer(raw), 400'000));
  ASSERT_TRUE(joined) << joined.error().message;
  const double first = beginOf_ns(warpsFrom(*joined, 0), *joined);
  const double second = beginOf_ns(warpsFrom(*joined, kBlocks), *joined);
  EXPECT_NEAR(first, 0, 3000);
  EXPECT_NEAR(second - first, kApart_ns, 3000);
}

TEST(JoinTimed, RefusesLaunchesWhoseClocksAreShiftedDifferently) {
  const RawTrace raw = testing::makeSyntheticTrace().raw;
  const RawTrace shifted = testing::makeSyntheticTrace({.clock_shift = 2}).raw;
  const auto joined = joinTimed({{0, raw}, {kBlocks, shifted}}, reportFrom(firstTimer(raw), 0));
  ASSERT_FALSE(joined);
  EXPECT_NE(joined.error().message.find("shifted by 0 and by 2 bits"), std::string::npos)
      << joined.error().message;
}

TEST(JoinTimed, CountsWhatNoLaunchRecorded) {
  RawTrace raw = testing::makeSyntheticTrace().raw;
  raw.warps_seen += 5;
  const auto joined =
      joinTimed({{0, raw}, {kBlocks, later(raw, 32'000, 56'160)}}, reportFrom(firstTimer(raw), 0));
  ASSERT_TRUE(joined) << joined.error().message;
  EXPECT_EQ(joined->unrecorded_warps, 10U);
  EXPECT_EQ(firstMark_ns({}, reportFrom(1, 0)), std::nullopt);
  EXPECT_EQ(lastMark_ns({}, reportFrom(1, 0)), std::nullopt);
}

}  // namespace
}  // namespace warpscope
