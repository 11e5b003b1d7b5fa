// An axis of a plot, independent of pixels: how data maps to its length, where its ticks are, and their
// texts.
#pragma once

#include <cmath>
#include <string>
#include <vector>

namespace warpscope {

enum class ScaleKind { kLinear, kLog2, kLog10 };

// Maps data to positions on an axis, 0 at its lower end and 1 at its upper one, and back.
class AxisScale {
 public:
  AxisScale() = default;
  // Any range gives an axis: reversed ends are swapped, an empty range is widened around its value, and a
  // non-finite range becomes 0 to 1. A logarithmic axis has positive ends: if the lower one is not positive,
  // the axis begins some decades (octaves) below the upper one.
  AxisScale(ScaleKind kind, double min, double max);

  ScaleKind kind() const { return kind_; }
  double min() const { return min_; }
  double max() const { return max_; }
  // Whether the value has a position on the axis or beyond its ends: finite, and positive on a logarithmic
  // axis.
  bool holds(double value) const {  // inline: called for each of a million points
    return std::isfinite(value) && (kind_ == ScaleKind::kLinear || value > 0);
  }
  // Not limited to 0 .. 1, but to kFar axis lengths either way; values without a position are there.
  double share(double value) const;
  double value(double share) const;

  static constexpr double kFar = 1000;

 private:
  ScaleKind kind_ = ScaleKind::kLinear;
  double min_ = 0, max_ = 1;
  double first_ = 0, last_ = 1;  // ends in the space in which the axis is linear, halved
};

// The form in which the numbers of an axis are written.
enum class TickNumbers {
  kPlain,   // 0.25, 12,000
  kSi,      // for a base unit, with its prefixes: B/s gives 2 GB/s
  kBytes,   // 16 KiB, 1 MiB
  kPowers,  // 2^10, 10^-3: for a logarithmic axis; plain elsewhere
};

struct PlotAxis {
  double min = 0, max = 1;
  ScaleKind scale = ScaleKind::kLinear;
  std::string title;  // the quantity, "block size"; empty: only the unit is shown
  std::string unit;   // of the data: "threads"; for kSi without prefix: "B/s"
  TickNumbers numbers = TickNumbers::kPlain;
  std::vector<double> ticks;  // exactly these, if they fit; empty: round values
  // The names of `ticks`, one each: "32x8" from a list of choices. Then no number is written.
  std::vector<std::string> tick_texts;
  bool show_ticks = true;      // off for bars, which label themselves
  bool unit_in_title = false;  // the title says it in other words, which titleWith() would not find

  AxisScale mapping() const { return {scale, min, max}; }
};

struct AxisTick {
  double value = 0;
  std::string text;
  bool minor = false;  // without text: a step within a decade
};

struct AxisTicks {
  std::vector<AxisTick> ticks;  // ascending, distinct, all within the axis
  std::string title;            // including the unit of the numbers: "bandwidth (GB/s)"
};

// Returns at most `at_most` ticks with text (and tries for at least two), and the minor ones between them.
AxisTicks axisTicks(const PlotAxis& axis, int at_most);
// "Block size (threads)"; a title that says the unit already stays as it is: "Elements", of elements.
std::string titleWith(const std::string& title, const std::string& unit);
// A value of the axis with its unit, for a readout: "1.235 TB/s", "256 threads".
std::string axisValueText(const PlotAxis& axis, double value);
// first, first + step ... up to `last`: an explicit list of ticks.
std::vector<double> tickList(double first, double last, double step);

struct PlotRange {
  double min = 0, max = 1;
};
struct PlotRanges {
  PlotRange x, y;
};
// Rounds the range up to the next possible tick, so that there is space above the highest bar.
PlotRange niceRange(double min, double max, bool from_zero = true);

}  // namespace warpscope
