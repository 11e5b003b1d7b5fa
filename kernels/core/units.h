// Numbers in the form in which people read them: SI prefixes, three or four significant digits, thousands
// separators; the ticks of an axis; the time of day. Text only; command line and window print the same number
// in the same way.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/core/ids.h"

namespace warpscope {

std::string withThousandsSeparators(std::string digits);

// 33792 -> "33,792"
std::string formatCount(int64_t value);

// 0.30449 -> "0.3045", 883.21 -> "883.2", 33792.4 -> "33,792": digits before the point are never dropped.
std::string formatSignificant(double value, int digits = 4);
// The same, but a whole number has no decimals: 31 -> "31", 31.25 -> "31.25".
std::string formatNumber(double value, int digits = 4);

// 1234.5e-6, "s" -> "1.235 ms"; 883e9, "B/s" -> "883.0 GB/s".
std::string formatSi(double value, std::string_view unit, int digits = 4);

// 304 -> "304.0 ns", 304123 -> "304.1 µs"
std::string formatNs(double ns, int digits = 4);
std::string formatUs(double us, int digits = 4);

// A time that is only known approximately: "8 s", "45 s", "3 min", "2 h".
std::string formatRoughSeconds(double seconds);

// 12345 -> "12,345 cycles", 1 -> "1 cycle"
std::string formatCycles(int64_t cycles);

// 0.1276 -> "12.76 %", 1 -> "100 %"
std::string formatPercent(double share, int digits = 3);

// A median with half the range between the extremes: 304, 303, 305.4 us -> "304.0 µs ± 0.4 %".
std::string formatUsWithSpread(double median_us, double min_us, double max_us);

// Powers of two: 16777216 -> "16 MiB", 1000 -> "1,000 B"
std::string formatBytes(uint64_t bytes);

// Times of one column, all in one unit: "0.850 µs", "12,340 µs". The unit is that of the shortest, from µs
// on.
class TimeColumn {
 public:
  void add(double us);
  std::string text(double us) const;
  std::string withSpread(double median_us, double min_us, double max_us) const;

 private:
  double shortest_us_ = 0;  // 0: none yet
};

// In units of 1e9 bytes per second, so that all of them compare at a glance: 883.2 -> "883.2 GB/s",
// 3021 -> "3,021 GB/s"
std::string formatGbPerS(double gb_per_s);

// "0x0000FFFF"
std::string formatMask(LaneMask mask);

// Lane 31 at the left, lane 0 at the right, like the bits of a mask: "0000 0000 ... 1111"
std::string formatMaskBits(LaneMask mask);

// The positions of an axis' ticks: steps of 1, 2 or 5 times a power of ten.
struct Ticks {
  double first = 0, step = 1;
  int count = 0;
  int decimals = 0;  // as many as distinguish neighbouring ticks

  double at(int i) const { return first + step * i; }
};

// The ticks in [min, max], at most `at_most` of them (and at least two, if possible); none if the range is
// empty or not finite. `smallest_step`: 1 for whole things such as cycles.
Ticks niceTicks(double min, double max, int at_most, double smallest_step = 0);

// "12,000", "0.25": with the number of decimals of its axis.
std::string formatTick(double value, int decimals);

// The time of day as recordings and manifests store it: "2026-11-21T09:30:00Z", ISO 8601, UTC, to the second.
std::string nowIso();

}  // namespace warpscope
