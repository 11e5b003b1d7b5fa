// Mean resident warps from the begin and end times of warps: each case is small enough to work out by hand.
#include "kernels/occupancy/resident_warps.h"

#include <gtest/gtest.h>

#include <vector>

namespace warpscope {
namespace {

constexpr uint32_t kTurn = 300;

struct Warp {
  uint32_t begin = 0, end = 0, slot = 0;
  uint32_t sm = 0;
  uint16_t wait = 0, probe = 0;  // `wait` comes after `end`, and `probe` after that
};

// A launch with blocks of one warp, two of which fit on an SM.
struct Launch {
  std::vector<ProbeStay> stays;
  uint32_t warps_per_block = 1, resident_warps = 2;
  double turn_cycles = kTurn;

  void add(const Warp& warp) {
    stays.push_back({warp.begin, warp.end + warp.wait, warp.wait, warp.probe,
                     kProbeStayWritten | warp.sm << 8 | warp.slot});
  }
  void addUnwritten() { stays.emplace_back(); }
  std::optional<ResidentWarps> resident(uint32_t sm_count = 0) const {
    return meanResidentWarps({stays, warps_per_block, resident_warps, turn_cycles, sm_count});
  }
  std::optional<double> mean() const {
    const auto found = resident();
    return found ? std::optional(found->mean) : std::nullopt;
  }
};

TEST(ResidentWarps, NothingWrittenIsNothingKnown) {
  Launch launch;
  EXPECT_FALSE(launch.mean());
  launch.addUnwritten();
  EXPECT_FALSE(launch.mean());
}

TEST(ResidentWarps, AreTheirCyclesOverThoseWithAnyWarp) {
  Launch launch;
  launch.add({.begin = 1000, .end = 2000, .slot = 0});
  launch.add({.begin = 1500, .end = 2500, .slot = 1});
  EXPECT_DOUBLE_EQ(launch.mean().value(), 2000.0 / 1500);
}

TEST(ResidentWarps, AnSmsClockMayWrap) {
  Launch launch;
  launch.add({.begin = 0xFFFFFF00U, .end = 0xFFFFFF00U + 1000, .slot = 0});
  launch.add({.begin = 0xFFFFFF00U + 500, .end = 0xFFFFFF00U + 1500, .slot = 1});
  EXPECT_DOUBLE_EQ(launch.mean().value(), 2000.0 / 1500);
}

TEST(ResidentWarps, AreTheMedianOfSmsEachByItsOwnClock) {
  Launch launch;
  launch.add({.begin = 1000, .end = 2000, .slot = 0, .sm = 0});
  launch.add({.begin = 900'000, .end = 903'000, .slot = 0, .sm = 3});
  launch.add({.begin = 900'000, .end = 903'000, .slot = 1, .sm = 3});
  launch.addUnwritten();
  EXPECT_DOUBLE_EQ(launch.mean().value(), 1.5);
  // An SM that is busy with a last block for much longer says nothing about the others.
  launch.add({.begin = 0, .end = 1000, .slot = 0, .sm = 6});
  launch.add({.begin = 0, .end = 1500, .slot = 1, .sm = 6});
  EXPECT_DOUBLE_EQ(launch.mean().value(), 2500.0 / 1500);
}

// The cycles that the probe's own store takes, once in each of two slots' turns, out of the cycles in which
// there are warps.
constexpr double kProbeStore = 80;

TEST(ResidentWarps, APlaceIsEmptyBetweenOneBlockAndTheNext) {
  Launch launch;
  launch.add({.begin = 0, .end = 700, .slot = 0});
  launch.add({.begin = 0, .end = 1000, .slot = 1});
  launch.add({.begin = 1000, .end = 1700, .slot = 0});
  launch.add({.begin = 1300, .end = 1700, .slot = 1});
  EXPECT_DOUBLE_EQ(launch.mean().value(), (700 + 1000 + 700 + 400) / (1700 - kProbeStore));
}

TEST(ResidentWarps, APlaceThatIsFreeForMuchLongerIsHeld) {
  // By a new warp that waits for its first instruction, or an old one whose stores are in flight.
  Launch launch;
  launch.add({.begin = 0, .end = 1000, .slot = 0});
  launch.add({.begin = 0, .end = 4000, .slot = 1});
  launch.add({.begin = 1000 + 2 * kTurn, .end = 4000, .slot = 0});
  EXPECT_DOUBLE_EQ(launch.mean().value(), (1000 + 4000 + 3000 - 2.0 * kTurn) / (4000 - kProbeStore / 2));
  launch.stays.back().begin_clock = 3000;
  EXPECT_DOUBLE_EQ(launch.mean().value(), (1000 + 4000 + 3000 - 1.0 * kTurn) / (4000 - kProbeStore / 2));
  launch.turn_cycles = 0;  // not measured: an H100's figure
  EXPECT_DOUBLE_EQ(launch.mean().value(), (1000 + 4000 + 3000 - 335) / (4000 - kProbeStore / 2));
}

TEST(ResidentWarps, BlocksWaitForThePlacesOfAllTheirWarps) {
  Launch launch;
  launch.warps_per_block = 2;
  launch.add({.begin = 0, .end = 400, .slot = 0});  // exits early: its slot stays empty
  launch.add({.begin = 0, .end = 1000, .slot = 1});
  launch.add({.begin = 2000, .end = 3300, .slot = 0});
  launch.add({.begin = 2100, .end = 3300, .slot = 1});  // both were given their slots at 1300
  EXPECT_DOUBLE_EQ(launch.mean().value(), (400 + 1000 + 2000 + 2000) / (3000 - kProbeStore));
}

TEST(ResidentWarps, WhereABlocksWarpsBeginFarApartTheFirstOneWaitedToo) {
  Launch launch;
  launch.warps_per_block = 2;
  launch.add({.begin = 0, .end = 1000, .slot = 0});
  launch.add({.begin = 0, .end = 1000, .slot = 1});
  launch.add({.begin = 1000 + kTurn + 200, .end = 3000, .slot = 0});
  launch.add({.begin = 1000 + 2 * kTurn + 200, .end = 3000, .slot = 1});
  EXPECT_DOUBLE_EQ(launch.mean().value(), (2000 + 1500 + 1200) / (2500 - kProbeStore));
  ++launch.stays.back().begin_clock;           // both have been there since 1000 + kTurn
  EXPECT_DOUBLE_EQ(launch.mean().value(), 2);  // 5400 / (2700 - kProbeStore) are no more than fit
  launch.stays[2].through_clock = 2000;
  EXPECT_DOUBLE_EQ(launch.mean().value(), (2000 + 700 + 1700) / (2700 - kProbeStore));
}

TEST(ResidentWarps, WhatTheProbeTakesIsTakenOut) {
  Launch launch;
  // Each pays 60 cycles: a wait of 20, and 40 for the rest.
  launch.add({.begin = 0, .end = 1000, .slot = 0, .wait = 20, .probe = 40});
  launch.add({.begin = 0, .end = 1000, .slot = 1, .wait = 20, .probe = 40});
  launch.add({.begin = 1400, .end = 2400, .slot = 0, .wait = 20, .probe = 40});
  launch.add({.begin = 1300, .end = 2000, .slot = 1, .wait = 20, .probe = 40});
  EXPECT_DOUBLE_EQ(launch.mean().value(), 3700 / (1000 + 1100 - 60 - kProbeStore));
}

TEST(ResidentWarps, ComeWithWhatShowsHowFarTheyMayBeOff) {
  Launch launch;
  launch.add({.begin = 0, .end = 1000, .slot = 0, .wait = 20, .probe = 40});
  launch.add({.begin = 0, .end = 4000, .slot = 1, .wait = 20, .probe = 40});
  launch.add({.begin = 3000, .end = 4000, .slot = 0, .wait = 20, .probe = 40});
  const ResidencyEvidence alone = launch.resident(2).value().evidence;
  EXPECT_DOUBLE_EQ(alone.probe_cycles, 60 + kProbeStore);
  EXPECT_DOUBLE_EQ(alone.probe_share, alone.probe_cycles / (alone.probe_cycles + 2000));
  // From 300 cycles after the end of the block before.
  const double held = 3000 - (1060 + kTurn);
  EXPECT_DOUBLE_EQ(alone.held_share, held / (6000 + held));
  EXPECT_EQ(alone.spread_warps, 0);
  EXPECT_DOUBLE_EQ(alone.uneven_share, 1 - 1.5 / 2) << "three blocks on two SMs";
  EXPECT_EQ(launch.resident(3).value().evidence.uneven_share, 0);
  EXPECT_EQ(launch.resident(5).value().evidence.uneven_share, 0) << "the others have none";
  launch.add({.begin = 0, .end = 1000, .slot = 0, .sm = 4});
  const ResidentWarps two = launch.resident().value();
  EXPECT_GT(two.evidence.spread_warps, 0.3);
  EXPECT_LT(two.evidence.spread_warps, 0.9);
}

TEST(ResidentWarps, ALongWaitIsForAWarpsOwnStores) {
  Launch launch;
  launch.add({.begin = 0, .end = 1000, .slot = 0, .wait = 20});
  launch.add({.begin = 0, .end = 1000, .slot = 1, .wait = 20 + kTurn + 200});
  EXPECT_DOUBLE_EQ(launch.mean().value(), (1000 + 1500) / 1500.0);
  launch.stays.back().wait_cycles = 20 + kTurn;  // its last instruction was later by this much
  EXPECT_DOUBLE_EQ(launch.mean().value(), (1000 + 1200) / 1200.0);
}

TEST(ResidentWarps, AreNeverMoreThanFit) {
  Launch launch;
  launch.resident_warps = 1;
  launch.add({.begin = 0, .end = 1000, .slot = 0});
  launch.add({.begin = 0, .end = 1000, .slot = 1});
  EXPECT_DOUBLE_EQ(launch.mean().value(), 1);
}

TEST(ResidentWarps, OnLargeGpusAFewSmsWrite) {
  EXPECT_EQ(residencySmMask(132), 15U);  // 9 SMs
  EXPECT_EQ(residencySmMask(16), 3U);
  EXPECT_EQ(residencySmMask(4), 0U);
  EXPECT_EQ(residencySmMask(0), 0U);
}

}  // namespace
}  // namespace warpscope
