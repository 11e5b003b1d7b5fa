#include "kernels/core/units.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

namespace warpscope {

std::string withThousandsSeparators(std::string digits) {
  const size_t first = digits.starts_with('-') ? 1 : 0;
  const size_t point = digits.find('.');
  size_t end = point == std::string::npos ? digits.size() : point;
  while (end > first + 3) {
    end -= 3;
    digits.insert(end, 1, ',');
  }
  return digits;
}

std::string formatCount(int64_t value) {
  return withThousandsSeparators(fmt::format("{}", value));
}

std::string formatSignificant(double value, int digits) {
  if (!std::isfinite(value)) return std::isnan(value) ? "n/a" : (value < 0 ? "-inf" : "inf");
  if (value == 0) return "0";
  // The magnitude of the rounded value: 0.99996 with three digits is 1.00.
  const double rounded = std::abs(value) * (1 + 0.5 * std::pow(10.0, -digits));
  const int magnitude = static_cast<int>(std::floor(std::log10(rounded))) + 1;
  const int decimals = digits > magnitude ? digits - magnitude : 0;
  return withThousandsSeparators(fmt::format("{:.{}f}", value, decimals));
}

std::string formatNumber(double value, int digits) {
  constexpr double kMostCounted = 1e15;
  if (value == std::floor(value) && std::abs(value) < kMostCounted)
    return formatCount(static_cast<int64_t>(value));
  return formatSignificant(value, digits);
}

std::string formatSi(double value, std::string_view unit, int digits) {
  struct Prefix {
    double factor;
    std::string_view sign;
  };
  static constexpr std::array<Prefix, 8> kPrefixes{
      {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}}};
  if (value == 0 || !std::isfinite(value)) return fmt::format("{} {}", formatSignificant(value), unit);
  // A value that would be rounded up to 1,000 belongs to the next prefix.
  const double rounded = std::abs(value) * (1 + 0.5 * std::pow(10.0, -digits));
  for (const Prefix& prefix : kPrefixes) {
    if (rounded >= prefix.factor) {
      return fmt::format("{} {}{}", formatSignificant(value / prefix.factor, digits), prefix.sign, unit);
    }
  }
  return fmt::format("{} n{}", formatSignificant(value / 1e-9, digits), unit);
}

std::string formatNs(double ns, int digits) {
  return formatSi(ns * 1e-9, "s", digits);
}

std::string formatUs(double us, int digits) {
  return formatSi(us * 1e-6, "s", digits);
}

std::string formatRoughSeconds(double seconds) {
  if (seconds < 10) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 90) return fmt::format("{:.0f} s", std::ceil(seconds / 5) * 5);
  if (seconds < 90 * 60) return fmt::format("{:.0f} min", std::ceil(seconds / 60));
  return fmt::format("{:.0f} h", std::ceil(seconds / 3600));
}

std::string formatCycles(int64_t cycles) {
  return formatCount(cycles) + (cycles == 1 ? " cycle" : " cycles");
}

std::string formatPercent(double share, int digits) {
  const double percent = share * 100;
  if (percent == std::round(percent)) return fmt::format("{:.0f} %", percent);
  return formatSignificant(percent, digits) + " %";
}

namespace {

// The ± of formatUsWithSpread; empty for a median of 0.
std::string spreadOf(double median_us, double min_us, double max_us) {
  return median_us <= 0 ? "" : fmt::format(" ± {:.1f} %", 50 * (max_us - min_us) / median_us);
}

}  // namespace

std::string formatUsWithSpread(double median_us, double min_us, double max_us) {
  return formatUs(median_us) + spreadOf(median_us, min_us, max_us);
}

std::string formatBytes(uint64_t bytes) {
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

std::string formatGbPerS(double gb_per_s) {
  return formatSignificant(gb_per_s) + " GB/s";
}

void TimeColumn::add(double us) {
  if (us > 0 && (shortest_us_ == 0 || us < shortest_us_)) shortest_us_ = us;
}

std::string TimeColumn::text(double us) const {
  constexpr double kEnough = 10;  // of a larger unit, so that the column keeps its digits
  if (shortest_us_ >= kEnough * 1e6) return formatSignificant(us / 1e6) + " s";
  if (shortest_us_ >= kEnough * 1e3) return formatSignificant(us / 1e3) + " ms";
  return formatSignificant(us) + " µs";
}

std::string TimeColumn::withSpread(double median_us, double min_us, double max_us) const {
  return text(median_us) + spreadOf(median_us, min_us, max_us);
}

std::string formatMask(LaneMask mask) {
  return fmt::format("0x{:08X}", mask.bits);
}

std::string formatMaskBits(LaneMask mask) {
  std::string text;
  for (int lane = kWarpSize - 1; lane >= 0; --lane) {
    text += mask.has(lane) ? '1' : '0';
    if (lane % 4 == 0 && lane != 0) text += lane % 16 == 0 ? "  " : " ";
  }
  return text;
}

Ticks niceTicks(double min, double max, int at_most, double smallest_step) {
  if (!(max > min) || !std::isfinite(min) || !std::isfinite(max) || at_most < 1) return {};
  const double rough = std::max((max - min) / at_most, smallest_step);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) {
      step = factor * power;
      break;
    }
  }
  Ticks ticks;
  ticks.step = step;
  // A slight tolerance, so that rounding does not lose a tick on the edge of the range.
  ticks.first = std::ceil(min / step - 1e-9) * step;
  ticks.count = static_cast<int>(std::floor((max - ticks.first) / step + 1e-9)) + 1;
  ticks.count = std::clamp(ticks.count, 0, at_most + 1);
  ticks.decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  return ticks;
}

std::string formatTick(double value, int decimals) {
  if (std::abs(value) < 0.5 * std::pow(10.0, -decimals)) return "0";
  return withThousandsSeparators(fmt::format("{:.{}f}", value, decimals));
}

std::string nowIso() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace warpscope
