// Tags, what L2 holds from before, and how its slices serve requests.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "kernels/sim/sm/l2_cache.h"
#include "kernels/sim/sm/sectored_tags.h"
#include "kernels/sim/sm/warm_ranges.h"
#include "tests/support/plain_machine_code.h"

namespace warpscope::sim {
namespace {

TEST(SectoredTags, AreEmptyWheneverTheyAreCleared) {
  SectoredTags tags(2 * 128, 1);  // two sets
  CacheLine evicted;
  for (int times = 0; times < 1000; ++times) {  // more than there are generations
    const auto line = static_cast<uint64_t>(times % 7);
    ASSERT_EQ(tags.find(line), nullptr) << times;
    if (times % 3 == 0) tags.findOrReplace(line, evicted);
    tags.clear();
  }
}

TEST(SectoredTags, ReplacesTheLeastRecentlyUsed) {
  SectoredTags tags(4 * 128, 4);  // one set
  CacheLine evicted{};
  for (uint64_t line = 1; line <= 4; ++line) tags.findOrReplace(line, evicted).valid = 0xF;
  ASSERT_NE(tags.find(1), nullptr);
  CacheLine gone{};
  tags.findOrReplace(5, gone);
  EXPECT_EQ(gone.line, 2U);
  EXPECT_EQ(tags.find(2), nullptr);
  EXPECT_NE(tags.find(1), nullptr);
}

TEST(WarmRanges, LoseWhatWasUsedLongestAgo) {
  WarmRanges ranges(100);
  const auto holds = [&](uint64_t line, const WarmRanges::Used& used) {
    const auto range = ranges.find(line);
    return range && ranges.usedSince(*range, line, used, 1) <= 1;
  };
  ranges.touch(0, 59);
  EXPECT_TRUE(holds(0, {0, 0}));
  EXPECT_FALSE(holds(60, {0, 0})) << "never touched";
  ranges.touch(1000, 1059);
  EXPECT_FALSE(holds(0, {0, 0, 0})) << "119 lines have followed it";
  EXPECT_TRUE(holds(59, {0, 0, 0}));
  EXPECT_TRUE(holds(1000, {0, 60, 0})) << "a launch that reads a range which fits finds all of it";
  EXPECT_FALSE(holds(1000, {0, 0, 50})) << "50 others came";
  ranges.touch(1000, 1010);
  EXPECT_EQ(ranges.size(), 3U) << "what is left of a range keeps its place";
  EXPECT_EQ(ranges.formerIndices().back(), std::nullopt);
  EXPECT_EQ(ranges.formerIndices()[1], 1U);
  EXPECT_EQ(ranges.freshLines(), 120U) << "each line once, however often it is touched";
  ranges.settle();
  ranges.touch(1000, 1010);
  EXPECT_EQ(ranges.freshLines(), 11U);
}

TEST(WarmRanges, KeepMoreWhereOnlyAPartWasUsed) {
  WarmRanges ranges(100);
  ranges.touch(0, 199, false, 0.25);
  ranges.touch(1000, 1039);
  EXPECT_DOUBLE_EQ(ranges.freshLines(), 90);
  const auto used = [&](uint64_t line) { return ranges.usedSince(*ranges.find(line), line, {0, 0, 0}, 1); };
  EXPECT_DOUBLE_EQ(used(199), 0.4);
  EXPECT_DOUBLE_EQ(used(0), 0.4 + 0.25 * 199 / 100);
}

// One request for each of `lines` lines, served.
L2Counters servedOneByOne(L2Cache& l2, uint64_t lines, L2Request request, uint32_t sm = 0) {
  RequestBatch batch;
  for (request.line = 0; request.line < lines; ++request.line) batch.push_back(request);
  const SentRequests sent[] = {{sm, &batch}};
  l2.serveAll(sent);
  return l2.counters();
}

// As counted on an H100: half of the lines are at home in the other partition.
TEST(L2Cache, CountsTheWayThroughTheOtherPartition) {
  constexpr uint64_t kLines = 32 * L2Cache::kPartitionLines;
  constexpr uint32_t kSectors = 4 * kLines;
  L2Cache l2(testProfile(4));
  l2.beginLaunch(1);
  const L2Request store{.sectors = 0xF, .full = 0xF, .kind = RequestKind::kStore};
  EXPECT_EQ(servedOneByOne(l2, kLines, store).writes, kSectors * 3 / 2);
  L2Request load{.sectors = 0xF, .kind = RequestKind::kLoad};
  EXPECT_EQ(servedOneByOne(l2, kLines, load).reads, kSectors) << "the writer's partition has copies";
  load.partition = 1;
  load.arrival = 1'000;
  uint64_t before = l2.counters().reads;
  EXPECT_EQ(servedOneByOne(l2, kLines, load).reads - before, kSectors * 3 / 2) << "the other has none";
  before = l2.counters().reads;
  EXPECT_EQ(servedOneByOne(l2, kLines, load, 1).reads, before) << "another SM's meet those before";
  load.arrival = 10'000;
  EXPECT_EQ(servedOneByOne(l2, kLines, load).reads - before, kSectors) << "copies are there now";
}

TEST(RequestCoalescer, LoadsOfTheSameSectorsMeet) {
  RequestCoalescer loads;
  loads.add({.line = 7, .done = 500, .until = 250, .sectors = 0b0011, .group = 2});
  const auto* last = loads.last(7, 2);
  ASSERT_NE(last, nullptr);
  EXPECT_TRUE(RequestCoalescer::meets(*last, 1, 0b0010, 249));
  EXPECT_FALSE(RequestCoalescer::meets(*last, 1, 0b0010, 250)) << "too late";
  EXPECT_FALSE(RequestCoalescer::meets(*last, 1, 0b0110, 249)) << "another sector";
  EXPECT_FALSE(RequestCoalescer::meets(*last, 0, 0b0010, 249)) << "the same SM";
  EXPECT_EQ(loads.last(7, 3), nullptr) << "another GPC";
  EXPECT_EQ(loads.last(8, 2), nullptr) << "another line";
  loads.clear();
  EXPECT_EQ(loads.last(7, 2), nullptr);
}

// On an H100 each trip of a loop that stores a word and loads it again takes 75 cycles more than a load on
// average: stores to half of the lines are on their way to the other partition.
TEST(L2Cache, ALoadWaitsForTheStoreBeforeIt) {
  L2Cache l2(testProfile(4));
  l2.beginLaunch(1);
  const auto done = [&](uint64_t line, RequestKind kind) {
    RequestBatch batch;
    batch.push_back({.line = line, .sectors = 1, .full = 1, .kind = kind});
    const SentRequests sent[] = {{0, &batch}};
    l2.serveAll(sent);
    return batch.front().done;
  };
  uint64_t line = 0;
  while (!L2Cache::isAtHomeIn(line, 1)) line += L2Cache::kPartitionLines;
  const uint64_t stored = done(line, RequestKind::kStore);
  EXPECT_EQ(done(line, RequestKind::kLoad), stored + 150);
}

TEST(L2Cache, AtomicsOnOneSectorTakeTheirTurns) {
  DeviceProfile profile = testProfile(4);
  profile.l2_read_requests_per_cycle = profile.l2_slices;  // looked up faster than they are worked on
  const auto cycles = [&](AtomicWork work) {
    L2Cache l2(profile);
    l2.touch(0, kLineBytes);
    l2.beginLaunch(1);
    RequestBatch batch;
    for (uint32_t i = 0; i < 1000; ++i) {
      batch.push_back({.sectors = 1, .atomic = work, .kind = RequestKind::kAtomic});
    }
    const SentRequests sent[] = {{0, &batch}};
    l2.serveAll(sent);
    return static_cast<double>(batch.back().done);
  };
  const AtomicWork one{.serial = {1}, .addresses = {1}};
  AtomicWork lanes = one, words = one, floats = one;
  lanes.serial = {8};
  words.addresses = {8};
  floats.adds_floats = true;
  EXPECT_NEAR(cycles(lanes) / cycles(one), 8, 2) << "eight lanes add to one word";
  EXPECT_LT(cycles(words), cycles(one)) << "eight words of a sector are one operation";
  EXPECT_NEAR(cycles(floats) / cycles(one), 2.35, 0.5) << "a sum of floats waits for the one before";
}

TEST(L2Cache, LinesThatWereWrittenHaveNoCopies) {
  constexpr uint64_t kLines = 32 * L2Cache::kPartitionLines;
  const auto reads = [](bool written) {
    L2Cache l2(testProfile(4));
    l2.touch(0, kLines * kLineBytes, written);
    l2.beginLaunch(1);
    return servedOneByOne(l2, kLines, {.sectors = 0xF, .kind = RequestKind::kLoad}).reads;
  };
  EXPECT_EQ(reads(false), 4 * kLines);
  EXPECT_EQ(reads(true), 4 * kLines * 3 / 2) << "half of the lines are at home in the other partition";
}

TEST(L2Cache, ReadsTwoSectorsAtATime) {
  DeviceProfile profile = testProfile(4);
  profile.l2.bytes = 32 << 20;
  profile.l2_read_requests_per_cycle = profile.l2.bytes_per_cycle * 72 / 3875;  // as on an H100
  profile.l2_write_bytes_per_cycle = profile.l2.bytes_per_cycle * 1821 / 3875;
  const auto cycles = [&](uint8_t sectors, bool written = false) {
    L2Cache l2(profile);
    constexpr uint32_t kLines = 65536;
    l2.touch(0, kLines * kLineBytes, written);
    l2.beginLaunch(1);
    RequestBatch batch;
    for (uint32_t line = 0; line < kLines; ++line) {
      batch.push_back({.line = line, .sectors = sectors, .kind = RequestKind::kLoad});
    }
    const SentRequests sent[] = {{0, &batch}};
    l2.serveAll(sent);
    uint64_t last = 0;
    for (const L2Request& request : batch) last = std::max(last, request.done);
    return static_cast<double>(last) - (profile.l2.latency_cycles - l2.outwardCycles());
  };
  EXPECT_NEAR(cycles(0b0011) / cycles(0b0001), 1.12, 0.05) << "whichever two they are";
  EXPECT_NEAR(cycles(0b0101) / cycles(0b0001), 1.12, 0.05);
  // On an H100 (2026-11-27) 72 single sectors a cycle, and 30 whole lines in a row.
  EXPECT_NEAR(cycles(0b1111) / cycles(0b0001), 72 / 30.3, 0.1);
  constexpr double kOtherPartitionCycles = 150;  // more latency
  EXPECT_NEAR((cycles(0b0001, true) - kOtherPartitionCycles) / cycles(0b0001), 1.6, 0.1)
      << "half of them ask the other partition";
  // The same H100 reads whole lines at 3,875 bytes a cycle, and at about 2,100 after an upload.
  EXPECT_NEAR((cycles(0b1111, true) - kOtherPartitionCycles) / cycles(0b1111), 3875.0 / 2100, 0.1)
      << "half of them cross the connection of the partitions";
}

}  // namespace
}  // namespace warpscope::sim
