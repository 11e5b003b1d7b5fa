#include "viz/layout/plot_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "kernels/core/units.h"

namespace warpscope {
namespace {

constexpr double kDecadesBelow = 3, kOctavesBelow = 10;  // for a logarithmic axis whose lower end is unusable
constexpr double kLargest = 1e300;                       // the largest end that an axis can have
constexpr int kMostDecimals = 6;
constexpr int kMostTicks = 1000;
constexpr double kTolerance = 1e-9;  // relative to the axis: rounding must not lose a tick on its edge

bool isLog(ScaleKind kind) {
  return kind != ScaleKind::kLinear;
}
double baseOf(ScaleKind kind) {
  return kind == ScaleKind::kLog2 ? 2 : 10;
}

// Maps into the space in which the axis is linear. Halved, so that the difference of any two doubles is
// finite.
double straightened(ScaleKind kind, double value) {
  switch (kind) {
    case ScaleKind::kLog2:
      return std::log2(value) / 2;
    case ScaleKind::kLog10:
      return std::log10(value) / 2;
    case ScaleKind::kLinear:
      break;
  }
  return value / 2;
}

PlotRange repaired(ScaleKind kind, double min, double max) {
  if (!std::isfinite(min) || !std::isfinite(max)) min = 0, max = 1;
  min = std::clamp(min, -kLargest, kLargest);
  max = std::clamp(max, -kLargest, kLargest);
  if (min > max) std::swap(min, max);
  if (!isLog(kind)) {
    if (straightened(kind, max) > straightened(kind, min)) return {min, max};
    if (min == 0) return {0, 1};
    return {min - std::abs(min) / 2, max + std::abs(max) / 2};
  }
  const double base = baseOf(kind);
  if (max <= 0) return {1, base};
  max = std::max(max, 1 / kLargest);
  if (min <= 0) min = max * std::pow(base, kind == ScaleKind::kLog2 ? -kOctavesBelow : -kDecadesBelow);
  min = std::max(min, 1 / kLargest);
  if (straightened(kind, max) > straightened(kind, min)) return {min, max};
  return {min / base, max * base};
}

// The decimal power of a number's first digit: 0.25 and 0.05 differ by one.
int magnitude(double value) {
  return static_cast<int>(std::floor(std::log10(std::abs(value)) + kTolerance));
}

struct Prefix {
  double factor = 1;
  const char* sign = "";
};
constexpr std::array<Prefix, 8> kSiPrefixes{
    {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}}};
constexpr std::array<Prefix, 5> kBytePrefixes{
    {{0x1p40, "TiB"}, {0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}, {1, "B"}}};

template <size_t N>
Prefix largestWithin(const std::array<Prefix, N>& prefixes, double magnitude) {
  if (magnitude == 0) return {};
  for (const Prefix& prefix : prefixes) {
    if (magnitude >= prefix.factor * (1 - kTolerance)) return prefix;
  }
  return prefixes.back();
}

// Writes as many decimals as distinguish ticks `step` apart; if these are many, uses a power of ten.
std::string plainText(double value, double step, double largest) {
  const int decimals = std::max(0, -magnitude(step));
  if (decimals <= kMostDecimals && largest < 1e12) return formatTick(value, decimals);
  const int digits = std::clamp(magnitude(largest) - magnitude(step) + 1, 1, 15);
  return std::abs(value) < step / 2 ? "0" : fmt::format("{:.{}g}", value, digits);
}

// The text of a tick of a logarithmic axis, on which each tick has its own prefix.
std::string logText(const PlotAxis& axis, double value, int digits) {
  switch (axis.numbers) {
    case TickNumbers::kSi:
      if (value >= 1e-12 && value < 1e15) return formatSi(value, axis.unit, digits);
      return fmt::format("{:.{}g} {}", value, digits, axis.unit);
    case TickNumbers::kBytes:
      if (value >= 1 && value < 0x1p63) return formatBytes(static_cast<uint64_t>(std::llround(value)));
      break;
    case TickNumbers::kPowers: {
      const double exponent = straightened(axis.scale, value) * 2;
      if (std::abs(exponent - std::round(exponent)) < 1e-6)
        return fmt::format("{:.0f}^{:.0f}", baseOf(axis.scale), std::round(exponent));
      break;
    }
    case TickNumbers::kPlain:
      break;
  }
  return value >= 1e-4 && value < 1e7 ? formatSignificant(value, digits)
                                      : fmt::format("{:.{}g}", value, digits);
}

// Drops ticks that are outside or not ascending: beyond the precision of a double, neighbours coincide.
std::vector<AxisTick> cleaned(std::vector<AxisTick> ticks, const AxisScale& scale) {
  std::vector<AxisTick> kept;
  for (AxisTick& tick : ticks) {
    if (!scale.holds(tick.value)) continue;
    if (const double at = scale.share(tick.value); at < -kTolerance || at > 1 + kTolerance) continue;
    if (!kept.empty() && tick.value <= kept.back().value) continue;
    kept.push_back(std::move(tick));
  }
  return kept;
}

std::string titleOf(const PlotAxis& axis, const std::string& unit) {
  return axis.unit_in_title ? axis.title : titleWith(axis.title, unit);
}

AxisTicks linearTicks(const PlotAxis& axis, const AxisScale& scale, int at_most) {
  const double largest = std::max(std::abs(scale.min()), std::abs(scale.max()));
  Prefix prefix;
  std::string unit = axis.unit;
  if (axis.numbers == TickNumbers::kSi) {
    prefix = largestWithin(kSiPrefixes, largest);
    unit = prefix.sign + axis.unit;
  } else if (axis.numbers == TickNumbers::kBytes) {
    prefix = largestWithin(kBytePrefixes, largest);
    unit = prefix.sign;
  }
  AxisTicks answer{{}, titleOf(axis, unit)};
  const double span = scale.max() / prefix.factor - scale.min() / prefix.factor;
  if (!std::isfinite(span)) return answer;
  if (!axis.ticks.empty()) {
    std::vector<double> given = axis.ticks;
    std::sort(given.begin(), given.end());
    double step = span;
    for (size_t i = 1; i < given.size(); ++i) {
      if (given[i] > given[i - 1]) step = std::min(step, (given[i] - given[i - 1]) / prefix.factor);
    }
    for (const double value : given) {
      const double number = value / prefix.factor;
      // As short as possible: 128, 0.5.
      const std::string text = number == std::round(number) && std::abs(number) < 1e12
                                   ? formatTick(number, 0)
                                   : plainText(number, step / 10, largest / prefix.factor);
      answer.ticks.push_back({value, text});
    }
  } else {
    const Ticks nice = niceTicks(scale.min() / prefix.factor, scale.max() / prefix.factor, at_most);
    for (int i = 0; i < nice.count; ++i) {
      answer.ticks.push_back(
          {nice.at(i) * prefix.factor, plainText(nice.at(i), nice.step, largest / prefix.factor)});
    }
  }
  answer.ticks = cleaned(std::move(answer.ticks), scale);
  return answer;
}

// base^first, base^(first + 1) ...: every `stride`-th has a text, so that at most `at_most` of them do. Where
// only one multiple of the stride is inside, the first and the last have one: a single number is no scale.
std::vector<AxisTick> powerTicks(const PlotAxis& axis, const AxisScale& scale, int at_most) {
  const double base = baseOf(axis.scale);
  const int first = static_cast<int>(std::ceil(straightened(axis.scale, scale.min()) * 2 - kTolerance));
  const int last = static_cast<int>(std::floor(straightened(axis.scale, scale.max()) * 2 + kTolerance));
  int stride = 1;
  for (const int step : {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}) {
    stride = step;
    if ((last - first) / step + 1 <= at_most) break;
  }
  int majors = 0;
  for (int exponent = first; exponent <= last; ++exponent) majors += exponent % stride == 0 ? 1 : 0;
  const bool ends = majors < 2 && at_most >= 2;
  std::vector<AxisTick> ticks;
  for (int exponent = first - 1; exponent <= last; ++exponent) {
    const double power = std::pow(base, exponent);
    const bool major = ends ? exponent == first || exponent == last : exponent % stride == 0;
    if (exponent >= first) ticks.push_back({power, major ? logText(axis, power, 1) : "", !major});
    if (base == 10 && stride == 1) {
      for (int times = 2; times < 10; ++times) ticks.push_back({times * power, "", true});
    }
  }
  return ticks;
}

// For less than two powers: 1, 2 and 5 times them, or otherwise steps as on a linear axis.
std::vector<AxisTick> ticksWithinAPower(const PlotAxis& axis, const AxisScale& scale, int at_most) {
  std::vector<AxisTick> ticks;
  if (axis.scale == ScaleKind::kLog10) {
    const int first = static_cast<int>(std::floor(std::log10(scale.min()) + kTolerance));
    for (int exponent = first; exponent <= first + 2; ++exponent) {
      for (const int times : {1, 2, 5}) {
        const double value = times * std::pow(10.0, exponent);
        ticks.push_back({value, logText(axis, value, 1)});
      }
    }
    ticks = cleaned(std::move(ticks), scale);
    if (ticks.size() >= 2 && ticks.size() <= static_cast<size_t>(at_most)) return ticks;
  }
  ticks.clear();
  if (axis.numbers == TickNumbers::kBytes) {
    // Multiples of a power of two: 6 KiB, 8 KiB; not of ten, which would be 4.88 KiB and 9.77 KiB.
    double step = std::exp2(std::floor(std::log2((scale.max() - scale.min()) / at_most)));
    const auto inside = [&] { return std::floor(scale.max() / step) - std::ceil(scale.min() / step) + 1; };
    while (inside() > at_most) step *= 2;
    for (double value = std::ceil(scale.min() / step) * step; value <= scale.max(); value += step)
      ticks.push_back({value, logText(axis, value, 3)});
    return cleaned(std::move(ticks), scale);
  }
  const Ticks nice = niceTicks(scale.min(), scale.max(), at_most);
  for (int i = 0; i < nice.count; ++i) {
    const double value = nice.at(i);
    if (value <= 0) continue;
    const int digits = std::clamp(magnitude(value) - magnitude(nice.step) + 1, 1, 15);
    ticks.push_back({value, logText(axis, value, digits)});
  }
  return cleaned(std::move(ticks), scale);
}

// Names replace the values, and have no unit.
AxisTicks namedTicks(const PlotAxis& axis, const AxisScale& scale) {
  AxisTicks answer{{}, axis.title};
  const size_t count = std::min(axis.ticks.size(), axis.tick_texts.size());
  for (size_t i = 0; i < count; ++i) answer.ticks.push_back({axis.ticks[i], axis.tick_texts[i]});
  std::ranges::stable_sort(answer.ticks, {}, &AxisTick::value);
  answer.ticks = cleaned(std::move(answer.ticks), scale);
  return answer;
}

AxisTicks logTicks(const PlotAxis& axis, const AxisScale& scale, int at_most) {
  // Byte ticks carry their unit. Ticks with SI prefixes do, too, but there the title says what is counted.
  const bool says_itself = axis.numbers == TickNumbers::kBytes;
  AxisTicks answer{{}, titleOf(axis, says_itself ? "" : axis.unit)};
  if (!axis.ticks.empty()) {
    std::vector<double> given = axis.ticks;
    std::sort(given.begin(), given.end());
    for (const double value : given) {
      if (value > 0) answer.ticks.push_back({value, logText(axis, value, value < 1e6 ? 6 : 3)});
      // Whole numbers are written as such: 48, not 48.0000.
      if (value > 0 && axis.numbers == TickNumbers::kPlain && value == std::round(value) && value < 1e12)
        answer.ticks.back().text = formatTick(value, 0);
    }
    answer.ticks = cleaned(std::move(answer.ticks), scale);
    return answer;
  }
  answer.ticks = cleaned(powerTicks(axis, scale, at_most), scale);
  const auto majors =
      std::count_if(answer.ticks.begin(), answer.ticks.end(), [](const AxisTick& t) { return !t.minor; });
  if (majors < 2) answer.ticks = ticksWithinAPower(axis, scale, at_most);
  return answer;
}

}  // namespace

std::string titleWith(const std::string& title, const std::string& unit) {
  if (title.empty() || unit.empty()) return title + unit;
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  // As words of its own: "time, until the last run" contains an s, but does not say seconds.
  const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (std::string_view rest = title; !rest.empty(); rest.remove_prefix(1)) {
    rest = {std::search(rest.begin(), rest.end(), unit.begin(), unit.end(), same), rest.end()};
    if (rest.empty()) break;
    const size_t begin = title.size() - rest.size(), end = begin + unit.size();
    if ((begin == 0 || !letter(title[begin - 1])) && (end == title.size() || !letter(title[end])))
      return title;
  }
  return fmt::format("{} ({})", title, unit);
}

AxisScale::AxisScale(ScaleKind kind, double min, double max) : kind_(kind) {
  const PlotRange range = repaired(kind, min, max);
  min_ = range.min;
  max_ = range.max;
  first_ = straightened(kind, min_);
  last_ = straightened(kind, max_);
}

double AxisScale::share(double value) const {
  if (std::isnan(value) || (isLog(kind_) && value <= 0)) return -kFar;
  const double at = (straightened(kind_, value) - first_) / (last_ - first_);
  return std::isnan(at) ? -kFar : std::clamp(at, -kFar, kFar);
}

double AxisScale::value(double share) const {
  if (std::isnan(share)) return min_;
  // The ends are exact, whatever rounding errors logarithms cause.
  if (share == 0) return min_;
  if (share == 1) return max_;
  const double at = 2 * (first_ + (last_ - first_) * share);
  return isLog(kind_) ? std::pow(baseOf(kind_), at) : at;
}

AxisTicks axisTicks(const PlotAxis& axis, int at_most) {
  const AxisScale scale = axis.mapping();
  if (!axis.tick_texts.empty()) return namedTicks(axis, scale);
  at_most = std::clamp(at_most, 1, kMostTicks);
  return isLog(axis.scale) ? logTicks(axis, scale, at_most) : linearTicks(axis, scale, at_most);
}

std::string axisValueText(const PlotAxis& axis, double value) {
  for (size_t i = 0; i < std::min(axis.ticks.size(), axis.tick_texts.size()); ++i) {
    if (axis.ticks[i] == value) return axis.tick_texts[i];
  }
  if (axis.numbers == TickNumbers::kSi) return formatSi(value, axis.unit);
  if (axis.numbers == TickNumbers::kBytes && value >= 0 && value < 0x1p63)
    return formatBytes(static_cast<uint64_t>(std::llround(value)));
  const bool whole = value == std::round(value) && std::abs(value) < 1e15;
  std::string text = whole ? formatCount(static_cast<int64_t>(value)) : formatSignificant(value);
  if (axis.unit.empty()) return text;
  return text + " " + axis.unit;
}

std::vector<double> tickList(double first, double last, double step) {
  std::vector<double> values;
  if (!(step > 0) || !std::isfinite(first) || !std::isfinite(last)) return values;
  for (int i = 0; i < kMostTicks && first + step * i <= last + step * kTolerance; ++i)
    values.push_back(first + step * i);
  return values;
}

PlotRange niceRange(double min, double max, bool from_zero) {
  if (from_zero) min = std::min(0.0, min);
  if (!(max > min)) return {min, min + 1};
  const Ticks ticks = niceTicks(min, max, 5);
  const double air = (max - min) * 0.05;
  return {from_zero && min == 0 ? 0 : std::floor((min - air) / ticks.step) * ticks.step,
          std::ceil((max + air) / ticks.step) * ticks.step};
}

}  // namespace warpscope
