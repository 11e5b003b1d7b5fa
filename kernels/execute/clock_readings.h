// The quantities that the alignment of clocks derives from raw readings, and the mean frequency that they
// show. Internal to clock_alignment, whose header explains both.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "kernels/execute/clock_alignment.h"

namespace warpscope {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A reading relative to its SM's first clock and to the median time, so that doubles are exact
// enough.
struct Point {
  double clock = 0;
  double time_ns = 0;
  bool clock_first = true;
};

struct SmReadings {
  SmId sm;
  uint64_t first_clock = 0;
  std::vector<Point> points;
  double begin_ns = kInfinity, end_ns = -kInfinity;
  double span_ns() const { return points.empty() ? 0 : end_ns - begin_ns; }
};

struct Interval {
  double low = -kInfinity, high = kInfinity;
  bool empty() const { return low > high; }
  double middle() const { return (low + high) / 2; }
  double half() const { return std::abs(high - low) / 2; }
};

struct Frequency {
  double cycles_per_ns = 0;
  double low = 0, high = 0;  // the frequency at every moment of the launch is assumed to be between these
};

// The step of which all differences of the timer's values are multiples, or `fallback_ns`.
uint32_t timerStep(std::span<const ClockReading> readings, uint32_t fallback_ns);

// The median of all readings, which a single wrong value does not move far.
uint64_t medianTime(std::span<const ClockReading> readings);

// One entry per SM that has readings with a timer value, ascending; their points in ascending time. Time zero
// is the median of all readings, which a single wrong value does not move far.
std::vector<SmReadings> groupBySm(std::span<const ClockReading> readings);

// Drops readings whose clock and timer are farther from the others of the SM than the launch can have lasted:
// they were written or read wrongly. Returns how many it dropped.
uint64_t dropImpossible(std::vector<SmReadings>& sms);

// `reference`: an SM with many readings. `nominal` 0: unknown. The result's cycles_per_ns is 0 if nothing
// determines it.
Frequency findFrequency(const std::vector<SmReadings>& sms, const SmReadings& reference, double nominal,
                        double step_ns, std::vector<TraceProblem>& problems);

// 0 for a nominal frequency that no GPU has.
double plausibleOrUnknown(double cycles_per_ns);

}  // namespace warpscope
