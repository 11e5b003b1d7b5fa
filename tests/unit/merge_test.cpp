// Merging of lane logs into a trace: order under divergence, unwrapping of 24-bit clocks, and refusal of
// impossible data.
#include "kernels/execute/merge.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

using testing::makeSyntheticTrace;

// The merged warp must be the true one: the same events in the same order with the same distances; only the
// whole SM may be off by its uncertainty.
void expectSameWarps(const Trace& merged, const Trace& truth, int64_t quantum) {
  ASSERT_EQ(merged.warps.size(), truth.warps.size());
  ASSERT_EQ(merged.events.size(), truth.events.size());
  for (size_t w = 0; w < truth.warps.size(); ++w) {
    const TraceWarp& got = merged.warps[w];
    const TraceWarp& want = truth.warps[w];
    EXPECT_EQ(got.sm, want.sm);
    EXPECT_EQ(got.block, want.block);
    EXPECT_EQ(got.warp_in_block, want.warp_in_block);
    EXPECT_EQ(got.hardware_slot, want.hardware_slot);
    EXPECT_EQ(got.live, want.live);
    EXPECT_EQ(got.dropped_events, want.dropped_events);
    EXPECT_EQ(got.end_cycles - got.begin_cycles, want.end_cycles - want.begin_cycles);
    const auto got_events = merged.eventsOf(got);
    const auto want_events = truth.eventsOf(want);
    ASSERT_EQ(got_events.size(), want_events.size());
    for (size_t e = 0; e < want_events.size(); ++e) {
      EXPECT_EQ(got_events[e].mask, want_events[e].mask) << "warp " << w << " event " << e;
      EXPECT_EQ(got_events[e].region, want_events[e].region);
      const int64_t got_clock = got_events[e].clock_cycles - got.begin_cycles;
      const int64_t want_clock = want_events[e].clock_cycles - want.begin_cycles;
      EXPECT_LE(std::abs(got_clock - want_clock), quantum - 1) << "warp " << w << " event " << e;
    }
  }
}

TEST(MergeTrace, RestoresEveryWarpUnderDivergence) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    const auto made = makeSyntheticTrace({.seed = seed});
    const auto merged = mergeTrace(made.raw);
    ASSERT_TRUE(merged.has_value()) << merged.error().message;
    expectSameWarps(*merged, made.truth, 1);
    EXPECT_EQ(merged->dropped_events, 0U);
    EXPECT_TRUE(merged->problems.empty()) << merged->problems.front().cause;
  }
}

TEST(MergeTrace, RestoresUniformWarpsAndPartialOnes) {
  const auto made = makeSyntheticTrace({.block_threads = 33, .divergent = false, .early_exits = false});
  const auto merged = mergeTrace(made.raw);
  ASSERT_TRUE(merged.has_value()) << merged.error().message;
  expectSameWarps(*merged, made.truth, 1);
  EXPECT_EQ(merged->warps[1].live, LaneMask{1});
}

TEST(MergeTrace, AShiftedClockIsGoodToItsQuantum) {
  for (const uint32_t shift : {1U, 4U, 10U}) {
    // Marks are further apart than a quantum, so that their order is certain.
    const auto made = makeSyntheticTrace({.clock_shift = shift, .span_cycles = 6000, .seed = shift});
    const auto merged = mergeTrace(made.raw);
    ASSERT_TRUE(merged.has_value()) << merged.error().message;
    EXPECT_EQ(merged->clock_quantum_cycles, 1U << shift);
    size_t events = 0;
    for (const TraceWarp& warp : merged->warps) {
      events += warp.event_count;
      int64_t before = warp.begin_cycles;
      for (const TraceEvent& event : merged->eventsOf(warp)) {
        EXPECT_GE(event.clock_cycles, before);
        EXPECT_LE(event.clock_cycles, warp.end_cycles);
        before = event.clock_cycles;
      }
    }
    EXPECT_EQ(events, made.truth.events.size());
    EXPECT_TRUE(merged->problems.empty());
  }
}

TEST(MergeTrace, UnwrapsClocksThatPass24Bits) {
  // 16.7 million cycles wrap the record's clock; most warps of 12 million cycles cross a wrap.
  const auto made =
      makeSyntheticTrace({.sms = 3, .blocks = 6, .trips = 10, .span_cycles = 700'000, .seed = 3});
  const auto merged = mergeTrace(made.raw);
  ASSERT_TRUE(merged.has_value()) << merged.error().message;
  expectSameWarps(*merged, made.truth, 1);
}

TEST(MergeTrace, SaysWhenAWarpIsTooLongForItsClock) {
  const auto made = makeSyntheticTrace({.sms = 1, .blocks = 1, .trips = 40, .span_cycles = 1'000'000});
  ASSERT_GT(made.truth.duration_cycles, 1 << 24);
  const auto merged = mergeTrace(made.raw);
  ASSERT_TRUE(merged.has_value()) << merged.error().message;
  ASSERT_FALSE(merged->problems.empty());
  EXPECT_NE(merged->problems.back().cause.find("longer than the 24 bits"), std::string::npos);
  for (const TraceWarp& warp : merged->warps) {
    for (const TraceEvent& event : merged->eventsOf(warp)) EXPECT_LE(event.clock_cycles, warp.end_cycles);
  }
}

TEST(MergeTrace, CountsDroppedEventsPerWarpAndSaysSo) {
  const auto made = makeSyntheticTrace({.trips = 10, .records_per_lane = 5});
  ASSERT_GT(made.truth.dropped_events, 0U);
  const auto merged = mergeTrace(made.raw);
  ASSERT_TRUE(merged.has_value()) << merged.error().message;
  expectSameWarps(*merged, made.truth, 1);
  EXPECT_EQ(merged->dropped_events, made.truth.dropped_events);
  ASSERT_EQ(merged->problems.size(), 1U);
  EXPECT_EQ(merged->problems[0].count, made.truth.dropped_events);
}

TEST(MergeTrace, CountsWarpsThatFoundNoSlot) {
  auto made = makeSyntheticTrace();
  made.raw.warps_seen += 12;
  const auto merged = mergeTrace(made.raw);
  ASSERT_TRUE(merged.has_value());
  EXPECT_EQ(merged->unrecorded_warps, 12U);
  EXPECT_NE(merged->problems.at(0).cause.find("12 later ones found no free slot"), std::string::npos);
}

TEST(MergeTrace, WarpsAreSortedWhateverTheirOrder) {
  auto made = makeSyntheticTrace();
  std::reverse(made.raw.warps.begin(), made.raw.warps.end());
  const auto merged = mergeTrace(made.raw);
  ASSERT_TRUE(merged.has_value());
  expectSameWarps(*merged, made.truth, 1);
}

TEST(MergeTrace, AnEmptyTraceIsEmpty) {
  const auto merged = mergeTrace({});
  ASSERT_TRUE(merged.has_value()) << merged.error().message;
  EXPECT_TRUE(merged->warps.empty());
  EXPECT_EQ(merged->duration_cycles, 0);
}

// Each case takes a good trace and breaks one thing; the error must name the warp.
struct Damage {
  const char* what;
  void (*apply)(RawTrace& raw);
};

class MergeRefuses : public ::testing::TestWithParam<Damage> {};

TEST_P(MergeRefuses, AndNamesTheWarp) {
  auto made = makeSyntheticTrace();
  GetParam().apply(made.raw);
  const auto merged = mergeTrace(made.raw);
  ASSERT_FALSE(merged.has_value());
  EXPECT_NE(merged.error().message.find("block 3 warp 0"), std::string::npos) << merged.error().message;
}

// The first warp of block 3, with three warps per block.
ProbePackedWarp& victim(RawTrace& raw) {
  return raw.warps[9];
}

INSTANTIATE_TEST_SUITE_P(
    Damages, MergeRefuses,
    ::testing::Values(
        Damage{"records beyond the end", [](RawTrace& raw) { victim(raw).first_record = 0xFFFFFFF0U; }},
        Damage{"too many records", [](RawTrace& raw) { victim(raw).record_count = 0xFFFFFFFFU; }},
        Damage{"no live lane", [](RawTrace& raw) { victim(raw).header.live_mask = 0; }},
        Damage{"an impossible SM", [](RawTrace& raw) { victim(raw).header.sm = 0x80000000U; }},
        Damage{"an impossible warp",
               [](RawTrace& raw) {
                 raw.warps[9].header.live_mask = 0;
                 raw.warps[10].header.warp_in_block = 32;
               }},
        Damage{"an end before the begin", [](RawTrace& raw) { victim(raw).end_clock = 5; }},
        Damage{"an empty mask", [](RawTrace& raw) { raw.records[victim(raw).first_record].mask = 0; }},
        Damage{"a lane that is not live",
               [](RawTrace& raw) {
                 victim(raw).header.live_mask = 0x0FFFFFFF;
                 raw.records[victim(raw).first_record].mask = 0xF0000000;
               }},
        Damage{"the same warp twice", [](RawTrace& raw) { raw.warps.push_back(victim(raw)); }}),
    [](const auto& info) {
      std::string name = info.param.what;
      std::ranges::replace(name, ' ', '_');
      return name;
    });

TEST(MergeTrace, RefusesAnImpossibleShift) {
  auto made = makeSyntheticTrace();
  made.raw.clock_shift = 77;
  EXPECT_FALSE(mergeTrace(made.raw).has_value());
}

}  // namespace
}  // namespace warpscope
