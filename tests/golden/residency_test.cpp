// Compares achieved occupancy, computed from the records of an H100's warps, with what Nsight Compute counted
// for the bare kernels: residency_h100.txt.zst holds one SM of each launch of at least four full waves.
#include <gtest/gtest.h>
#include <zstd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/metrics/achieved.h"
#include "kernels/occupancy/resident_warps.h"

namespace warpscope {
namespace {

constexpr uint32_t kMostWarps = 64;  // on an H100's SM
constexpr uint32_t kSms = 132;
constexpr double kTurnCycles = 335;  // LatencyFigures::block_turn
constexpr double kPointsApart = 6;
constexpr double kPointsApartOfTiny = 10;

struct Launch {
  std::string family, variant;
  double waves = 0, counted_percent = 0;
  uint32_t warps_per_block = 0, resident_warps = 0;
  std::vector<ProbeStay> stays;
};

std::string unpacked(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string packed{std::istreambuf_iterator<char>(file), {}};
  const auto size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) return {};
  std::string text(size, '\0');
  const size_t got = ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
  return ZSTD_isError(got) != 0U ? std::string() : text;
}

std::vector<Launch> readLaunches() {
  std::istringstream text(unpacked(WARPSCOPE_RESIDENCY_LOG));
  std::vector<Launch> launches;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    if (line.starts_with('#')) continue;
    if (line.starts_with("launch ")) {
      Launch launch;
      std::string word;
      words >> word >> launch.family >> launch.variant >> launch.waves >> launch.warps_per_block >>
          launch.resident_warps >> launch.counted_percent;
      launches.push_back(std::move(launch));
      continue;
    }
    uint32_t index = 0, begin = 0, through = 0, sm = 0, slot = 0;
    uint16_t wait = 0, probe = 0;
    words >> index >> begin >> through >> wait >> probe >> sm >> slot;
    std::vector<ProbeStay>& stays = launches.back().stays;
    if (stays.size() <= index) stays.resize(index + 1);
    stays[index] = {begin, begin + through, wait, probe, kProbeStayWritten | sm << 8 | slot};
  }
  return launches;
}

// Launches of 5 us, of which the probe takes a large part.
bool isTiny(const Launch& launch) {
  return launch.waves < 8 && (launch.variant == "block_aggregated" || launch.variant == "match_any");
}

TEST(ResidencyOfAnH100, IsWhatNsightComputeCounts) {
  const std::vector<Launch> launches = readLaunches();
  ASSERT_EQ(launches.size(), 93U);
  double apart = 0;
  size_t within = 0;
  for (const Launch& launch : launches) {
    SCOPED_TRACE(launch.family + " " + launch.variant + " of " + std::to_string(launch.waves) + " waves");
    const auto found =
        meanResidentWarps({launch.stays, launch.warps_per_block, launch.resident_warps, kTurnCycles, kSms});
    ASSERT_TRUE(found);
    const double percent = 100 * found->mean / kMostWarps;
    const WarpsRange range = residentWarpsRange(found->mean, found->evidence, kMostWarps);
    const double counted = launch.counted_percent / 100 * kMostWarps;
    within += counted >= range.low && counted <= range.high ? 1 : 0;
    EXPECT_NEAR(percent, launch.counted_percent, isTiny(launch) ? kPointsApartOfTiny : kPointsApart);
    apart += std::abs(percent - launch.counted_percent);
    std::printf("%-16s %-24s waves %6.2f  counted %5.1f  achieved %5.1f  apart %+5.1f\n",
                launch.family.c_str(), launch.variant.c_str(), launch.waves, launch.counted_percent, percent,
                percent - launch.counted_percent);
  }
  // The range was fitted to other launches (achieved_test.cpp).
  std::printf("%zu of %zu within the range\n", within, launches.size());
  EXPECT_GE(within * 10, launches.size() * 9);
  EXPECT_LT(apart / static_cast<double>(launches.size()), 2);
}

}  // namespace
}  // namespace warpscope
