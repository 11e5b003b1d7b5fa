// Numbers as people read them: SI prefixes, three or four significant digits, thousands separators. Text
// only; command line and window print the same number the same way.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/core/ids.h"

namespace warpscope {

inline std::string withThousandsSeparators(std::string digits) {
  const size_t first = digits.starts_with('-') ? 1 : 0;
  const size_t point = digits.find('.');
  size_t end = point == std::string::npos ? digits.size() : point;
  while (end > first + 3) {
    end -= 3;
    digits.insert(end, 1, ',');
  }
  return digits;
}

// 33792 -> "33,792"
inline std::string formatCount(int64_t value) {
  return withThousandsSeparators(fmt::format("{}", value));
}

// 0.30449 -> "0.3045", 883.21 -> "883.2", 33792.4 -> "33,792": never fewer digits before the point than there
// are.
inline std::string formatSignificant(double value, int digits = 4) {
  if (!std::isfinite(value)) return std::isnan(value) ? "n/a" : (value < 0 ? "-inf" : "inf");
  if (value == 0) return "0";
  // Of the rounded value: 0.99996 with three digits is 1.00.
  const double rounded = std::abs(value) * (1 + 0.5 * std::pow(10.0, -digits));
  const int magnitude = static_cast<int>(std::floor(std::log10(rounded))) + 1;
  const int decimals = digits > magnitude ? digits - magnitude : 0;
  return withThousandsSeparators(fmt::format("{:.{}f}", value, decimals));
}

// 1234.5e-6, "s" -> "1.235 ms"; 883e9, "B/s" -> "883.0 GB/s".
inline std::string formatSi(double value, std::string_view unit, int digits = 4) {
  struct Prefix {
    double factor;
    std::string_view sign;
  };
  static constexpr std::array<Prefix, 8> kPrefixes{
      {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}}};
  if (value == 0 || !std::isfinite(value)) return fmt::format("{} {}", formatSignificant(value), unit);
  // What would be rounded up to 1,000 belongs to the next prefix.
  const double rounded = std::abs(value) * (1 + 0.5 * std::pow(10.0, -digits));
  for (const Prefix& prefix : kPrefixes) {
    if (rounded >= prefix.factor) {
      return fmt::format("{} {}{}", formatSignificant(value / prefix.factor, digits), prefix.sign, unit);
    }
  }
  return fmt::format("{} n{}", formatSignificant(value / 1e-9, digits), unit);
}

// 304 -> "304.0 ns", 304123 -> "304.1 µs"
inline std::string formatNs(double ns, int digits = 4) {
  return formatSi(ns * 1e-9, "s", digits);
}
inline std::string formatUs(double us, int digits = 4) {
  return formatSi(us * 1e-6, "s", digits);
}

// A time that nobody knows exactly: "8 s", "45 s", "3 min", "2 h".
inline std::string formatRoughSeconds(double seconds) {
  if (seconds < 10) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 90) return fmt::format("{:.0f} s", std::ceil(seconds / 5) * 5);
  if (seconds < 90 * 60) return fmt::format("{:.0f} min", std::ceil(seconds / 60));
  return fmt::format("{:.0f} h", std::ceil(seconds / 3600));
}

// 12345 -> "12,345 cycles", 1 -> "1 cycle"
inline std::string formatCycles(int64_t cycles) {
  return formatCount(cycles) + (cycles == 1 ? " cycle" : " cycles");
}

// 0.1276 -> "12.76 %", 1 -> "100 %"
inline std::string formatPercent(double share, int digits = 3) {
  const double percent = share * 100;
  if (percent == std::round(percent)) return fmt::format("{:.0f} %", percent);
  return formatSignificant(percent, digits) + " %";
}

// A median with half the range between the extremes: 304, 303, 305.4 us -> "304.0 µs ± 0.4 %".
inline std::string formatUsWithSpread(double median_us, double min_us, double max_us) {
  if (median_us <= 0) return formatUs(median_us);
  return fmt::format("{} ± {:.1f} %", formatUs(median_us), 50 * (max_us - min_us) / median_us);
}

// Powers of two: 16777216 -> "16 MiB", 1000 -> "1,000 B"
inline std::string formatBytes(uint64_t bytes) {
  static constexpr std::array<std::string_view, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  if (value == std::floor(value)) {
    return fmt::format("{} {}", formatCount(static_cast<int64_t>(value)), kUnits[unit]);
  }
  return fmt::format("{} {}", formatSignificant(value, 3), kUnits[unit]);
}

// 1e9 bytes a second: 883.2 -> "883.2 GB/s", 3021 -> "3.021 TB/s"
inline std::string formatGbPerS(double gb_per_s) {
  return formatSi(gb_per_s * 1e9, "B/s");
}

// "0x0000FFFF"
inline std::string formatMask(LaneMask mask) {
  return fmt::format("0x{:08X}", mask.bits);
}

// Lane 31 left, lane 0 right, as a mask's bits are written: "0000 0000 ... 1111"
inline std::string formatMaskBits(LaneMask mask) {
  std::string text;
  for (int lane = kWarpSize - 1; lane >= 0; --lane) {
    text += mask.has(lane) ? '1' : '0';
    if (lane % 4 == 0 && lane != 0) text += lane % 16 == 0 ? "  " : " ";
  }
  return text;
}

}  // namespace warpscope
