// Checks barriers in the simulated GPU's trace: no warp leaves before the last one of its group has arrived,
// and only the group waits.
#include <algorithm>
#include <map>

#include "kernels/experiments/barriers/regions.h"
#include "tests/device/device_fixture.h"

namespace warpscope::test {
namespace {

using namespace barriers;

using Barriers = DeviceTest;

constexpr int64_t kRounds = 4;

// For each group of warps in each block, round by round.
struct Meeting {
  std::vector<int64_t> arrived, left;  // cycles, per warp
};
using Meetings = std::map<std::pair<uint32_t, uint32_t>, std::vector<Meeting>>;  // by block and group

Meetings meetingsOf(const Run& run, uint32_t warps_per_group) {
  Meetings meetings;
  for (const TraceWarp& warp : run.trace.warps) {
    auto& rounds = meetings[{warp.block.value, warp.warp_in_block / warps_per_group}];
    rounds.resize(kRounds);
    size_t arrivals = 0, departures = 0;
    for (const TraceEvent& event : run.trace.eventsOf(warp)) {
      if (event.region.value == kWait) rounds.at(arrivals++).arrived.push_back(event.clock_cycles);
      if (event.region.value == kExchange) rounds.at(departures++).left.push_back(event.clock_cycles);
    }
    EXPECT_EQ(arrivals, kRounds);
    EXPECT_EQ(departures, kRounds);
  }
  return meetings;
}

Run runBarriers(const char* variant) {
  return runRecorded("barriers", variant,
                     {{"size", 4096}, {"block", 512}, {"rounds", kRounds}, {"work", 64}});
}

// The number of meetings that a warp left before the last one had arrived.
size_t leftEarly(const Run& run, uint32_t warps_per_group) {
  size_t early = 0;
  for (const auto& [group, rounds] : meetingsOf(run, warps_per_group)) {
    for (const Meeting& meeting : rounds) {
      EXPECT_EQ(meeting.arrived.size(), warps_per_group);
      early +=
          std::ranges::min(meeting.left) + run.trace.clock_quantum_cycles < std::ranges::max(meeting.arrived)
              ? 1
              : 0;
    }
  }
  return early;
}

TEST_F(Barriers, AllWarpsOfABlockLeaveAfterTheLastArrives) {
  const auto run = runBarriers("block_wide");
  EXPECT_EQ(run.trace.warps.size(), 4096U / 32);
  EXPECT_EQ(leftEarly(run, 512 / 32), 0U);
}

TEST_F(Barriers, TilesWaitForTheirOwnWarpsOnly) {
  const auto run = runBarriers("tile_wide");
  EXPECT_EQ(leftEarly(run, kTileThreads / 32), 0U);
  EXPECT_GT(leftEarly(run, 512 / 32), 0U) << "tiles wait for each other";
}

TEST_F(Barriers, WarpsThatMeetAloneNeverWaitForOthers) {
  const auto run = runBarriers("warp_wide");
  EXPECT_EQ(leftEarly(run, 1), 0U);
  // The slowest and the fastest warp differ by a factor of eight in every round.
  EXPECT_EQ(leftEarly(run, 512 / 32), 4096U / 512 * kRounds);
}

TEST_F(Barriers, TheFewerWaitForEachOtherTheSoonerAllAreDone) {
  const double block_us = runBarriers("block_wide").timing.median_us;
  const double tile_us = runBarriers("tile_wide").timing.median_us;
  const double warp_us = runBarriers("warp_wide").timing.median_us;
  EXPECT_GT(block_us, tile_us);
  EXPECT_GT(tile_us, warp_us);
}

}  // namespace
}  // namespace warpscope::test
