// The cost of addresses: sectors of global memory, wavefronts of shared memory.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <numeric>

#include "kernels/access/coalescer.h"

namespace warpscope::sim {
namespace {

constexpr uint32_t kAllLanes = ~0U;

std::array<uint64_t, 32> strided(uint64_t base, uint64_t stride) {
  std::array<uint64_t, 32> addresses{};
  for (uint64_t lane = 0; lane < 32; ++lane) addresses[lane] = base + lane * stride;
  return addresses;
}

uint32_t sectorsOf(const std::array<uint64_t, 32>& addresses, uint32_t mask, uint32_t bytes) {
  std::array<LineAccess, kMaxLines> lines;
  const uint32_t count = coalesce(addresses.data(), mask, bytes, lines.data());
  uint32_t sectors = 0;
  for (uint32_t i = 0; i < count; ++i) sectors += static_cast<uint32_t>(std::popcount(lines[i].sectors));
  return sectors;
}

TEST(Coalescer, CountsSectorsAsTheyAreTouched) {
  EXPECT_EQ(sectorsOf(strided(4096, 4), kAllLanes, 4), 4U);
  EXPECT_EQ(sectorsOf(strided(4096 + 4, 4), kAllLanes, 4), 5U);  // misaligned by one word
  EXPECT_EQ(sectorsOf(strided(4096, 8), kAllLanes, 4), 8U);      // every other word
  EXPECT_EQ(sectorsOf(strided(4096, 128), kAllLanes, 4), 32U);   // a column
  EXPECT_EQ(sectorsOf(strided(4096, 0), kAllLanes, 4), 1U);      // all the same
  EXPECT_EQ(sectorsOf(strided(4096, 16), kAllLanes, 16), 16U);   // vectors
  EXPECT_EQ(sectorsOf(strided(4096, 4), 0x0000FFFFU, 4), 2U);    // half a warp
  EXPECT_EQ(sectorsOf(strided(4096, 4), 0, 4), 0U);
}

TEST(Coalescer, KnowsSectorsWrittenInFull) {
  std::array<LineAccess, kMaxLines> lines;
  const auto aligned = strided(4096, 4);
  ASSERT_EQ(coalesce(aligned.data(), kAllLanes, 4, lines.data()), 1U);
  EXPECT_EQ(lines[0].line, 32U);
  EXPECT_EQ(lines[0].full, 0xF);
  const auto shifted = strided(4096 + 4, 4);
  ASSERT_EQ(coalesce(shifted.data(), kAllLanes, 4, lines.data()), 2U);
  EXPECT_EQ(lines[0].full, 0xE);
  EXPECT_EQ(lines[1].sectors, 1);
  EXPECT_EQ(lines[1].full, 0);
  const auto bytes = strided(4096, 4);
  ASSERT_EQ(coalesce(bytes.data(), kAllLanes, 1, lines.data()), 1U);
  EXPECT_EQ(lines[0].full, 0);
}

// Lanes that follow one another are not looked at one by one.
TEST(Coalescer, FindsTheSameLinesForAllLanesTogether) {
  for (const uint32_t bytes : {1U, 2U, 4U, 8U, 16U}) {
    for (uint64_t offset = 0; offset < 256; offset += bytes) {
      const auto addresses = strided(4096 + offset, bytes);
      std::array<LineAccess, kMaxLines> together, first, second;
      const uint32_t count = coalesce(addresses.data(), kAllLanes, bytes, together.data());
      uint32_t both = coalesce(addresses.data(), 0x7FFF'FFFF, bytes, first.data());
      const uint32_t rest = coalesce(addresses.data(), 0x8000'0000, bytes, second.data());
      ASSERT_EQ(rest, 1U);
      if (first[both - 1].line != second[0].line) first[both++] = LineAccess{.line = second[0].line};
      first[both - 1].words |= second[0].words;
      ASSERT_EQ(count, both);
      for (uint32_t i = 0; i < count; ++i) {
        EXPECT_EQ(together[i].line, first[i].line);
        EXPECT_EQ(together[i].words, first[i].words);
      }
    }
  }
}

TEST(Coalescer, InterleavesLocalMemoryByLanes) {
  std::array<LineAccess, kMaxLines> lines;
  const auto same_variable = strided(8, 0);
  ASSERT_EQ(coalesceLocal(1 << 20, same_variable.data(), kAllLanes, 4, lines.data()), 1U);
  EXPECT_EQ(lines[0].line, (1U << 20) / 128 + 2);
  EXPECT_EQ(lines[0].sectors, 0xF);
  EXPECT_EQ(coalesceLocal(1 << 20, same_variable.data(), kAllLanes, 8, lines.data()), 2U);
}

TEST(SharedWavefronts, WordsConflictByTheCommonDivisorOfStrideAndBanks) {
  for (uint64_t stride = 1; stride <= 64; ++stride) {
    const auto addresses = strided(0, stride * 4);
    const SharedWavefronts shared = sharedWavefronts(addresses.data(), kAllLanes, 4);
    EXPECT_EQ(shared.wavefronts, std::gcd(stride, uint64_t{32})) << stride;
    EXPECT_EQ(shared.minimum, 1U);
  }
}

TEST(SharedWavefronts, LanesThatReadOneWordShareIt) {
  EXPECT_EQ(sharedWavefronts(strided(64, 0).data(), kAllLanes, 4).wavefronts, 1U);
  EXPECT_EQ(sharedWavefronts(strided(64, 0).data(), kAllLanes, 4).same_word, 32U);
  EXPECT_EQ(sharedWavefronts(strided(64, 1).data(), kAllLanes, 1).wavefronts, 1U);
  EXPECT_EQ(sharedWavefronts(strided(0, 12).data(), 0x00FF'F0F0U, 4).wavefronts, 1U);
  EXPECT_EQ(sharedWavefronts(strided(0, 8).data(), 0x0001'0001U, 4).wavefronts, 2U);
}

TEST(SharedWavefronts, WideAccessesGoByHalvesAndQuarters) {
  EXPECT_EQ(sharedWavefronts(strided(0, 8).data(), kAllLanes, 8).wavefronts, 2U);
  EXPECT_EQ(sharedWavefronts(strided(0, 16).data(), kAllLanes, 8).wavefronts, 4U);
  EXPECT_EQ(sharedWavefronts(strided(0, 16).data(), kAllLanes, 16).wavefronts, 4U);
  EXPECT_EQ(sharedWavefronts(strided(0, 32).data(), kAllLanes, 16).wavefronts, 8U);
  EXPECT_EQ(sharedWavefronts(strided(0, 16).data(), 0xFFU, 16).wavefronts, 1U);
}

}  // namespace
}  // namespace warpscope::sim
