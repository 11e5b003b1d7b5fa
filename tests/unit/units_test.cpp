// Numbers as text: digits, prefixes, separators, including edge cases.
#include "kernels/core/units.h"

#include <gtest/gtest.h>

#include <limits>

namespace warpscope {
namespace {

TEST(Units, CountsHaveSeparators) {
  EXPECT_EQ(formatCount(0), "0");
  EXPECT_EQ(formatCount(999), "999");
  EXPECT_EQ(formatCount(33792), "33,792");
  EXPECT_EQ(formatCount(-1234567), "-1,234,567");
  EXPECT_EQ(formatCount(-123), "-123");
}

TEST(Units, SignificantDigits) {
  EXPECT_EQ(formatSignificant(0.304494), "0.3045");
  EXPECT_EQ(formatSignificant(883.21, 3), "883");
  EXPECT_EQ(formatSignificant(33792.4), "33,792");
  EXPECT_EQ(formatNumber(31, 3), "31");
  EXPECT_EQ(formatNumber(-2e6), "-2,000,000");
  EXPECT_EQ(formatNumber(31.27, 3), "31.3");
  EXPECT_EQ(formatSignificant(0), "0");
  EXPECT_EQ(formatSignificant(std::numeric_limits<double>::quiet_NaN()), "n/a");
}

TEST(Units, PrefixesChangeWhereRoundingDoes) {
  EXPECT_EQ(formatSi(1234.5e-6, "s", 3), "1.23 ms");
  EXPECT_EQ(formatSi(999.96e-6, "s", 3), "1.00 ms");
  EXPECT_EQ(formatSi(3.021e12, "B/s"), "3.021 TB/s");
  EXPECT_EQ(formatNs(32, 2), "32 ns");
  EXPECT_EQ(formatNs(0.5, 2), "0.50 ns");
  EXPECT_EQ(formatUs(0), "0 s");
  EXPECT_EQ(formatGbPerS(883.2), "883.2 GB/s");
  EXPECT_EQ(formatGbPerS(3021.4), "3,021 GB/s") << "the same unit for all, so that a column can be compared";
}

TEST(Units, TimesCarryTheirSpread) {
  EXPECT_EQ(formatUsWithSpread(304, 303, 305.4), "304.0 µs ± 0.4 %");
  EXPECT_EQ(formatUsWithSpread(0, 0, 0), "0 s");
}

TEST(Units, SharesBytesAndCycles) {
  EXPECT_EQ(formatPercent(0.12755), "12.8 %");
  EXPECT_EQ(formatPercent(1), "100 %");
  EXPECT_EQ(formatBytes(0), "0 B");
  EXPECT_EQ(formatBytes(1000), "1,000 B");
  EXPECT_EQ(formatBytes(16 << 20), "16 MiB");
  EXPECT_EQ(formatBytes(1536), "1.50 KiB");
  EXPECT_EQ(formatCycles(1), "1 cycle");
  EXPECT_EQ(formatCycles(12345), "12,345 cycles");
}

TEST(Units, MasksAreWrittenHighestLaneFirst) {
  EXPECT_EQ(formatMask(LaneMask{0xFFFF}), "0x0000FFFF");
  EXPECT_EQ(formatMaskBits(LaneMask{0x1000F}), "0000 0000 0000 0001  0000 0000 0000 1111");
}

TEST(Units, RoughTimesAreRoundedUpToWhatIsWorthSaying) {
  EXPECT_EQ(formatRoughSeconds(0.2), "1 s");
  EXPECT_EQ(formatRoughSeconds(9.5), "10 s");
  EXPECT_EQ(formatRoughSeconds(41), "45 s");
  EXPECT_EQ(formatRoughSeconds(125), "3 min");
  EXPECT_EQ(formatRoughSeconds(2 * 3600), "2 h");
}

TEST(Units, TimesOfAColumnHaveOneUnit) {
  TimeColumn column;
  for (const double us : {12'345.0, 0.85, 304.2}) column.add(us);
  EXPECT_EQ(column.text(12'345), "12,345 µs");
  EXPECT_EQ(column.text(0.85), "0.8500 µs");
  EXPECT_EQ(column.withSpread(304, 303, 305.4), "304.0 µs ± 0.4 %");
  TimeColumn longer;
  longer.add(0);
  longer.add(50'000);
  longer.add(2'000'000);
  EXPECT_EQ(longer.text(50'000), "50.00 ms");
  EXPECT_EQ(longer.text(2'000'000), "2,000 ms");
  EXPECT_EQ(longer.withSpread(0, 0, 0), "0 ms");
}

}  // namespace
}  // namespace warpscope
