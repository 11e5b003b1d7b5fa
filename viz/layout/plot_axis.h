// An axis of a plot, without pixels: how data maps to its length, where its ticks are and what they say.
#pragma once

#include <cmath>
#include <string>
#include <vector>

namespace warpscope {

enum class ScaleKind { kLinear, kLog2, kLog10 };

// Maps data to shares of an axis, 0 at its lower end and 1 at its upper one, and back.
class AxisScale {
 public:
  AxisScale() = default;
  // Any range gives an axis: reversed ends are swapped, an empty range is widened around its value, what is
  // not finite becomes 0 to 1. A logarithmic axis has positive ends: where the lower one is not, it begins
  // some decades (octaves) below the upper one.
  AxisScale(ScaleKind kind, double min, double max);

  ScaleKind kind() const { return kind_; }
  double min() const { return min_; }
  double max() const { return max_; }
  // It has a place on the axis or beyond its ends: finite, and positive on a logarithmic axis.
  bool holds(double value) const {  // here: asked for each of a million points
    return std::isfinite(value) && (kind_ == ScaleKind::kLinear || value > 0);
  }
  // Not limited to 0 .. 1, but to kFar axes either way: what has no place lies there.
  double share(double value) const;
  double value(double share) const;

  static constexpr double kFar = 1000;

 private:
  ScaleKind kind_ = ScaleKind::kLinear;
  double min_ = 0, max_ = 1;
  double first_ = 0, last_ = 1;  // ends in the space where the axis is linear, halved
};

// How the numbers of an axis are written.
enum class TickNumbers {
  kPlain,   // 0.25, 12,000
  kSi,      // of a base unit, with its prefixes: B/s gives 2 GB/s
  kBytes,   // 16 KiB, 1 MiB
  kPowers,  // 2^10, 10^-3: of a logarithmic axis; plain elsewhere
};

struct PlotAxis {
  double min = 0, max = 1;
  ScaleKind scale = ScaleKind::kLinear;
  std::string title;  // of the quantity, "block size"; empty: the unit stands alone
  std::string unit;   // of the data: "threads"; of kSi without prefix: "B/s"
  TickNumbers numbers = TickNumbers::kPlain;
  std::vector<double> ticks;  // just these, where they fit; empty: where they are round
  // What `ticks` are called, one each: "32x8" of a list of choices. Then no number is written.
  std::vector<std::string> tick_texts;
  bool show_ticks = true;  // off for bars, which label themselves

  AxisScale mapping() const { return {scale, min, max}; }
};

struct AxisTick {
  double value = 0;
  std::string text;
  bool minor = false;  // without text: the steps within a decade
};

struct AxisTicks {
  std::vector<AxisTick> ticks;  // rising, none twice, all within the axis
  std::string title;            // with the unit that the numbers are in: "bandwidth (GB/s)"
};

// At most `at_most` ticks with text (two at least are aimed at), and the minor ones between them.
AxisTicks axisTicks(const PlotAxis& axis, int at_most);
// A value of the axis with its unit, for a readout: "1.235 TB/s", "256 threads".
std::string axisValueText(const PlotAxis& axis, double value);
// first, first + step ... up to `last`: an explicit list of ticks.
std::vector<double> tickList(double first, double last, double step);

struct PlotRange {
  double min = 0, max = 1;
};
// Rounds the range up to where a tick would be, so that the highest bar has air above it.
PlotRange niceRange(double min, double max, bool from_zero = true);

}  // namespace warpscope
